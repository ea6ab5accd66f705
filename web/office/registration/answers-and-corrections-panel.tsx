/** The person and the answers of a registration. Each answer can be corrected in its row. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { OfficeRegistrationResponse, WireEditableField } from '../../../engine/api.ts'
import type { Currency } from '../../../engine/index.ts'
import { createIdempotencyKey } from '../../app/api-client.ts'
import { readStringRecord } from '../../app/json-readers.ts'
import { BreakableText } from '../../ui/details-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { AnswerField, toApiValue } from '../../ui/forms/edit-answer-field.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { callApi, isApiError } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { ActionOutcome, readOutcome, type Outcome } from '../ui/action-outcome.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatResponseMoney } from '../ui/format-amount.ts'
import { useToast } from '../ui/toast.tsx'
import { buildActionsUrl } from './actions/use-actions.ts'

type Answer = OfficeRegistrationResponse['answers'][number]
type AnswersPanelProps = {
  readonly regNo: string
  readonly answers: readonly Answer[]
  /** The answers that the user can correct. */
  readonly fields: readonly WireEditableField[]
  readonly currency: Currency
  /** Called when an answer was corrected, or when someone else has changed it. */
  readonly onChange: () => void
}

export function AnswersPanel({ regNo, answers, fields, currency, onChange }: AnswersPanelProps) {
  const [editedId, setEditedId] = useState<string | null>(null)
  const [viewedAnswer, setViewedAnswer] = useState<Answer | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const panel = useRef<HTMLElement>(null)
  const showToast = useToast()
  const currentFields = useRef(fields)
  useEffect(() => {
    currentFields.current = fields
  }, [fields])
  /** Undoes the correction of an answer, unless another user has changed it since. */
  const undo = useMutation({
    mutationFn: (before: WireEditableField) => {
      const currentAnswer = currentFields.current.find(({ id }) => id === before.id) ?? before
      return callApi(buildActionsUrl(regNo), readOutcome, {
        method: 'POST',
        json: {
          act: 'correct',
          why: 'Undone',
          answers: { [before.id]: toApiValue(before) },
          seen: { [before.id]: currentAnswer.value },
          key: createIdempotencyKey(),
        },
      })
    },
    onSuccess: () => {
      showToast('Correction undone.')
      onChange()
    },
    onError: (failure) => showToast(failure.message, { tone: 'bad' }),
  })
  /** The answer whose form was closed: its button receives focus as soon as it is rendered again. */
  const closedId = useRef<string | null>(null)
  const close = (id: string): void => {
    closedId.current = id
    setEditedId(null)
  }
  useEffect(() => {
    if (editedId !== null || closedId.current === null) return
    const id = CSS.escape(closedId.current)
    panel.current?.querySelector<HTMLElement>(`[data-edits="${id}"]`)?.focus()
    closedId.current = null
  }, [editedId])
  return (
    <section className="panel" id="answers" aria-labelledby="reg-answers" ref={panel}>
      <h2 id="reg-answers">Delegate and answers</h2>
      <ActionOutcome outcome={outcome} />
      <dl className="details">
        {answers.map((answer) => {
          const field = fields.find(({ id }) => id === answer.id)
          return answer.id === editedId && field !== undefined ? (
            <div key={answer.id} className="editing">
              <dt className="vh">{answer.label}</dt>
              <dd>
                <EditAnswer
                  regNo={regNo}
                  field={field}
                  currency={currency}
                  onSaved={(result, hasPriceChanged) => {
                    if (hasPriceChanged) {
                      setEditedId(null)
                      setOutcome(result)
                    } else {
                      close(answer.id)
                      showToast(result.message, { onUndo: () => undo.mutate(field) })
                    }
                    onChange()
                  }}
                  onStale={onChange}
                  onCancel={() => close(answer.id)}
                />
              </dd>
            </div>
          ) : (
            <div key={answer.id}>
              <dt>{answer.label}</dt>
              <dd>
                <span>
                  <AnswerValue answer={answer} onView={() => setViewedAnswer(answer)} />
                </span>
                {field !== undefined && (
                  <button
                    type="button"
                    className="plain-button pencil"
                    data-edits={answer.id}
                    aria-label={`Edit ${answer.label}`}
                    onClick={() => {
                      setOutcome(null)
                      setEditedId(answer.id)
                    }}
                  >
                    <Icon name="pencil" small />
                  </button>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
      {viewedAnswer?.href !== undefined && (
        <Dialog title={viewedAnswer.label} onClose={() => setViewedAnswer(null)}>
          <img className="document" src={viewedAnswer.href} alt={viewedAnswer.text} />
          <div className="actions">
            <button type="button" className="btn line" onClick={() => setViewedAnswer(null)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

/** Images that every browser shows; other documents are downloaded. */
const VIEWABLE_IMAGE = /\.(?:png|jpe?g|webp)$/i

function AnswerValue({
  answer: { text, href },
  onView,
}: {
  readonly answer: Answer
  readonly onView: () => void
}) {
  if (href === undefined) return <BreakableText text={text} />
  return (
    <>
      <a href={href} download>
        <Icon name="file" small /> {text}
      </a>{' '}
      {VIEWABLE_IMAGE.test(text) && (
        <button type="button" className="btn quiet sm" onClick={onView}>
          View<span className="vh"> {text}</span>
        </button>
      )}
    </>
  )
}

type EditAnswerProps = {
  readonly regNo: string
  readonly field: WireEditableField
  readonly currency: Currency
  /** A correction that changes the price may have sent an email. */
  readonly onSaved: (outcome: Outcome, hasPriceChanged: boolean) => void
  /** Called when someone else has changed the answer since the user saw it. */
  readonly onStale: () => void
  readonly onCancel: () => void
}

/**
 * Shows the form in an answer's row. Shows a new price before saving anything. Does not overwrite an answer that
 * someone else has changed in the meantime.
 */
function EditAnswer({ regNo, field, currency, onSaved, onStale, onCancel }: EditAnswerProps) {
  // The answer that the user saw when the form opened. Null after a refusal, which shows the user the current answer.
  const [seenAnswer, setSeenAnswer] = useState<WireEditableField | null>(field)
  const [value, setValue] = useState(() => toApiValue(field))
  const idempotencyKey = useRef(createIdempotencyKey())
  const mutation = useMutation({
    mutationFn: ({ reason, total }: { reason: string; total: number | null }) =>
      callApi(buildActionsUrl(regNo), readOutcome, {
        method: 'POST',
        json: {
          act: 'correct',
          why: reason,
          answers: { [field.id]: value },
          seen: { [field.id]: (seenAnswer ?? field).value },
          key: idempotencyKey.current,
          ...(total !== null && { total }),
        },
      }),
    onSuccess: (result, { total }) => onSaved(result, total !== null),
    onError: (failure) => {
      if (!isApiError(failure) || failure.code !== 'moved_on') return
      setSeenAnswer(null)
      onStale()
    },
  })
  const error = useSignInOn401(mutation.error)
  const newTotal =
    error?.code === 'price_changes' ? (error.errorResponse?.quote?.total ?? null) : null
  const fieldError = readStringRecord(error?.errorResponse?.errors)?.[field.id]
  const errorId = `edit-${field.id}-error`
  return (
    <form
      className="inline-form"
      aria-label={`Edit ${field.label}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
      ref={focusFirstField}
      onSubmit={(event) => {
        event.preventDefault()
        const reason = String(new FormData(event.currentTarget).get('why') ?? '').trim()
        mutation.mutate({ reason, total: newTotal })
      }}
    >
      {fieldError !== undefined && (
        <p className="field-error" id={errorId} role="alert">
          <Icon name="bang" small />
          {fieldError}
        </p>
      )}
      <AnswerField
        field={field}
        value={value}
        onChange={(next) => {
          setValue(next)
          // The displayed price belongs to the previous answer.
          if (mutation.error !== null) mutation.reset()
        }}
        {...(fieldError !== undefined && { describedBy: errorId })}
      />
      <label>
        Reason
        <input name="why" required maxLength={500} autoComplete="off" />
      </label>
      {error && newTotal === null && fieldError === undefined && <Banner text={error.message} />}
      {error && newTotal !== null && (
        <p className="care" role="alert">
          <Icon name="info" small />
          {error.message}
        </p>
      )}
      <div className="actions">
        <button type="submit" className="btn sm" disabled={mutation.isPending}>
          {newTotal === null
            ? 'Save'
            : `Save with the new price ${formatResponseMoney(newTotal, currency)}`}
        </button>
        <button type="button" className="btn line sm" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** Puts the focus in the field when the form appears. */
function focusFirstField(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('input, select, textarea')?.focus()
}
