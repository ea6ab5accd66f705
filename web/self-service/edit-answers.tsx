/** The form for answers that delegates may change themselves; opens on demand. */
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { formatDay, isDay } from '../../engine/index.ts'
import { AnswerField, valueOf } from '../ui/forms/edit-answer-field.tsx'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

type Answers = Readonly<Record<string, unknown>>

export function Edit({ mine: { edit }, path, again }: PanelProps) {
  const acting = useActing({ path, again })
  const [answers, setAnswers] = useState<Answers | null>(null)
  const { fields, until } = edit
  if (fields.length === 0) return null
  const save = async (sent: SyntheticEvent<HTMLFormElement>) => {
    sent.preventDefault()
    // If the change is refused, the typed answers stay in the form.
    if (await acting.act({ act: 'edit', answers: answers ?? {} })) setAnswers(null)
  }
  return (
    <section className="mypart" aria-labelledby="my-edit">
      <h2 className="disp" id="my-edit">
        Change your answers
      </h2>
      <p>
        You can change {listed(fields.map(({ label }) => label))}
        {until !== null && isDay(until) ? ` until the end of ${formatDay(until)}` : ''}. For
        anything else, please write to the organisers.
      </p>
      <Said acting={acting} />
      {answers === null ? (
        <button type="button" className="btn line" onClick={() => setAnswers({})}>
          Change
        </button>
      ) : (
        <form
          className="myform"
          aria-label="Change your answers"
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
              Save changes
            </button>
            <button
              type="button"
              className="btn line"
              onClick={() => {
                setAnswers(null)
                acting.refuse(null)
              }}
            >
              Leave as it is
            </button>
          </div>
        </form>
      )}
    </section>
  )
}

/** "A, B and C", from the labels. */
function listed(labels: readonly string[]): string {
  const last = labels.at(-1) ?? ''
  return labels.length < 2 ? last : `${labels.slice(0, -1).join(', ')} and ${last}`
}
