/** The workspace for an event file: the editor next to the preview. */
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { CSSProperties, ReactNode } from 'react'
import { dayOf, computeThemeColors, readInstant } from '../../../engine/index.ts'
import type { EventConfig, Site } from '../../../engine/index.ts'
import type { PageData } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PreviewErrorBoundary, OutdatedPreviewNote } from '../preview/preview-error-boundary.tsx'
import { PricePreview } from '../preview/price-preview.tsx'
import { TabList } from '../panel-tabs.tsx'
import type { Tab } from '../panel-tabs.tsx'
import { createInitialDelegate, TestDelegateForm } from '../test-delegate/test-delegate.tsx'
import type { TestDelegate } from '../test-delegate/test-delegate.tsx'
import { FileBar } from './save-bar.tsx'
import { downloadFile, saveFileDraft, getFileName, useCheck } from './event-file-draft.ts'
import type { FileDraft } from './event-file-draft.ts'
import { CopiedNotice } from './repeated-notice.tsx'
import type { CopyReport } from './repeated-notice.tsx'
import { CreatedNotice } from './created-notice.tsx'
import { Changes } from './changes-panel.tsx'
import type { PublishedFile } from './changes-panel.tsx'
import { Editor } from './yaml-editor.tsx'
import type { EditorHandle } from './yaml-editor.tsx'
import { countFindings, Examples, Findings } from './findings-panel.tsx'
import { Rehearsal } from './rehearsal-panel.tsx'
import type { RehearsalResult } from './rehearsal-panel.tsx'
import '../preview/preview-panels.css'
import '../preview/price-tables.css'

// Loaded on demand, because copying needs the YAML parser, which otherwise only the worker loads.
const CopyNotice = lazy(() => import('./copy-notice.tsx'))
const Form = lazy(() => import('../preview/form-preview.tsx'))
const Results = lazy(() => import('../preview/result-page-and-email-preview.tsx'))

export type OrganisersData = Extract<PageData, { page: 'organisers' }>

const wideQuery = matchMedia('(min-width: 1024px)')
/** Returns true if the file and its preview are shown side by side. Otherwise, the file is the first tab. */
const useSideBySide = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      wideQuery.addEventListener('change', onChange)
      return () => wideQuery.removeEventListener('change', onChange)
    },
    () => wideQuery.matches,
  )

type FileWorkspaceProps = {
  readonly page: OrganisersData
  readonly shared: NonNullable<OrganisersData['shared']>
  readonly openedFile: FileDraft
  readonly texts: Site['organisers']
  /** Whether the file was just created from answers. The page then states this, and shows the prices first. */
  readonly isNew: boolean
  /** Returns to the questions. Null if the file was not created from answers. */
  readonly onChangeAnswers: (() => void) | null
  /** Whether answers were changed after the file was created from them. */
  readonly hasChangedAnswers: boolean
  /** The changes made when this file was copied from another. */
  readonly copyReport: CopyReport | null
  /** Opens a file copied from this one. */
  readonly onCopy: (file: FileDraft, report: CopyReport) => void
  /** Returns to the start choices. */
  readonly onLeave: () => void
}

/** Shows the editor of one file. The browser stores its text as a draft; “Save file” downloads it. */
export default function FileWorkspace({
  page,
  shared,
  openedFile,
  texts,
  isNew,
  onChangeAnswers,
  hasChangedAnswers,
  copyReport,
  onCopy,
  onLeave,
}: FileWorkspaceProps) {
  const [text, setText] = useState(openedFile.text)
  const [savedText, setSavedText] = useState(openedFile.isSaved ? openedFile.text : null)
  const [isLeaving, setLeaving] = useState(false)
  const otherRoutes = useMemo(
    () => page.events.flatMap(({ routes }) => [routes.form, ...routes.also]),
    [page.events],
  )
  const [rehearsal, setRehearsal] = useState<RehearsalResult | null>(null)
  const usedNames = useMemo(
    () => ({ ids: page.events.map(({ id }) => id), prefixes: page.prefixes }),
    [page.events, page.prefixes],
  )
  const [published, setPublished] = useState<PublishedFile | null>(null)
  const checkState = useCheck(text, openedFile.path, shared, otherRoutes, published?.text ?? null)
  const editor = useRef<EditorHandle>(null)
  const formPreview = useRef<{
    readonly event: EventConfig
    readonly testDelegate: TestDelegate
  } | null>(null)
  const isWide = useSideBySide()
  const [selectedTab, setSelectedTab] = useState<Tab>(isNew ? 'price' : isWide ? 'form' : 'file')
  const today = useMemo(() => readInstant(page.now), [page.now])
  const [changedDelegate, setChangedDelegate] = useState<TestDelegate | null>(null)
  const { event } = checkState
  const isPublished = page.events.some(({ id }) => id === event?.id)
  const isHidden = (isWide && selectedTab === 'file') || (selectedTab === 'changes' && !isPublished)
  const tab = isHidden ? 'form' : selectedTab
  const testDelegate = useMemo(
    () =>
      changedDelegate ??
      (event === null || today === null ? null : createInitialDelegate(event, dayOf(today))),
    [changedDelegate, event, today],
  )

  const isSaved = text === savedText
  useEffect(() => saveFileDraft({ ...openedFile, text, isSaved }), [text, openedFile, isSaved])
  const saveFile = () => {
    downloadFile({ path: openedFile.path, text })
    setSavedText(text)
  }
  const goTo = useCallback(
    (line: number, column?: number) => {
      setSelectedTab((currentTab) => (isWide ? currentTab : 'file'))
      // Waits for the next frame, because the editor may only now become visible.
      requestAnimationFrame(() => editor.current?.goTo(line, column))
    },
    [isWide],
  )
  const applyFix = (from: number, to: number, replacement: string) =>
    editor.current?.replace(from, to, replacement)

  // Excludes findings about shared files, which have no line in this text.
  const ownFindings = useMemo(
    () => checkState.result?.findings.filter(({ at }) => at.path === openedFile.path) ?? [],
    [checkState.result, openedFile.path],
  )
  const file = (
    <Editor
      ref={editor}
      label={texts.file}
      text={text}
      onChange={setText}
      findings={ownFindings}
      checkedText={checkState.result?.text ?? null}
    />
  )
  const panelContents: Readonly<Record<Exclude<Tab, 'file' | 'form'>, ReactNode>> = {
    price: event && testDelegate && (
      <PricePreview
        title={texts.prices}
        event={event}
        testDelegate={testDelegate}
        lines={checkState.result?.lines ?? null}
        extremeBills={checkState.result?.extremeBills ?? []}
        goTo={goTo}
      />
    ),
    results: event && testDelegate && <Results event={event} testDelegate={testDelegate} />,
    changes: event && (
      <Changes
        id={event.id}
        published={published}
        onLoad={setPublished}
        changes={checkState.result?.changes ?? null}
      />
    ),
    findings: checkState.result && (
      <Findings
        findings={checkState.result.findings}
        path={openedFile.path}
        goTo={goTo}
        applyFix={checkState.result.text === text ? applyFix : null}
      />
    ),
    examples: checkState.result && (
      <Examples title={texts.examples} checkResult={checkState.result} goTo={goTo} />
    ),
    rehearsal: (
      <Rehearsal path={openedFile.path} text={text} rehearsal={rehearsal} onFinish={setRehearsal} />
    ),
  }
  const buildPanelProps = (panelTab: Tab) => ({
    className: 'org-panel',
    role: 'tabpanel',
    id: `org-panel-${panelTab}`,
    'aria-labelledby': `org-tab-${panelTab}`,
    hidden: panelTab !== tab,
  })
  const shownTabs: readonly Tab[] = [
    ...(isWide ? [] : (['file'] as const)),
    'form',
    'price',
    'results',
    'findings',
    ...(isPublished ? (['changes'] as const) : []),
    'examples',
    'rehearsal',
  ]
  const theme = event === null ? {} : buildThemeStyle(event)
  const withErrorBoundary = (panelTab: Tab, content: ReactNode) => (
    <PreviewErrorBoundary key={panelTab} resetKey={checkState.result}>
      <Suspense
        fallback={
          <p className="org-wait" role="status">
            <span className="spin" aria-hidden="true" />
            Loading
          </p>
        }
      >
        {content}
      </Suspense>
    </PreviewErrorBoundary>
  )
  // Keeps the form mounted while another tab is open, so that typed answers are not lost. The hidden form is not
  // updated with the file.
  if (tab === 'form' && event !== null && testDelegate !== null)
    formPreview.current = { event, testDelegate }
  return (
    <div className="org">
      <FileBar
        path={openedFile.path}
        checkState={checkState}
        isSaved={isSaved}
        onChangeAnswers={onChangeAnswers}
        onStartAgain={() => (isSaved ? onLeave() : setLeaving(true))}
        onSave={saveFile}
      />
      {isNew && <CreatedNotice path={openedFile.path} isSaved={isSaved} checkState={checkState} />}
      {hasChangedAnswers && (
        <p className="org-created org-outdated" role="status">
          You changed answers after this file was created. The file does not contain these changes.
          To create it again, choose “Change the answers”, and continue to the last question.
        </p>
      )}
      {copyReport !== null && <CopiedNotice {...copyReport} />}
      {isPublished && event !== null && (
        <Suspense fallback={null}>
          <CopyNotice
            key={event.id}
            event={event}
            text={text}
            usedNames={usedNames}
            onCopy={onCopy}
          />
        </Suspense>
      )}
      <div className="org-split">
        {isWide && (
          <section className="org-left" aria-label={texts.file}>
            {file}
          </section>
        )}
        <div className="org-right">
          <TabList
            label={texts.becomes}
            tabs={shownTabs}
            selectedTab={tab}
            onSelect={setSelectedTab}
            problems={countFindings(checkState.result?.findings ?? []).problems}
            hasErrors={
              checkState.result?.findings.some(({ severity }) => severity === 'error') ?? false
            }
          />
          {!isWide && <div {...buildPanelProps('file')}>{file}</div>}
          {(tab === 'form' || formPreview.current !== null) && (
            <div {...buildPanelProps('form')} style={theme}>
              {tab === 'form' && <OutdatedPreviewNote checkState={checkState} />}
              {tab === 'form' && event && testDelegate && (
                <TestDelegateForm
                  event={event}
                  testDelegate={testDelegate}
                  onChange={setChangedDelegate}
                  showsAnswers={false}
                />
              )}
              {withErrorBoundary(
                'form',
                formPreview.current && <Form title={texts.form} {...formPreview.current} />,
              )}
            </div>
          )}
          {tab !== 'file' && tab !== 'form' && (
            <div {...buildPanelProps(tab)} style={theme}>
              {(tab === 'price' || tab === 'results' || checkState.hasFailed) && (
                <OutdatedPreviewNote checkState={checkState} />
              )}
              {(tab === 'price' || tab === 'results') && event && testDelegate && (
                <TestDelegateForm
                  event={event}
                  testDelegate={testDelegate}
                  onChange={setChangedDelegate}
                  showsAnswers
                />
              )}
              {withErrorBoundary(tab, panelContents[tab])}
            </div>
          )}
        </div>
      </div>
      {isLeaving && (
        <Dialog title="Leave your changes?" onClose={() => setLeaving(false)}>
          <p>
            {getFileName(openedFile.path)} has changes that are not saved on your computer.
            {onChangeAnswers !== null && ' Your answers to the questions are kept.'}
          </p>
          <div className="actions">
            <button type="button" className="btn" onClick={() => setLeaving(false)}>
              Keep my changes
            </button>
            <button type="button" className="btn line" onClick={onLeave}>
              Discard changes
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

/**
 * Returns the event's colours for the preview of its pages. The surrounding page keeps the default ones.
 */
function buildThemeStyle(event: EventConfig): CSSProperties {
  try {
    const { band, onBand, accent, tint, line } = computeThemeColors(event.look.colour)
    return {
      '--band': band,
      '--on-band': onBand,
      '--accent': accent,
      '--accent-tint': tint,
      '--accent-line': line,
    } as CSSProperties
  } catch {
    // An invalid colour is reported as a finding, and the default colour is used.
    return {}
  }
}
