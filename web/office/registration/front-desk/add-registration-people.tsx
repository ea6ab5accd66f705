/** A list of people in the manual registration form, each with their fields and errors. */
import type { Field } from '../../../../engine/index.ts'
import { FormField } from './add-registration-field.tsx'

type Person = Readonly<Record<string, unknown>>
type PeopleFieldsProps = {
  readonly field: Field
  readonly value: unknown
  /** Errors by field name, as in the API response. */
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (value: readonly Person[]) => void
}

export function PeopleFields({ field, value, errors, onChange }: PeopleFieldsProps) {
  const people = (Array.isArray(value) ? value : []) as readonly Person[]
  const updatePerson = (index: number, person: Person): void =>
    onChange(people.map((current, position) => (position === index ? person : current)))
  return (
    <fieldset className="labelled-field people">
      <legend>{field.label}</legend>
      {errors[field.id] !== undefined && <p className="field-error">{errors[field.id]}</p>}
      {people.map((person, position) => (
        <fieldset key={position} className="person">
          <legend>
            {field.label} {position + 1}
          </legend>
          {(field.fields ?? []).map((subfield) => (
            <FormField
              key={subfield.id}
              name={`${field.id}.${position}.${subfield.id}`}
              kind={subfield.type}
              label={subfield.label}
              options={subfield.options ?? []}
              value={person[subfield.id] ?? subfield.default}
              error={errors[`${field.id}.${position}.${subfield.id}`]}
              onChange={(newValue) =>
                updatePerson(position, { ...person, [subfield.id]: newValue })
              }
            />
          ))}
          <button
            type="button"
            className="btn quiet sm"
            onClick={() => onChange(people.filter((_, index) => index !== position))}
          >
            Remove<span className="vh"> {position + 1}</span>
          </button>
        </fieldset>
      ))}
      {(field.max === undefined || people.length < field.max) && (
        <button
          type="button"
          className="btn line sm"
          onClick={() => onChange([...people, createPerson(field)])}
        >
          Add: {field.label}
        </button>
      )}
    </fieldset>
  )
}

/** Returns the initial answers of a new person. */
function createPerson(field: Field): Person {
  return Object.fromEntries(
    (field.fields ?? []).flatMap(({ id, default: initialValue }) =>
      initialValue === undefined ? [] : [[id, initialValue]],
    ),
  )
}
