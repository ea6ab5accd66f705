/** One field of the test delegate, as a plain control: text, choice, checkboxes, people. */
import { assertNever, getOwn } from '../../../engine/index.ts'
import type { Field, Option, RawAnswers } from '../../../engine/index.ts'

type TestFieldProps = {
  readonly field: Field
  readonly value: unknown
  /** Undefined: not answered. */
  readonly onChange: (value: unknown) => void
}

/** Shows the control for the field's type. */
export function TestField(props: TestFieldProps) {
  const { field } = props
  switch (field.type) {
    case 'consent':
      return <ChoiceField {...props} options={[{ id: 'true', label: 'Yes' }]} />
    case 'yes-no':
      return (
        <ChoiceField
          {...props}
          options={[
            { id: 'true', label: 'Yes' },
            { id: 'false', label: 'No' },
          ]}
        />
      )
    case 'select':
      return <ChoiceField {...props} options={field.options ?? []} />
    case 'many':
      return <CheckboxField {...props} />
    case 'people':
      return <PeopleField {...props} />
    case 'text':
    case 'email':
    case 'phone':
    case 'number':
    case 'date':
    case 'multiline':
    case 'file':
      return <TextField {...props} />
    default:
      return assertNever(field.type)
  }
}

const formatAnswer = (answer: unknown): string =>
  typeof answer === 'string' || typeof answer === 'number' || typeof answer === 'boolean'
    ? String(answer)
    : ''
const emptyToUndefined = (typedText: string): string | undefined =>
  typedText === '' ? undefined : typedText

function TextField({ field, value, onChange }: TestFieldProps) {
  return (
    <label>
      {field.label}
      <input
        type={field.type === 'date' ? 'date' : 'text'}
        {...(field.type === 'number' ? { inputMode: 'decimal' as const } : {})}
        value={formatAnswer(value)}
        onChange={(event) => onChange(emptyToUndefined(event.target.value))}
      />
    </label>
  )
}

function ChoiceField({
  field,
  value,
  onChange,
  options,
}: TestFieldProps & { readonly options: readonly Pick<Option, 'id' | 'label'>[] }) {
  const textValue = formatAnswer(value)
  const knownOption = options.find(
    ({ id }) =>
      id === textValue || (field.ignoreCase && id.toLowerCase() === textValue.toLowerCase()),
  )
  return (
    <label>
      {field.label}
      <select
        value={knownOption?.id ?? ''}
        onChange={(event) => onChange(emptyToUndefined(event.target.value))}
      >
        <option value="">Not answered</option>
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Shows several options, in the order of the event file. */
function CheckboxField({ field, value, onChange }: TestFieldProps) {
  const selectedIds: readonly unknown[] = Array.isArray(value) ? value : []
  const ids = (field.options ?? []).map(({ id }) => id)
  return (
    <CheckboxList
      title={field.label}
      boxes={field.options ?? []}
      isTicked={(id) => selectedIds.includes(id)}
      onToggle={(id) => {
        const newIds = ids.filter(
          (candidate) => selectedIds.includes(candidate) !== (candidate === id),
        )
        onChange(newIds.length === 0 ? undefined : newIds)
      }}
    />
  )
}

/** Shows checkboxes under a title; each has its own label. */
export function CheckboxList({
  title,
  boxes,
  isTicked,
  onToggle,
}: {
  readonly title: string
  readonly boxes: readonly Pick<Option, 'id' | 'label'>[]
  readonly isTicked: (id: string) => boolean
  readonly onToggle: (id: string) => void
}) {
  return (
    <fieldset className="org-list">
      <legend>{title}</legend>
      {boxes.map(({ id, label }) => (
        <label key={id} className="org-tick">
          <input type="checkbox" checked={isTicked(id)} onChange={() => onToggle(id)} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

/** Shows a list of people, each with their fields. */
function PeopleField({ field, value, onChange }: TestFieldProps) {
  const people: readonly RawAnswers[] = Array.isArray(value) ? value : []
  const setPeople = (newPeople: readonly RawAnswers[]) =>
    onChange(newPeople.length === 0 ? undefined : newPeople)
  return (
    <fieldset className="org-list">
      <legend>{field.label}</legend>
      {people.map((person, i) => (
        // A person has no identifier other than the position in the list.
        // eslint-disable-next-line react/no-array-index-key
        <fieldset key={i} className="org-person">
          <legend>Person {i + 1}</legend>
          {(field.fields ?? []).map((subfield) => (
            <TestField
              key={subfield.id}
              field={subfield}
              value={getOwn(person, subfield.id)}
              onChange={(answer) =>
                setPeople(
                  people.map((person, index) =>
                    index === i ? { ...person, [subfield.id]: answer } : person,
                  ),
                )
              }
            />
          ))}
          <button
            type="button"
            className="link"
            onClick={() => setPeople(people.filter((_, index) => index !== i))}
          >
            Remove<span className="vh"> person {i + 1}</span>
          </button>
        </fieldset>
      ))}
      {people.length < (field.max ?? 0) && (
        <button type="button" className="btn line sm" onClick={() => setPeople([...people, {}])}>
          {people.length === 0 ? 'Add a person' : 'Add another person'}
        </button>
      )}
    </fieldset>
  )
}
