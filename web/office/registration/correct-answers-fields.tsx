/** The fields for corrections: selected answers, or all personal details. */
import { useState } from 'react'
import type { ActionsAnswer, WireEditable } from '../../../engine/api.ts'
import { AnswerField, valueOf } from '../../ui/forms/edit-answer-field.tsx'

type Answers = Readonly<Record<string, unknown>>

type ChangedAnswersProps = {
  readonly fields: readonly WireEditable[]
  readonly onChange: (answers: Answers) => void
}

/** Fields are selected and corrected one at a time; earlier corrections are kept. */
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
          {Object.keys(changed).length === 0 ? 'Answer to correct' : 'Another answer to correct'}
          <select
            value=""
            required={Object.keys(changed).length === 0}
            onChange={({ target }) => {
              const field = fields.find(({ id }) => id === target.value)
              if (field !== undefined) change({ ...changed, [field.id]: valueOf(field) })
            }}
          >
            <option value="" disabled>
              Choose an answer
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

type NewPersonProps = Pick<ActionsAnswer, 'fields' | 'persons'> & {
  readonly onChange: (answers: Answers) => void
}

/** All personal details, initially empty: nothing of the previous delegate is kept. */
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
