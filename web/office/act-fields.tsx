/** The fields in which answers are corrected: some of the form, or those that say who somebody is. */
import { useState } from 'react'
import type { ActsAnswer, WireEditable } from '../../engine/index.ts'

type Answers = Readonly<Record<string, unknown>>

type ChangedAnswersProps = {
  readonly fields: readonly WireEditable[]
  readonly onChange: (answers: Answers) => void
}

/** One question at a time is picked, answered anew, and stays while another is picked. */
export function ChangedAnswers({ fields, onChange }: ChangedAnswersProps) {
  const [changed, setChanged] = useState<Answers>({})
  const change = (next: Answers) => {
    setChanged(next)
    onChange(next)
  }
  const rest = fields.filter(({ id }) => !Object.hasOwn(changed, id))
  return (
    <>
      {fields
        .filter(({ id }) => Object.hasOwn(changed, id))
        .map((field) => (
          <AnswerField
            key={field.id}
            field={field}
            value={changed[field.id]}
            onChange={(value) => change({ ...changed, [field.id]: value })}
          />
        ))}
      {rest.length > 0 && (
        <label>
          {Object.keys(changed).length === 0 ? 'Which answer' : 'Another answer'}
          <select
            value=""
            required={Object.keys(changed).length === 0}
            onChange={({ target }) => {
              const field = fields.find(({ id }) => id === target.value)
              if (field !== undefined) change({ ...changed, [field.id]: valueOf(field) })
            }}
          >
            <option value="" disabled>
              Choose a question
            </option>
            {rest.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}

type NewPersonProps = Pick<ActsAnswer, 'fields' | 'persons'> & {
  readonly onChange: (answers: Answers) => void
}

/** Everything that says who somebody is, empty: nothing of the old person stays. */
export function NewPerson({ fields, persons, onChange }: NewPersonProps) {
  const asked = fields.filter(({ id }) => persons.includes(id))
  const [answers, setAnswers] = useState<Answers>({})
  return asked.map((field) => (
    <AnswerField
      key={field.id}
      field={{ ...field, value: '' }}
      value={answers[field.id] ?? ''}
      onChange={(value) => {
        const next = { ...answers, [field.id]: value }
        setAnswers(next)
        onChange(next)
      }}
    />
  ))
}

/** As the call takes it: yes and no are no text. */
function valueOf({ kind, value }: WireEditable): unknown {
  return kind === 'yes-no' ? value === 'true' : value
}

type AnswerFieldProps = {
  readonly field: WireEditable
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function AnswerField({ field, value, onChange }: AnswerFieldProps) {
  const { label, kind, options } = field
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'yes-no':
      return (
        <label>
          {label}
          <select
            value={value === true ? 'yes' : 'no'}
            onChange={({ target }) => onChange(target.value === 'yes')}
          >
            <option value="no">No</option>
            <option value="yes">Yes</option>
          </select>
        </label>
      )
    case 'select':
      return (
        <label>
          {label}
          <select value={text} onChange={({ target }) => onChange(target.value)}>
            <option value="">No answer</option>
            {options.map((option) => (
              <option key={option.id} value={option.id}>
                {option.label}
              </option>
            ))}
          </select>
        </label>
      )
    case 'many': {
      const chosen = Array.isArray(value) ? value : []
      return (
        <fieldset className="ticks">
          <legend>{label}</legend>
          {options.map(({ id, label: said }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={({ target }) =>
                  onChange(
                    options
                      .map((option) => option.id)
                      .filter((one) => (one === id ? target.checked : chosen.includes(one))),
                  )
                }
              />
              {said}
            </label>
          ))}
        </fieldset>
      )
    }
    case 'date':
    case 'text':
      return (
        <label>
          {label}
          <input
            type={kind}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            autoComplete="off"
          />
        </label>
      )
  }
}
