/** The questions about a new conference, one card at a time, beside the form that they produce. */
import { Fragment, lazy, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { readItemRow } from '../../../engine/authoring.ts'
import type { Question } from '../../../engine/authoring.ts'
import type { FileDraft } from '../editor/event-file-draft.ts'
import { useCheck } from '../editor/event-file-draft.ts'
import type { OrganisersData } from '../editor/file-workspace.tsx'
import { useLastCorrectFile } from '../preview/last-correct-file.ts'
import { PreviewErrorBoundary, TableMistakeNote } from '../preview/preview-error-boundary.tsx'
import { createInitialDelegate } from '../test-delegate/test-delegate.tsx'
import { saveAnswers } from './answer-draft.ts'
import type { AnswerDraft, AnswerTexts } from './answer-draft.ts'
import {
  addItemRows,
  EMPTY_DRAFT,
  EMPTY_ITEM,
  findItemKind,
  groupSteps,
  hasDifferentSize,
  isFeeQuestion,
  isSmaller,
  readDraft,
  readPastedFees,
  removePeriod,
  toDay,
  generateEventFile,
} from './answers.ts'
import { AnswerField } from './answer-field.tsx'
import { DetailFields } from './detail-fields.tsx'
import { FeeGrid } from './fee-grid.tsx'
import { ItemGrid } from './item-grid.tsx'
import { NOTHING_PASTED, PasteTable, readPasted, readPastedItems } from './paste-table.tsx'
import type { PastedText } from './paste-table.tsx'
import {
  goBackInHistory,
  pushHistoryEntry,
  readHistoryEntry,
  useHistoryEntry,
} from './question-history.ts'
import '../preview/preview-panels.css'
import './new-conference.css'

const Form = lazy(() => import('../preview/form-preview.tsx'))

type NewConferenceProps = {
  readonly page: OrganisersData
  readonly shared: NonNullable<OrganisersData['shared']>
  readonly stored: AnswerDraft | null
  /** Opens the finished file. */
  readonly onFinish: (file: FileDraft) => void
  /** Returns to the choices of the page; the answers are kept. */
  readonly onLeave: () => void
}

export default function NewConference({
  page,
  shared,
  stored,
  onFinish,
  onLeave,
}: NewConferenceProps) {
  const [draft, setDraft] = useState<AnswerDraft>(() => {
    const initialDraft = { ...(stored ?? EMPTY_DRAFT), isOpen: true }
    // The user may have moved in the history while the page was loading.
    const historyEntry = readHistoryEntry()
    return historyEntry?.is === 'question'
      ? { ...initialDraft, at: historyEntry.name }
      : initialDraft
  })
  const [isChecked, setChecked] = useState(false)
  const [pastes, setPastes] = useState<Readonly<Partial<Record<Question['name'], PastedText>>>>({})
  const [undoTexts, setUndoTexts] = useState<AnswerTexts | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const card = useRef<HTMLFormElement>(null)
  const errorId = useId()
  const today = toDay(page.now)
  const { answers, steps } = useMemo(() => readDraft(draft, today), [draft, today])
  const cards = useMemo(() => groupSteps(steps), [steps])
  const foundIndex = cards.findIndex((card) =>
    card.steps.some(({ question }) => question.name === draft.at),
  )
  const cardIndex = foundIndex === -1 ? 0 : foundIndex
  const currentCard = cards[cardIndex]
  useEffect(() => saveAnswers(draft), [draft])
  useHistoryEntry((historyEntry) => {
    if (historyEntry?.is !== 'question') return
    setChecked(false)
    setUndoTexts(null)
    setDraft((old) => ({ ...old, at: historyEntry.name }))
  })
  // Moves the focus to the only field of a question, which its heading labels; for a table, to the heading.
  useEffect(() => {
    const field = card.current?.querySelector<HTMLElement>(
      '.org-card > .org-answer :is(input[type="text"], input[type="email"], textarea)',
    )
    ;(field ?? heading.current)?.focus()
  }, [draft.at])

  const usedNames = useMemo(
    () => ({ ids: page.events.map(({ id }) => id), prefixes: page.prefixes }),
    [page.events, page.prefixes],
  )
  const file = useMemo(
    () => generateEventFile(answers, usedNames, today),
    [answers, usedNames, today],
  )
  const otherRoutes = useMemo(
    () => page.events.flatMap(({ routes }) => [routes.form, ...routes.also]),
    [page.events],
  )
  const shownFile = useLastCorrectFile(file, answers, steps)
  const { event } = useCheck((shownFile ?? file).text, file.path, shared, otherRoutes)
  const delegate = useMemo(
    () => (event === null ? null : createInitialDelegate(event, today)),
    [event, today],
  )
  if (currentCard === undefined) return null
  const [{ question, sentence, earlierAnswers }] = currentCard.steps
  const problem = currentCard.steps.find((step) => step.problem !== null)?.problem ?? null
  const itemKind = findItemKind(question, earlierAnswers)
  const hasTable = itemKind !== null || isFeeQuestion(question, earlierAnswers)
  const pasted = pastes[question.name] ?? NOTHING_PASTED
  const setPasted = (text: PastedText) =>
    setPastes((others) => ({ ...others, [question.name]: text }))
  const goTo = (name: Question['name']) => {
    setChecked(false)
    setUndoTexts(null)
    pushHistoryEntry({ is: 'question', name, before: question.name })
    setDraft((old) => ({ ...old, at: name }))
  }
  const isLast = cardIndex === cards.length - 1
  const readTable = (text: string): void => {
    if (itemKind !== null) {
      const read = readPastedItems(text, earlierAnswers, today)
      setPasted(read.pasted)
      if (read.table === null) return
      setChecked(true)
      return changeTables({ [itemKind]: read.table }, true)
    }
    const read = readPasted(text, earlierAnswers, today)
    setPasted(read.pasted)
    if (read.table === null) return
    setChecked(true)
    changeTables(readPastedFees(draft, read.table, earlierAnswers, today), true)
  }
  /** Changes tables. If a table is replaced or becomes smaller, the change can be undone, and so can the undo. */
  const changeTables = (changedTexts: Partial<AnswerTexts>, isReplaced = false): void => {
    const { fees, workshops, companions, texts } = draft
    const previousTexts = { fees, workshops, companions, texts }
    const isUndoable = (['fees', 'workshops', 'companions'] as const).some((name) => {
      const table = changedTexts[name]
      const isTyped = previousTexts[name].rows.some(({ label, cells }) =>
        [label, ...cells].some((cell) => cell !== ''),
      )
      return table !== undefined && isTyped && (isReplaced || isSmaller(table, previousTexts[name]))
    })
    if (isUndoable) setUndoTexts(previousTexts)
    // The message about the paste counts its rows and columns.
    const changesSize = (['fees', 'workshops', 'companions'] as const).some((name) => {
      const table = changedTexts[name]
      return table !== undefined && hasDifferentSize(table, previousTexts[name])
    })
    if (!isReplaced && changesSize) setPasted({ ...pasted, message: '' })
    setDraft((current) => ({ ...current, ...changedTexts }))
  }
  const proceed = (submitEvent: FormEvent) => {
    submitEvent.preventDefault()
    // Pasted text is read first, so that the organiser can compare the table before the next question.
    if (hasTable && pasted.unreadText.trim() !== '') return readTable(pasted.unreadText)
    if (problem !== null) {
      setChecked(true)
      // Waits until the errors are shown.
      requestAnimationFrame(() =>
        card.current
          ?.querySelector<HTMLElement>(
            '[aria-invalid="true"]:not([role]), [aria-invalid="true"] :checked, .org-notes button',
          )
          ?.focus(),
      )
      return
    }
    const next = cards[cardIndex + 1]
    if (next !== undefined) return goTo(next.name)
    const cardWithProblem = cards.find((other) => other.steps.some((step) => step.problem !== null))
    if (cardWithProblem !== undefined) {
      goTo(cardWithProblem.name)
      setChecked(true)
      return
    }
    saveAnswers({ ...draft, isOpen: false })
    onFinish({ ...file, isSaved: false })
  }
  const goBack = () => {
    const previous = cards[cardIndex - 1]
    if (previous !== undefined && goBackInHistory(previous.name)) return
    if (previous !== undefined) return goTo(previous.name)
    saveAnswers({ ...draft, isOpen: false })
    onLeave()
  }
  const setText = (name: Question['name'], text: string) =>
    setDraft((old) => ({ ...old, texts: { ...old.texts, [name]: text } }))
  const shownProblem = isChecked ? problem : null
  const tableProblems =
    shownProblem === null || typeof shownProblem === 'string' ? [] : shownProblem
  return (
    <div className={hasTable ? 'org org-new org-new-table' : 'org org-new'}>
      <form className="org-card" ref={card} noValidate onSubmit={proceed}>
        <p className="org-progress">
          Question {cardIndex + 1} of {cards.length} at most
        </p>
        <h2 className="disp" tabIndex={-1} ref={heading} id={`${errorId}-question`}>
          {currentCard.isDetails ? 'More details, if you know them' : sentence}
        </h2>
        {currentCard.isDetails ? (
          <DetailFields
            steps={currentCard.steps}
            today={today}
            texts={draft.texts}
            isChecked={isChecked}
            onChange={setText}
          />
        ) : hasTable ? (
          <Fragment key={question.name}>
            <PasteTable
              pasted={pasted}
              onChange={setPasted}
              read={readTable}
              onUndo={
                undoTexts === null
                  ? null
                  : () => {
                      const { fees, workshops, companions, texts } = draft
                      setDraft((old) => ({ ...old, ...undoTexts }))
                      setUndoTexts({ fees, workshops, companions, texts })
                      setPasted(NOTHING_PASTED)
                    }
              }
            />
            {itemKind !== null ? (
              <ItemGrid
                kind={itemKind}
                table={draft[itemKind]}
                earlierAnswers={earlierAnswers}
                problems={tableProblems}
                onChange={(table) => changeTables({ [itemKind]: table })}
              />
            ) : (
              <FeeGrid
                fees={draft.fees}
                problems={tableProblems}
                onChange={(fees, removedColumn) =>
                  changeTables({
                    fees,
                    ...(removedColumn === undefined
                      ? {}
                      : {
                          workshops: removePeriod(draft.workshops, removedColumn),
                          companions: removePeriod(draft.companions, removedColumn),
                        }),
                  })
                }
                onMoveRow={(row, meaning, fees) => {
                  const kind = meaning === 'workshop' ? 'workshops' : 'companions'
                  const categories = fees.rows.map(({ label }) => label.trim())
                  const rows =
                    meaning === 'workshop'
                      ? readItemRow(row, categories)
                      : [{ ...EMPTY_ITEM, ...row }]
                  changeTables({ fees, [kind]: addItemRows(draft[kind], rows) })
                }}
              />
            )}
          </Fragment>
        ) : (
          <AnswerField
            key={question.name}
            question={question}
            earlierAnswers={earlierAnswers}
            labelledBy={`${errorId}-question`}
            value={draft.texts[question.name] ?? ''}
            problem={typeof shownProblem === 'string' ? shownProblem : null}
            onChange={(text) => setText(question.name, text)}
          />
        )}
        <div className="org-card-actions">
          <button type="button" className="btn line" onClick={goBack}>
            Back
          </button>
          <button type="submit" className="btn">
            {isLast ? 'Create the event file' : 'Continue'}
          </button>
        </div>
      </form>
      <section className="org-grows" aria-label="Preview of the form">
        {shownFile !== file && <TableMistakeNote isShown={shownFile !== null} />}
        <PreviewErrorBoundary resetKey={event}>
          <Suspense fallback={null}>
            {shownFile !== null && event !== null && delegate !== null && (
              <Form title="Preview of the form" event={event} testDelegate={delegate} />
            )}
          </Suspense>
        </PreviewErrorBoundary>
      </section>
    </div>
  )
}
