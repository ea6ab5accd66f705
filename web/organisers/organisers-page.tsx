/** The organisers' page: the start choices, then the event file with its preview. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Site } from '../../engine/index.ts'
import type { PageProps } from '../app/page-props.ts'
import { SiteFooter, SiteHeader } from '../landing/site-header-footer.tsx'
import { getFileName, loadFileDraft, saveFileDraft } from './editor/event-file-draft.ts'
import type { FileDraft } from './editor/event-file-draft.ts'
import type { CopyReport } from './editor/repeated-notice.tsx'
import { loadAnswers, saveAnswers } from './new-conference/answer-draft.ts'
import { openInHistory, useHistoryPlace } from './new-conference/question-history.ts'
import { Dialog, FOCUSED_FIRST } from '../ui/dialog.tsx'
import { formatSavedAt } from './kept-draft.ts'
import { StartChoices } from './start-choices.tsx'
import '../landing/landing-sections.css'
import './organisers-page.css'

// Loaded separately, so that the start choices are shown before the editor and the checker load.
const FileWorkspace = lazy(() => import('./editor/file-workspace.tsx'))
const NewConference = lazy(() => import('./new-conference/new-conference.tsx'))

const isSite = (site: unknown): site is Site =>
  typeof site === 'object' && site !== null && 'organisers' in site

/** A pending replacement of a file that has unsaved changes. */
type Replacement = { readonly oldName: string; readonly newName: string; readonly open: () => void }

/**
 * Opened by the "Create Event" link. Reopens the file or the questions that were open in this tab, and offers the
 * draft of a closed tab.
 */
export default function OrganisersPage({ page }: PageProps) {
  const [file, setFile] = useState<FileDraft | null>(() => {
    const stored = loadFileDraft()
    return stored?.isOfTab === true ? stored.file : null
  })
  const [keptFile, setKeptFile] = useState(loadFileDraft)
  const [answers, setAnswers] = useState(loadAnswers)
  const [isAsking, setAsking] = useState(file === null && answers?.draft.isOpen === true)
  const [isNew, setNew] = useState(false)
  const [replacement, setReplacement] = useState<Replacement | null>(null)
  const [copyReport, setCopyReport] = useState<CopyReport | null>(null)
  const created = useRef<string | null>(null)
  const choices = useRef<HTMLHeadingElement>(null)
  const hasLeft = useRef(false)
  useEffect(() => {
    if (file === null && !isAsking && hasLeft.current) choices.current?.focus()
  }, [file, isAsking])
  const showChoices = () => {
    hasLeft.current = true
    const stored = loadAnswers()
    if (stored !== null) saveAnswers({ ...stored.draft, isOpen: false })
    setFile(null)
    setKeptFile(loadFileDraft())
    setNew(false)
    setCopyReport(null)
    setAsking(false)
    setAnswers(loadAnswers())
  }
  /** Shows a question. A file that was already created stays in this browser. */
  const showQuestion = (name: string) => {
    const stored = loadAnswers()
    setAnswers(stored === null ? null : { ...stored, draft: { ...stored.draft, at: name } })
    setFile(null)
    setAsking(true)
  }
  useHistoryPlace((place) => {
    if (place?.is === 'question' && loadAnswers() !== null) return showQuestion(place.name)
    const stored = place?.is === 'file' ? loadFileDraft() : null
    if (stored !== null) return setFile(stored.file)
    if (place === null) showChoices()
  })
  if (page.page !== 'organisers' || !isSite(page.site)) return null
  const texts = page.site.organisers
  const answersOfFile = file === null ? null : (loadAnswers()?.draft ?? null)
  const leave = () => {
    if (file !== null) saveFileDraft(null)
    showChoices()
  }
  /** Opens a file in place of the stored one. Asks first if the stored file has unsaved changes. */
  const replaceFile = (name: string, openFile: () => void): void => {
    const stored = loadFileDraft()?.file
    if (stored === undefined || stored.isSaved || stored.text === created.current) openFile()
    else setReplacement({ oldName: getFileName(stored.path), newName: name, open: openFile })
  }
  return (
    <div className="site">
      <SiteHeader site={page.site} currentPath="/organisers" />
      <main id="main">
        <div className="wrap org-top">
          <h1 className="disp">{texts.title}</h1>
          <p className="lead">{texts.text}</p>
        </div>
        {page.shared !== null && file === null && !isAsking && (
          <StartChoices
            heading={choices}
            events={page.events}
            answersSavedAt={answers === null ? null : formatSavedAt(answers.savedAt)}
            keptFile={keptFile}
            create={(isContinued) => {
              if (!isContinued) setAnswers(null)
              setAsking(true)
              const name = (isContinued ? answers?.draft.at : null) ?? 'title'
              openInHistory({ is: 'question', name, before: null })
            }}
            open={(openedFile) =>
              openedFile.text === keptFile?.file.text
                ? setFile(openedFile)
                : replaceFile(getFileName(openedFile.path), () => setFile(openedFile))
            }
          />
        )}
        {page.shared !== null && file === null && isAsking && (
          <Suspense fallback={<Loading />}>
            <NewConference
              page={page}
              shared={page.shared}
              stored={answers?.draft ?? null}
              finish={(newFile) =>
                replaceFile('the new file created from your answers', () => {
                  created.current = newFile.text
                  openInHistory({ is: 'file' })
                  setNew(true)
                  setFile(newFile)
                })
              }
              leave={leave}
            />
          </Suspense>
        )}
        {page.shared !== null && file !== null && (
          <Suspense fallback={<Loading />}>
            <FileWorkspace
              key={file.path}
              page={page}
              shared={page.shared}
              openedFile={file}
              texts={texts}
              isNew={isNew}
              changeAnswers={
                isNew && answersOfFile !== null
                  ? () => {
                      openInHistory({ is: 'question', name: answersOfFile.at, before: null })
                      showQuestion(answersOfFile.at)
                    }
                  : null
              }
              copyReport={copyReport}
              onCopy={(newFile, report) => {
                setCopyReport(report)
                setFile(newFile)
              }}
              leave={leave}
            />
          </Suspense>
        )}
        {replacement !== null && (
          <Dialog title="Replace your file?" onClose={() => setReplacement(null)}>
            <p>
              {replacement.oldName} has changes that are not saved on your computer. It would be
              replaced by {replacement.newName}.
            </p>
            <div className="acts">
              <button
                type="button"
                className="btn"
                {...FOCUSED_FIRST}
                onClick={() => setReplacement(null)}
              >
                Keep it
              </button>
              <button
                type="button"
                className="btn line"
                onClick={() => {
                  setReplacement(null)
                  replacement.open()
                }}
              >
                Replace it
              </button>
            </div>
          </Dialog>
        )}
        <div className="wrap">
          <ol className="org-steps">
            {texts.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      </main>
      <SiteFooter site={page.site} currentPath="/organisers" />
    </div>
  )
}

const Loading = () => (
  <p className="org-wait" role="status">
    <span className="spin" aria-hidden="true" />
    Loading
  </p>
)
