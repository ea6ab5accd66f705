/** The form for answers that delegates may change themselves; opened by a button. */
import { Fragment, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { formatDay, getOwn, isDay } from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { AnswerField, toApiValue } from '../ui/forms/edit-answer-field.tsx'
import { useHeadingFocus } from './use-heading-focus.ts'
import { useSelfServiceAction } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { ActionResult } from './action-result-message.tsx'

const { cancel, edit: text } = SELF_SERVICE_MESSAGES

type Answers = Readonly<Record<string, unknown>>

export function EditAnswers({ event, data: { edit: editable }, path, reload }: PanelProps) {
  const action = useSelfServiceAction({ path, reload })
  const [answers, setAnswers] = useState<Answers | null>(null)
  const heading = useHeadingFocus(answers === null)
  const { fields, until } = editable
  if (fields.length === 0) return null
  const labels = fields.map(({ label }) => label).join(', ')
  const name = fields.find(({ id }) => id === event.roles.fullName)
  const save = async (submitEvent: SyntheticEvent<HTMLFormElement>) => {
    submitEvent.preventDefault()
    // If the change is rejected, the typed answers stay in the form.
    if (await action.perform({ act: 'edit', answers: answers ?? {} })) setAnswers(null)
  }
  return (
    <section className="self-service-panel" aria-labelledby="my-edit">
      <h2 className="disp" id="my-edit" ref={heading} tabIndex={-1}>
        {text.title}
      </h2>
      <p>
        {until !== null && isDay(until)
          ? formatMessage(text.fieldsUntil, { day: formatDay(until), fields: labels })
          : formatMessage(text.fields, { fields: labels })}
      </p>
      {name !== undefined && <p>{formatMessage(text.otherPerson, { label: name.label })}</p>}
      <ActionResult action={action} />
      {answers === null ? (
        <button type="button" className="btn line" onClick={() => setAnswers({})}>
          {text.open}
        </button>
      ) : (
        <form
          className="answers-form"
          aria-label={text.title}
          noValidate
          onSubmit={(submitEvent) => void save(submitEvent)}
        >
          {fields.map((field) => {
            const error = getOwn(action.errors, field.id)
            const errorId = `my-edit-${field.id}-error`
            return (
              <Fragment key={field.id}>
                <AnswerField
                  field={field}
                  value={Object.hasOwn(answers, field.id) ? answers[field.id] : toApiValue(field)}
                  onChange={(value) => setAnswers({ ...answers, [field.id]: value })}
                  {...(error !== undefined && { describedBy: errorId })}
                />
                {error !== undefined && (
                  <p className="msg" id={errorId}>
                    <Icon name="bang" />
                    {error}
                  </p>
                )}
              </Fragment>
            )
          })}
          <div className="actions">
            <button type="submit" className="btn" aria-disabled={action.isBusy}>
              {text.save}
            </button>
            <button
              type="button"
              className="btn line"
              onClick={() => {
                setAnswers(null)
                action.setProblem(null)
              }}
            >
              {cancel}
            </button>
          </div>
        </form>
      )}
    </section>
  )
}
