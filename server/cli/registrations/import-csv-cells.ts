/** Parses lists in a CSV cell: several options, or persons, as JSON or in the format of our export. */
import { err, formatDay, ok } from '../../../engine/index.ts'
import type { Answer, Day, Field, Result, Scalar } from '../../../engine/index.ts'

/** Parses one answer from its text, as in a cell of its own. */
type ReadPart = (field: Field, text: string) => Result<Answer, string>

/** Options by id or label, separated by a comma or semicolon; labels may contain commas themselves. */
export function manyIn(field: Field, text: string): Result<readonly string[], string> {
  const listed = jsonIn(text)
  const options = field.options ?? []
  const names = options
    .flatMap(({ id, label }) => [
      { id, name: id.toLowerCase() },
      { id, name: label.toLowerCase() },
    ])
    // The longest first: one label may be the start of another.
    .toSorted((a, b) => b.name.length - a.name.length)
  const chosen = new Set<string>()
  for (const whole of listed ?? [text]) {
    let rest = String(whole).trim()
    while (rest !== '') {
      const left = rest.toLowerCase()
      const found = names.find(
        ({ name }) => left.startsWith(name) && /^\s*([,;]|$)/.test(left.slice(name.length)),
      )
      if (found === undefined)
        return err(`“${rest}” is none of ${options.map(({ id }) => id).join(', ')}.`)
      chosen.add(found.id)
      rest = rest.slice(found.name.length).replace(/^\s*[,;]?\s*/, '')
    }
  }
  return ok(options.flatMap(({ id }) => (chosen.has(id) ? [id] : [])))
}

/** Persons separated by semicolons, each with all answers in field order, separated by commas; or JSON. */
export function peopleIn(
  field: Field,
  text: string,
  read: ReadPart,
): Result<readonly Readonly<Record<string, Scalar>>[], string> {
  const parts = field.fields ?? []
  const listed = jsonIn(text)
  const people: Record<string, Scalar>[] = []
  for (const one of listed ?? text.split(';')) {
    const given =
      typeof one === 'object' && one !== null ? Object.entries(one) : pairsOf(parts, String(one))
    if (given === null)
      return err(
        `“${String(one).trim()}” has not ${parts.length} answers, apart by commas: ${parts.map(({ id }) => id).join(', ')}. Where one is missing write JSON: [{"${parts[0]?.id ?? 'name'}": "…"}].`,
      )
    const person: Record<string, Scalar> = {}
    for (const [id, value] of given) {
      const part = parts.find((candidate) => candidate.id === id)
      if (part === undefined)
        return err(`“${id}” is none of ${parts.map((each) => each.id).join(', ')}.`)
      const answer = read(part, part.type === 'date' ? dayIn(String(value)) : String(value))
      if (!answer.ok) return err(`${id}: ${answer.error}`)
      if (typeof answer.value !== 'object') person[id] = answer.value
    }
    people.push(person)
  }
  return ok(people)
}

function pairsOf(parts: readonly Field[], text: string): readonly [string, string][] | null {
  const cells = text.split(',').map((cell) => cell.trim())
  return cells.length === parts.length
    ? parts.map(({ id }, at) => [id, cells[at] ?? ''] as [string, string])
    : null
}

/** Null: not a JSON list. */
function jsonIn(text: string): readonly unknown[] | null {
  try {
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) ? read : null
  } catch {
    return null
  }
}

const MONTHS = 12
/** Converts a written day such as "1 January 1980" to digits; other text stays unchanged. */
function dayIn(text: string): string {
  const [, day = '', year = ''] = /^(\d{1,2}) \p{L}+ (\d{4})$/u.exec(text) ?? []
  return (
    Array.from({ length: MONTHS }, (_, at) =>
      [year, String(at + 1).padStart(2, '0'), day.padStart(2, '0')].join('-'),
    ).find((one) => year !== '' && formatDay(one as Day) === text) ?? text
  )
}
