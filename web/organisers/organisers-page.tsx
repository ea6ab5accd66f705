/** The organisers' page: a choice how to begin, then the event file with its preview. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Site } from '../../engine/index.ts'
import type { PageProps } from '../app/page-props.ts'
import { SiteFooter, SiteHeader } from '../landing/site-header-footer.tsx'
import { loadFileDraft, saveFileDraft } from './editor/event-file-draft.ts'
import type { FileDraft } from './editor/event-file-draft.ts'
import { loadAnswers } from './new-conference/answer-draft.ts'
import { formatSavedAt } from './kept-draft.ts'
import { StartChoices } from './start-choices.tsx'
import '../landing/landing-sections.css'
import './organisers-page.css'

// The choices do not wait for the editor and the checker.
const FileWorkspace = lazy(() => import('./editor/file-workspace.tsx'))
const NewConference = lazy(() => import('./new-conference/new-conference.tsx'))

const isSite = (site: unknown): site is Site =>
  typeof site === 'object' && site !== null && 'organisers' in site

/** Target of Create Event. What was open in this tab before, a file or the questions, is opened again; a draft of a closed tab is offered. */
export default function OrganisersPage({ page }: PageProps) {
  const [file, setFile] = useState<FileDraft | null>(() => {
    const kept = loadFileDraft()
    return kept?.isOfTab === true ? kept.file : null
  })
  const [keptFile, setKeptFile] = useState(loadFileDraft)
  const [answers, setAnswers] = useState(loadAnswers)
  const [isAsking, setAsking] = useState(file === null && answers?.draft.isOpen === true)
  const [isNew, setNew] = useState(false)
  const choices = useRef<HTMLHeadingElement>(null)
  const hasLeft = useRef(false)
  useEffect(() => {
    if (file === null && !isAsking && hasLeft.current) choices.current?.focus()
  }, [file, isAsking])
  if (page.page !== 'organisers' || !isSite(page.site)) return null
  const texts = page.site.organisers
  const leave = () => {
    hasLeft.current = true
    if (file !== null) saveFileDraft(null)
    setFile(null)
    setKeptFile(loadFileDraft())
    setNew(false)
    setAsking(false)
    setAnswers(loadAnswers())
  }
  return (
    <div className="site">
      <SiteHeader site={page.site} here="/organisers" />
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
            }}
            open={setFile}
          />
        )}
        {page.shared !== null && file === null && isAsking && (
          <Suspense fallback={<Loading />}>
            <NewConference
              page={page}
              shared={page.shared}
              stored={answers?.draft ?? null}
              finish={(created) => {
                setNew(true)
                setFile(created)
              }}
              leave={leave}
            />
          </Suspense>
        )}
        {page.shared !== null && file !== null && (
          <Suspense fallback={<Loading />}>
            <FileWorkspace
              page={page}
              shared={page.shared}
              opened={file}
              texts={texts}
              isNew={isNew}
              leave={leave}
            />
          </Suspense>
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

const Loading = () => (
  <p className="org-wait" role="status">
    <span className="spin" aria-hidden="true" />
    Loading
  </p>
)
