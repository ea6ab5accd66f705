/** The delegate and the day that are tried on the file. */
import {
  assertNever,
  dayOf,
  formatDay,
  instant,
  isDay,
  openOn,
  own,
  startOf as startOfDay,
} from '../../../engine/index.ts'
import { axesOfCategory } from '../../../engine/files.ts'
import type { Day, EventConfig, Field, Instant, Option, RawAnswers } from '../../../engine/index.ts'

/** The delegate whose price and pages are shown: a day, and answers as a browser would send them. */
export type Try = { readonly day: Day; readonly answers: RawAnswers }

/** The first worked example that fills in the form; without one, today and nobody's answers. */
export function startOf(event: EventConfig, today: Day): Try {
  const example = event.examples.find((one) => 'answers' in one)
  if (example !== undefined && 'answers' in example)
    return { day: dayOf(example.on), answers: example.answers }
  return { day: today, answers: {} }
}

/** Noon in India on the day that is tried. */
export const momentOf = (day: Day): Instant => instant(startOfDay(day) + 12 * 60 * 60 * 1000)

/** The fields whose answers decide the category, in form order. */
export function decidingFields(event: EventConfig): readonly Field[] {
  const ids = new Set(axesOfCategory(event).map(({ field }) => field))
  return event.fields.filter(({ id }) => ids.has(id))
}

type TryingProps = {
  readonly event: EventConfig
  readonly trying: Try
  readonly change: (trying: Try) => void
  /** Whether to ask for answers too. */ readonly answers: boolean
}

/** The day, and the answers that decide the price. */
export function Trying({ event, trying, change, answers }: TryingProps) {
  const open = openOn(event, trying.day)
  const answer = (id: string, value: string) => {
    const { [id]: _old, ...rest } = trying.answers
    change({ ...trying, answers: value === '' ? rest : { ...rest, [id]: value } })
  }
  return (
    <div className="org-try">
      <label>
        On this day
        <input
          type="date"
          value={trying.day}
          required
          onChange={(typed) => {
            const { value } = typed.target
            if (isDay(value)) change({ ...trying, day: value })
          }}
        />
      </label>
      {answers &&
        decidingFields(event).map((field) => (
          <Ask
            key={field.id}
            field={field}
            value={textOf(own(trying.answers, field.id))}
            change={(value) => answer(field.id, value)}
          />
        ))}
      {!open.open && (
        <p className="org-closed">
          On {formatDay(trying.day)}: {open.text}
        </p>
      )}
    </div>
  )
}

const textOf = (answer: unknown): string =>
  answer === undefined || answer === null ? '' : String(answer)

/** What one chooses from; null where one types. */
function choicesOf(field: Field): readonly Pick<Option, 'id' | 'label'>[] | null {
  switch (field.type) {
    case 'consent':
    case 'yes-no':
      return [
        { id: 'true', label: 'Yes' },
        { id: 'false', label: 'No' },
      ]
    case 'select':
      return field.options ?? []
    case 'text':
    case 'email':
    case 'phone':
    case 'number':
    case 'date':
    case 'multiline':
    case 'file':
    case 'many':
    case 'people':
      return null
    default:
      return assertNever(field.type)
  }
}

function Ask({
  field,
  value,
  change,
}: {
  readonly field: Field
  readonly value: string
  readonly change: (value: string) => void
}) {
  const options = choicesOf(field)
  if (options === null)
    return (
      <label>
        {field.label}
        <input
          type={field.type === 'date' ? 'date' : 'text'}
          {...(field.type === 'number' ? { inputMode: 'decimal' as const } : {})}
          value={value}
          onChange={(event) => change(event.target.value)}
        />
      </label>
    )
  const known = options.find(
    ({ id }) => id === value || (field.ignoreCase && id.toLowerCase() === value.toLowerCase()),
  )
  return (
    <label>
      {field.label}
      <select value={known?.id ?? ''} onChange={(event) => change(event.target.value)}>
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
