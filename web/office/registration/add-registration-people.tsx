/** A list of people in the manual registration form: a box for each, with its errors. */
import type { Field } from '../../../engine/index.ts'
import { AskedField } from './add-registration-field.tsx'

type Person = Readonly<Record<string, unknown>>
type AskedPeopleProps = {
  readonly field: Field
  readonly value: unknown
  /** Keyed by the names that errors use. */
  readonly wrong: Readonly<Record<string, string>>
  readonly onChange: (value: readonly Person[]) => void
}

export function AskedPeople({ field, value, wrong, onChange }: AskedPeopleProps) {
  const people = (Array.isArray(value) ? value : []) as readonly Person[]
  const change = (at: number, person: Person): void =>
    onChange(people.map((one, index) => (index === at ? person : one)))
  return (
    <fieldset className="lf people">
      <legend>{field.label}</legend>
      {wrong[field.id] !== undefined && <p className="ferr">{wrong[field.id]}</p>}
      {people.map((person, at) => (
        <fieldset key={at} className="person">
          <legend>
            {field.label} {at + 1}
          </legend>
          {(field.fields ?? []).map((part) => (
            <AskedField
              key={part.id}
              name={`${field.id}.${at}.${part.id}`}
              kind={part.type}
              label={part.label}
              options={part.options ?? []}
              value={person[part.id] ?? part.default}
              wrong={wrong[`${field.id}.${at}.${part.id}`]}
              onChange={(answer) => change(at, { ...person, [part.id]: answer })}
            />
          ))}
          <button
            type="button"
            className="btn quiet sm"
            onClick={() => onChange(people.filter((_, index) => index !== at))}
          >
            Remove<span className="vh"> {at + 1}</span>
          </button>
        </fieldset>
      ))}
      {(field.max === undefined || people.length < field.max) && (
        <button
          type="button"
          className="btn line sm"
          onClick={() => onChange([...people, startOf(field)])}
        >
          Add: {field.label}
        </button>
      )}
    </fieldset>
  )
}

/** Initial answers of a new person. */
function startOf(field: Field): Person {
  return Object.fromEntries(
    (field.fields ?? []).flatMap(({ id, default: first }) =>
      first === undefined ? [] : [[id, first]],
    ),
  )
}
