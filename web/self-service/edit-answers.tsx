/** The form for answers that delegates may change themselves; opens on demand. */
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { formatDay, isDay } from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { AnswerField, valueOf } from '../ui/forms/edit-answer-field.tsx'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

const { cancel, edit: text } = SELF_SERVICE_MESSAGES

type Answers = Readonly<Record<string, unknown>>

export function Edit({ mine: { edit }, path, again }: PanelProps) {
  const acting = useActing({ path, again })
  const [answers, setAnswers] = useState<Answers | null>(null)
  const { fields, until } = edit
  if (fields.length === 0) return null
  const labels = fields.map(({ label }) => label).join(', ')
  const save = async (sent: SyntheticEvent<HTMLFormElement>) => {
    sent.preventDefault()
    // If the change is refused, the typed answers stay in the form.
    if (await acting.act({ act: 'edit', answers: answers ?? {} })) setAnswers(null)
  }
  return (
    <section className="mypart" aria-labelledby="my-edit">
      <h2 className="disp" id="my-edit">
        {text.title}
      </h2>
      <p>
        {until !== null && isDay(until)
          ? formatMessage(text.fieldsUntil, { day: formatDay(until), fields: labels })
          : formatMessage(text.fields, { fields: labels })}
      </p>
      <Said acting={acting} />
      {answers === null ? (
        <button type="button" className="btn line" onClick={() => setAnswers({})}>
          {text.open}
        </button>
      ) : (
        <form
          className="myform"
          aria-label={text.title}
          noValidate
          onSubmit={(sent) => void save(sent)}
        >
          {fields.map((field) => (
            <AnswerField
              key={field.id}
              field={field}
              value={Object.hasOwn(answers, field.id) ? answers[field.id] : valueOf(field)}
              onChange={(value) => setAnswers({ ...answers, [field.id]: value })}
            />
          ))}
          <div className="acts">
            <button type="submit" className="btn" aria-disabled={acting.isBusy}>
              {text.save}
            </button>
            <button
              type="button"
              className="btn line"
              onClick={() => {
                setAnswers(null)
                acting.refuse(null)
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
