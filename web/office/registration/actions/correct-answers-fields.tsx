/** The fields for corrections: selected answers, or all personal details. */
import { useState } from 'react'
import type { ActionsResponse, WireEditableField } from '../../../../engine/api.ts'
import { AnswerField, toApiValue } from '../../../ui/forms/edit-answer-field.tsx'

type Answers = Readonly<Record<string, unknown>>

type CorrectionFieldsProps = {
  readonly fields: readonly WireEditableField[]
  readonly onChange: (answers: Answers) => void
}

/** Shows one answer to correct at a time. Earlier corrections are kept. */
export function CorrectionFields({ fields, onChange }: CorrectionFieldsProps) {
  const [corrections, setCorrections] = useState<Answers>({})
  const updateCorrections = (next: Answers) => {
    setCorrections(next)
    onChange(next)
  }
  const remainingFields = fields.filter(({ id }) => !Object.hasOwn(corrections, id))
  return (
    <>
      {fields
        .filter(({ id }) => Object.hasOwn(corrections, id))
        .map((field) => (
          <AnswerField
            key={field.id}
            field={field}
            value={corrections[field.id]}
            onChange={(value) => updateCorrections({ ...corrections, [field.id]: value })}
          />
        ))}
      {remainingFields.length > 0 && (
        <label>
          {Object.keys(corrections).length === 0
            ? 'Answer to correct'
            : 'Another answer to correct'}
          <select
            value=""
            required={Object.keys(corrections).length === 0}
            onChange={({ target }) => {
              const field = fields.find(({ id }) => id === target.value)
              if (field !== undefined)
                updateCorrections({ ...corrections, [field.id]: toApiValue(field) })
            }}
          >
            <option value="" disabled>
              Choose an answer
            </option>
            {remainingFields.map(({ id, label }) => (
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

type TransferFieldsProps = Pick<ActionsResponse, 'fields' | 'persons'> & {
  readonly onChange: (answers: Answers) => void
}

/**
 * Shows the fields for all personal details, initially empty, so that none of the previous delegate's details remain.
 */
export function TransferFields({ fields, persons, onChange }: TransferFieldsProps) {
  const personalFields = fields.filter(({ id }) => persons.includes(id))
  const [answers, setAnswers] = useState<Answers>({})
  return personalFields.map((field) => (
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
