/** The organisers' page: an event file with its preview. */
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
import { dayOf, computeThemeColors, readInstant } from '../../engine/index.ts'
import type { EventConfig, Site } from '../../engine/index.ts'
import type { PageData } from '../../engine/api.ts'
import { readEventFile } from '../app/api-responses.ts'
import { call, save } from '../app/api-client.ts'
import type { PageProps } from '../app/page-props.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons-and-logo.tsx'
import { SiteFooter, SiteHeader } from '../landing/site-header-footer.tsx'
import { FileBar } from './editor/open-and-save-bar.tsx'
import { saveFileDraft, fileName, loadFileDraft, useCheck } from './editor/event-file-draft.ts'
import type { OpenedFile } from './editor/event-file-draft.ts'
import { Editor } from './editor/yaml-editor.tsx'
import type { EditorHandle } from './editor/yaml-editor.tsx'
import { Examples, Findings } from './editor/findings-panel.tsx'
import { PreviewErrorBoundary, StaleNote } from './preview/preview-error-boundary.tsx'
import { PricePreview } from './preview/price-preview.tsx'
import { TabList } from './panel-tabs.tsx'
import type { Tab } from './panel-tabs.tsx'
import { initialDelegate, TestDelegateForm } from './test-delegate/test-delegate.tsx'
import type { TestDelegate } from './test-delegate/test-delegate.tsx'
import '../landing/landing-sections.css'
import './organisers-page.css'
import './preview/preview-panels.css'

const Form = lazy(() => import('./preview/form-preview.tsx'))
const Results = lazy(() => import('./preview/result-page-and-email-preview.tsx'))

type OrganisersData = Extract<PageData, { page: 'organisers' }>
const isSite = (site: unknown): site is Site =>
  typeof site === 'object' && site !== null && 'organisers' in site

/** Target of Create Event: a conference's real file, free to edit, with its preview. */
export default function OrganisersPage({ page }: PageProps) {
  if (page.page !== 'organisers' || !isSite(page.site)) return null
  const texts = page.site.organisers
  return (
    <div className="site">
      <SiteHeader site={page.site} here="/organisers" />
      <main id="main">
        <div className="wrap org-top">
          <h1 className="disp">{texts.title}</h1>
          <p className="lead">{texts.text}</p>
        </div>
        {page.shared !== null && page.sample !== null && (
          <FileWorkspace page={page} shared={page.shared} sample={page.sample} texts={texts} />
        )}
        <div className="wrap">
          <ol className="org-steps">
            {texts.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      </main>
      <SiteFooter site={page.site} here="/organisers" />
    </div>
  )
}

const wideQuery = matchMedia('(min-width: 1024px)')
/** Whether file and preview are side by side; otherwise the file is the first tab. */
const useSideBySide = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      wideQuery.addEventListener('change', changed)
      return () => wideQuery.removeEventListener('change', changed)
    },
    () => wideQuery.matches,
  )

type FileWorkspaceProps = {
  readonly page: OrganisersData
  readonly shared: NonNullable<OrganisersData['shared']>
  readonly sample: NonNullable<OrganisersData['sample']>
  readonly texts: Site['organisers']
}

function FileWorkspace({ page, shared, sample, texts }: FileWorkspaceProps) {
  const [opened, setOpened] = useState<OpenedFile>(() => ({
    ...(loadFileDraft() ?? sample),
    edition: 0,
  }))
  const [text, setText] = useState(opened.text)
  const [pendingFile, setPendingFile] = useState<Omit<OpenedFile, 'edition'> | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const otherRoutes = useMemo(
    () => page.events.flatMap(({ routes }) => [routes.form, ...routes.also]),
    [page.events],
  )
  const checking = useCheck(text, opened.path, shared, otherRoutes)
  const editor = useRef<EditorHandle>(null)
  const inForm = useRef<{ readonly event: EventConfig; readonly trying: TestDelegate } | null>(null)
  const isWide = useSideBySide()
  const [selectedTab, setSelectedTab] = useState<Tab>(isWide ? 'form' : 'file')
  const tab = isWide && selectedTab === 'file' ? 'form' : selectedTab
  const today = useMemo(() => readInstant(page.now), [page.now])
  const [changedDelegate, setChangedDelegate] = useState<TestDelegate | null>(null)
  const { event } = checking
  const testDelegate = useMemo(
    () =>
      changedDelegate ??
      (event === null || today === null ? null : initialDelegate(event, dayOf(today))),
    [changedDelegate, event, today],
  )

  const isEdited = text !== opened.text
  useEffect(
    () => saveFileDraft(text === sample.text ? null : { path: opened.path, text }),
    [text, opened.path, sample.text],
  )

  const open = useCallback((file: Omit<OpenedFile, 'edition'>) => {
    setOpened((old) => ({ ...file, edition: old.edition + 1 }))
    setText(file.text)
    inForm.current = null
    setChangedDelegate(null)
    setPendingFile(null)
    setProblem(null)
  }, [])
  /** Edits are never discarded without confirmation. */
  const requestOpen = (file: Omit<OpenedFile, 'edition'>) =>
    isEdited ? setPendingFile(file) : open(file)
  const fromDisk = async (file: File | undefined) => {
    if (file !== undefined)
      requestOpen({ path: file.name, text: (await file.text()).replaceAll('\r\n', '\n') })
  }
  const fromServer = async (id: string) => {
    const answer = await call(`/api/events/${encodeURIComponent(id)}/file/`, readEventFile)
    if (answer.ok) requestOpen({ path: answer.value.path, text: answer.value.text })
    else setProblem(answer.error.message)
  }
  const goTo = useCallback(
    (line: number, column?: number) => {
      setSelectedTab((old) => (isWide ? old : 'file'))
      // The editor may be about to become visible.
      requestAnimationFrame(() => editor.current?.goTo(line, column))
    },
    [isWide],
  )
  const applyFix = (from: number, to: number, by: string) => editor.current?.replace(from, to, by)

  const file = (
    <Editor
      key={opened.edition}
      ref={editor}
      label={texts.file}
      text={text}
      change={setText}
      findings={checking.checked?.findings ?? []}
      findingsOf={checking.checked?.text ?? null}
    />
  )
  const shown: Readonly<Record<Exclude<Tab, 'file' | 'form'>, ReactNode>> = {
    price: event && testDelegate && (
      <PricePreview
        title={texts.prices}
        event={event}
        trying={testDelegate}
        lines={checking.checked?.lines ?? null}
        goTo={goTo}
      />
    ),
    results: event && testDelegate && <Results event={event} trying={testDelegate} />,
    findings: checking.checked && (
      <Findings
        findings={checking.checked.findings}
        path={opened.path}
        goTo={goTo}
        applyFix={checking.checked.text === text ? applyFix : null}
      />
    ),
    examples: checking.checked && (
      <Examples title={texts.examples} checked={checking.checked} goTo={goTo} />
    ),
  }
  const panel = (of: Tab) => ({
    className: 'org-panel',
    role: 'tabpanel',
    id: `org-panel-${of}`,
    'aria-labelledby': `org-tab-${of}`,
    hidden: of !== tab,
  })
  const theme = event === null ? {} : themeStyle(event)
  const withErrorBoundary = (of: Tab, content: ReactNode) => (
    <PreviewErrorBoundary key={of} resetBy={checking.checked}>
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
  // Answers typed into the form are kept while another tab is open; meanwhile the form need not
  // follow the file.
  if (tab === 'form' && event !== null && testDelegate !== null)
    inForm.current = { event, trying: testDelegate }
  return (
    <div className="org">
      <FileBar
        path={opened.path}
        checking={checking}
        edited={isEdited}
        events={page.events}
        fromDisk={(chosenFile) => void fromDisk(chosenFile)}
        fromServer={(id) => void fromServer(id)}
        save={() =>
          save(new Blob([text], { type: 'text/yaml;charset=utf-8' }), fileName(opened.path))
        }
      />
      {problem !== null && (
        <p className="org-problem" role="alert">
          <Icon name="bang" />
          {problem}
        </p>
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
            tabs={
              isWide
                ? (['form', 'price', 'results', 'findings', 'examples'] as const)
                : (['file', 'form', 'price', 'results', 'findings', 'examples'] as const)
            }
            chosen={tab}
            choose={setSelectedTab}
            findings={checking.checked?.findings.length ?? 0}
            wrong={checking.checked?.findings.some(({ severity }) => severity === 'error') ?? false}
          />
          {!isWide && <div {...panel('file')}>{file}</div>}
          {(tab === 'form' || inForm.current !== null) && (
            <div {...panel('form')} style={theme}>
              {tab === 'form' && <StaleNote checking={checking} />}
              {tab === 'form' && event && testDelegate && (
                <TestDelegateForm
                  event={event}
                  trying={testDelegate}
                  change={setChangedDelegate}
                  answers={false}
                />
              )}
              {withErrorBoundary(
                'form',
                inForm.current && (
                  <Form key={opened.edition} title={texts.form} {...inForm.current} />
                ),
              )}
            </div>
          )}
          {tab !== 'file' && tab !== 'form' && (
            <div {...panel(tab)} style={theme}>
              {(tab === 'price' || tab === 'results' || checking.failed) && (
                <StaleNote checking={checking} />
              )}
              {(tab === 'price' || tab === 'results') && event && testDelegate && (
                <TestDelegateForm
                  event={event}
                  trying={testDelegate}
                  change={setChangedDelegate}
                  answers
                />
              )}
              {withErrorBoundary(tab, shown[tab])}
            </div>
          )}
        </div>
      </div>
      {pendingFile !== null && (
        <Dialog title="Leave your changes?" onClose={() => setPendingFile(null)}>
          <p>
            {fileName(opened.path)} has changes that are not saved on your computer.{' '}
            {fileName(pendingFile.path)} would replace it.
          </p>
          <div className="acts">
            <button type="button" className="btn" onClick={() => setPendingFile(null)}>
              Keep my changes
            </button>
            <button type="button" className="btn line" onClick={() => open(pendingFile)}>
              Open {fileName(pendingFile.path)}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

/**
 * Colours of the event for the preview of its pages; the surrounding page keeps the default ones.
 */
function themeStyle(event: EventConfig): CSSProperties {
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
    // An invalid colour is a finding; the default one replaces it.
    return {}
  }
}
