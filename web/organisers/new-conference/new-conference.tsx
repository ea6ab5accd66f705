/** The questions about a new conference, one card at a time, beside the form that they produce. */
import { lazy, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import type { Question } from '../../../engine/authoring.ts'
import type { FileDraft } from '../editor/event-file-draft.ts'
import { useCheck } from '../editor/event-file-draft.ts'
import type { OrganisersData } from '../editor/file-workspace.tsx'
import { PreviewErrorBoundary } from '../preview/preview-error-boundary.tsx'
import { initialDelegate } from '../test-delegate/test-delegate.tsx'
import { saveAnswers } from './answer-draft.ts'
import type { AnswerDraft } from './answer-draft.ts'
import { EMPTY_DRAFT, isFeeQuestion, readDraft, toDay, writeFile } from './answers.ts'
import { AnswerField } from './answer-field.tsx'
import { FeeGrid } from './fee-grid.tsx'
import { PasteTable } from './paste-table.tsx'
import '../preview/preview-panels.css'
import './new-conference.css'

const Form = lazy(() => import('../preview/form-preview.tsx'))

type NewConferenceProps = {
  readonly page: OrganisersData
  readonly shared: NonNullable<OrganisersData['shared']>
  readonly stored: AnswerDraft | null
  /** Opens the finished file. */
  readonly finish: (file: FileDraft) => void
  /** Returns to the choices of the page; the answers are kept. */
  readonly leave: () => void
}

export default function NewConference({ page, shared, stored, finish, leave }: NewConferenceProps) {
  const [draft, setDraft] = useState<AnswerDraft>({ ...(stored ?? EMPTY_DRAFT), isOpen: true })
  const [isChecked, setChecked] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const card = useRef<HTMLFormElement>(null)
  const errorId = useId()
  const today = toDay(page.now)
  const { answers, steps } = useMemo(() => readDraft(draft, today), [draft, today])
  const found = steps.findIndex(({ question }) => question.name === draft.at)
  const at = found === -1 ? 0 : found
  const step = steps[at]
  useEffect(() => saveAnswers(draft), [draft])
  // One question, one field: the heading is its label. The fee table begins with its heading.
  useEffect(() => {
    const field = card.current?.querySelector<HTMLElement>(
      '.org-answer :is(input[type="text"], input[type="email"], textarea)',
    )
    ;(field ?? heading.current)?.focus()
  }, [draft.at])

  const used = useMemo(
    () => ({ ids: page.events.map(({ id }) => id), prefixes: page.prefixes }),
    [page.events, page.prefixes],
  )
  const file = useMemo(() => writeFile(answers, used, today), [answers, used, today])
  const otherRoutes = useMemo(
    () => page.events.flatMap(({ routes }) => [routes.form, ...routes.also]),
    [page.events],
  )
  const { event } = useCheck(file.text, file.path, shared, otherRoutes)
  const delegate = useMemo(
    () => (event === null ? null : initialDelegate(event, today)),
    [event, today],
  )
  if (step === undefined) return null
  const { question, sentence, before, problem } = step
  const goTo = (name: Question['name']) => {
    setChecked(false)
    setDraft((old) => ({ ...old, at: name }))
  }
  const isLast = at === steps.length - 1
  const proceed = (submitEvent: FormEvent) => {
    submitEvent.preventDefault()
    if (problem !== null) {
      setChecked(true)
      // After the errors are shown.
      requestAnimationFrame(() =>
        card.current
          ?.querySelector<HTMLElement>('[aria-invalid="true"], .org-notes button')
          ?.focus(),
      )
      return
    }
    const next = steps[at + 1]
    if (next !== undefined) return goTo(next.question.name)
    const unread = steps.find((other) => other.problem !== null)
    if (unread !== undefined) {
      goTo(unread.question.name)
      setChecked(true)
      return
    }
    saveAnswers({ ...draft, isOpen: false })
    finish({ ...file, isSaved: false })
  }
  const goBack = () => {
    const previous = steps[at - 1]
    if (previous !== undefined) return goTo(previous.question.name)
    saveAnswers({ ...draft, isOpen: false })
    leave()
  }
  const setText = (name: Question['name'], text: string) =>
    setDraft((old) => ({ ...old, texts: { ...old.texts, [name]: text } }))
  const shownProblem = isChecked ? problem : null
  return (
    <div className="org org-new">
      <form className="org-card" ref={card} noValidate onSubmit={proceed}>
        <p className="org-progress">
          Question {at + 1} of {steps.length}
        </p>
        <h2 className="disp" tabIndex={-1} ref={heading} id={`${errorId}-question`}>
          {sentence}
        </h2>
        {isFeeQuestion(question, before) ? (
          <>
            <PasteTable
              before={before}
              today={today}
              paste={({ tax, companions, ...fees }) => {
                setChecked(true)
                setDraft((old) => ({
                  ...old,
                  fees,
                  texts: {
                    ...old.texts,
                    ...(tax === null ? {} : { gst: tax }),
                    ...(companions === null ? {} : { companions }),
                  },
                }))
              }}
            />
            <FeeGrid
              fees={draft.fees}
              problems={Array.isArray(shownProblem) ? shownProblem : []}
              change={(fees) => setDraft((old) => ({ ...old, fees }))}
            />
          </>
        ) : (
          <AnswerField
            key={question.name}
            question={question}
            before={before}
            labelledBy={`${errorId}-question`}
            value={draft.texts[question.name] ?? ''}
            problem={typeof shownProblem === 'string' ? shownProblem : null}
            change={(text) => setText(question.name, text)}
          />
        )}
        <div className="org-card-acts">
          <button type="button" className="btn line" onClick={goBack}>
            Back
          </button>
          <button type="submit" className="btn">
            {isLast ? 'Create the event file' : 'Continue'}
          </button>
        </div>
      </form>
      <section className="org-grows" aria-label="Preview of the form">
        <PreviewErrorBoundary resetBy={event}>
          <Suspense fallback={null}>
            {event !== null && delegate !== null && (
              <Form title="Preview of the form" event={event} trying={delegate} />
            )}
          </Suspense>
        </PreviewErrorBoundary>
      </section>
    </div>
  )
}
