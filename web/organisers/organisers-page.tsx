/** The organisers' page: the start choices, then the event file with its preview. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Site } from '../../engine/index.ts'
import type { PageProps } from '../app/page-props.ts'
import { SiteFooter, SiteHeader } from '../landing/site-header-footer.tsx'
import {
  downloadFile,
  getFileName,
  isEditedByHand,
  loadFileDraft,
  saveFileDraft,
} from './editor/event-file-draft.ts'
import type { FileDraft } from './editor/event-file-draft.ts'
import type { CopyReport } from './editor/repeated-notice.tsx'
import { serialiseAnswers, loadAnswers, saveAnswers } from './new-conference/answer-draft.ts'
import { pushHistoryEntry, useHistoryEntry } from './new-conference/question-history.ts'
import { Dialog, FOCUSED_FIRST } from '../ui/dialog.tsx'
import { formatSavedAt } from './stored-draft.ts'
import { StartChoices } from './start-choices.tsx'
import '../landing/landing-sections.css'
import './organisers-page.css'

// Loaded separately, so that the start choices are shown before the editor and the checker load.
const FileWorkspace = lazy(() => import('./editor/file-workspace.tsx'))
const NewConference = lazy(() => import('./new-conference/new-conference.tsx'))

const isSite = (site: unknown): site is Site =>
  typeof site === 'object' && site !== null && 'organisers' in site

/** A pending replacement of a file that has changes. */
type Replacement = {
  readonly oldFile: FileDraft
  /** States which changes would be lost. */
  readonly loss: string
  readonly replace: () => void
  readonly keep: () => void
}

/**
 * Renders the page that the "Create Event" link opens. Reopens the file or the questions that were open in this tab,
 * and offers the draft of a closed tab.
 */
export default function OrganisersPage({ page }: PageProps) {
  const [file, setFile] = useState<FileDraft | null>(() => {
    const stored = loadFileDraft()
    return stored?.isFromThisTab === true ? stored.file : null
  })
  const [storedFile, setStoredFile] = useState(loadFileDraft)
  const [answers, setAnswers] = useState(loadAnswers)
  const [showsQuestions, setShowsQuestions] = useState(
    file === null && answers?.draft.isOpen === true,
  )
  const [isNew, setNew] = useState(false)
  const [replacement, setReplacement] = useState<Replacement | null>(null)
  const [copyReport, setCopyReport] = useState<CopyReport | null>(null)
  const choices = useRef<HTMLHeadingElement>(null)
  const hasReturned = useRef(false)
  useEffect(() => {
    if (file === null && !showsQuestions && hasReturned.current) choices.current?.focus()
  }, [file, showsQuestions])
  const showChoices = () => {
    hasReturned.current = true
    const stored = loadAnswers()
    if (stored !== null) saveAnswers({ ...stored.draft, isOpen: false })
    setFile(null)
    setStoredFile(loadFileDraft())
    setNew(false)
    setCopyReport(null)
    setShowsQuestions(false)
    setAnswers(loadAnswers())
  }
  /** Shows a question. A file that was already created stays in this browser. */
  const showQuestion = (name: string) => {
    const stored = loadAnswers()
    setAnswers(stored === null ? null : { ...stored, draft: { ...stored.draft, at: name } })
    setFile(null)
    setShowsQuestions(true)
  }
  useHistoryEntry((historyEntry) => {
    if (historyEntry?.is === 'question' && loadAnswers() !== null)
      return showQuestion(historyEntry.name)
    const stored = historyEntry?.is === 'file' ? loadFileDraft() : null
    if (stored !== null) return setFile(stored.file)
    if (historyEntry === null) showChoices()
  })
  if (page.page !== 'organisers' || !isSite(page.site)) return null
  const texts = page.site.organisers
  const answersOfFile = file === null ? null : (loadAnswers()?.draft ?? null)
  const leave = () => {
    if (file !== null) saveFileDraft(null)
    showChoices()
  }
  /** Opens a file in place of the stored one. Asks first if the stored file has unsaved changes. */
  const replaceFile = (newName: string, replace: () => void): void => {
    const oldFile = loadFileDraft()?.file
    if (oldFile === undefined || oldFile.isSaved || oldFile.text === oldFile.createdText) replace()
    else
      setReplacement({
        oldFile,
        loss: `${getFileName(oldFile.path)} has changes that are not saved on your computer. It would be replaced by ${newName}.`,
        replace,
        keep: () => {},
      })
  }
  const openInWorkspace = (newFile: FileDraft): void => {
    pushHistoryEntry({ is: 'file' })
    setNew(true)
    setFile(newFile)
  }
  /**
   * Opens the file created from the answers. Asks first if the organiser has edited the previous file, because the new
   * file does not contain these edits.
   */
  const openCreatedFile = (newFile: FileDraft): void => {
    const oldFile = loadFileDraft()?.file
    const storedAnswers = loadAnswers()
    const replace = () =>
      openInWorkspace({
        ...newFile,
        createdText: newFile.text,
        ...(storedAnswers && { createdFrom: serialiseAnswers(storedAnswers.draft) }),
      })
    if (oldFile === undefined || oldFile.text === newFile.text || !isEditedByHand(oldFile))
      return replaceFile('the new file created from your answers', replace)
    setReplacement({
      oldFile,
      loss: `You edited ${getFileName(oldFile.path)} after it was created. Creating it again overwrites your edits.${oldFile.isSaved ? '' : ' They are not saved on your computer.'}`,
      replace,
      keep: () => openInWorkspace(oldFile),
    })
  }
  return (
    <div className="site">
      <SiteHeader site={page.site} currentPath="/organisers" />
      <main id="main">
        <div className="wrap org-top">
          <h1 className="disp">{texts.title}</h1>
          <p className="lead">{texts.text}</p>
        </div>
        {page.shared !== null && file === null && !showsQuestions && (
          <StartChoices
            heading={choices}
            events={page.events}
            answersSavedAt={answers === null ? null : formatSavedAt(answers.savedAt)}
            storedFile={storedFile}
            onCreate={(isContinued) => {
              if (!isContinued) setAnswers(null)
              setShowsQuestions(true)
              const name = (isContinued ? answers?.draft.at : null) ?? 'title'
              pushHistoryEntry({ is: 'question', name, before: null })
            }}
            onOpen={(openedFile) =>
              openedFile.text === storedFile?.file.text
                ? setFile(openedFile)
                : replaceFile(getFileName(openedFile.path), () => setFile(openedFile))
            }
          />
        )}
        {page.shared !== null && file === null && showsQuestions && (
          <Suspense fallback={<Loading />}>
            <NewConference
              page={page}
              shared={page.shared}
              stored={answers?.draft ?? null}
              onFinish={openCreatedFile}
              onLeave={leave}
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
              onChangeAnswers={
                // After a reload, the file is not marked as new, but its answers are still in this browser.
                file.createdText !== undefined && answersOfFile !== null
                  ? () => {
                      pushHistoryEntry({ is: 'question', name: answersOfFile.at, before: null })
                      showQuestion(answersOfFile.at)
                    }
                  : null
              }
              hasChangedAnswers={
                file.createdFrom !== undefined &&
                answersOfFile !== null &&
                file.createdFrom !== serialiseAnswers(answersOfFile)
              }
              copyReport={copyReport}
              onCopy={(newFile, report) => {
                setCopyReport(report)
                setFile(newFile)
              }}
              onLeave={leave}
            />
          </Suspense>
        )}
        {replacement !== null && (
          <ReplaceDialog replacement={replacement} onClose={() => setReplacement(null)} />
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

/** Asks before a file with changes is replaced. */
function ReplaceDialog({
  replacement: { oldFile, loss, replace, keep },
  onClose,
}: {
  readonly replacement: Replacement
  readonly onClose: () => void
}) {
  const closeAnd = (proceed: () => void) => () => {
    onClose()
    proceed()
  }
  return (
    <Dialog title="Replace your file?" onClose={onClose}>
      <p>{loss}</p>
      <div className="actions">
        <button type="button" className="btn" {...FOCUSED_FIRST} onClick={closeAnd(keep)}>
          Keep file
        </button>
        <button type="button" className="btn line" onClick={() => downloadFile(oldFile)}>
          Download file
        </button>
        <button type="button" className="btn line" onClick={closeAnd(replace)}>
          Replace file
        </button>
      </div>
    </Dialog>
  )
}

const Loading = () => (
  <p className="org-wait" role="status">
    <span className="spin" aria-hidden="true" />
    Loading
  </p>
)
