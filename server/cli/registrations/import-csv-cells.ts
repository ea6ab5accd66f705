/** Parses lists in a CSV cell: several options, or people, as JSON or in the format of our export. */
import { err, formatDay, ok } from '../../../engine/index.ts'
import type { Answer, Day, Field, Result, Scalar } from '../../../engine/index.ts'

/** Parses one answer from its text, as if it were a separate cell. */
type ParseAnswer = (field: Field, text: string) => Result<Answer, string>

/** Parses options by id or label, separated by commas or semicolons. Labels may contain commas. */
export function parseOptions(field: Field, text: string): Result<readonly string[], string> {
  const values = parseJsonList(text)
  const options = field.options ?? []
  const names = options
    .flatMap(({ id, label }) => [
      { id, name: id.toLowerCase() },
      { id, name: label.toLowerCase() },
    ])
    // Longest first, because a label may begin with another label.
    .toSorted((a, b) => b.name.length - a.name.length)
  const chosenIds = new Set<string>()
  for (const value of values ?? [text]) {
    let unparsedText = String(value).trim()
    while (unparsedText !== '') {
      const lowerCaseText = unparsedText.toLowerCase()
      const match = names.find(
        ({ name }) =>
          lowerCaseText.startsWith(name) && /^\s*([,;]|$)/.test(lowerCaseText.slice(name.length)),
      )
      if (match === undefined)
        return err(`“${unparsedText}” is not one of ${options.map(({ id }) => id).join(', ')}.`)
      chosenIds.add(match.id)
      unparsedText = unparsedText.slice(match.name.length).replace(/^\s*[,;]?\s*/, '')
    }
  }
  return ok(options.flatMap(({ id }) => (chosenIds.has(id) ? [id] : [])))
}

/** Parses JSON, or people separated by semicolons, each with all answers in field order, separated by commas. */
export function parsePeople(
  field: Field,
  text: string,
  parse: ParseAnswer,
): Result<readonly Readonly<Record<string, Scalar>>[], string> {
  const parts = field.fields ?? []
  const jsonList = parseJsonList(text)
  const people: Record<string, Scalar>[] = []
  for (const item of jsonList ?? text.split(';')) {
    const entries =
      typeof item === 'object' && item !== null
        ? Object.entries(item)
        : splitAnswers(parts, String(item))
    if (entries === null)
      return err(
        `“${String(item).trim()}” must have ${parts.length} answers separated by commas: ${parts.map(({ id }) => id).join(', ')}. If an answer is missing, use JSON: [{"${parts[0]?.id ?? 'name'}": "…"}].`,
      )
    const person: Record<string, Scalar> = {}
    for (const [id, value] of entries) {
      const part = parts.find((candidate) => candidate.id === id)
      if (part === undefined)
        return err(`“${id}” is not one of ${parts.map((item) => item.id).join(', ')}.`)
      const answer = parse(part, part.type === 'date' ? toIsoDay(String(value)) : String(value))
      if (!answer.ok) return err(`${id}: ${answer.error}`)
      if (typeof answer.value !== 'object') person[id] = answer.value
    }
    people.push(person)
  }
  return ok(people)
}

function splitAnswers(parts: readonly Field[], text: string): readonly [string, string][] | null {
  const cells = text.split(',').map((cell) => cell.trim())
  return cells.length === parts.length
    ? parts.map(({ id }, index) => [id, cells[index] ?? ''] as [string, string])
    : null
}

/** Returns null if the text is not a JSON list. */
function parseJsonList(text: string): readonly unknown[] | null {
  try {
    const result: unknown = JSON.parse(text)
    return Array.isArray(result) ? result : null
  } catch {
    return null
  }
}

const MONTHS = 12
/** Converts a date with a month name, such as "1 January 1980", to digits; other text stays unchanged. */
function toIsoDay(text: string): string {
  const [, day = '', year = ''] = /^(\d{1,2}) \p{L}+ (\d{4})$/u.exec(text) ?? []
  return (
    Array.from({ length: MONTHS }, (_, index) =>
      [year, String(index + 1).padStart(2, '0'), day.padStart(2, '0')].join('-'),
    ).find((candidate) => year !== '' && formatDay(candidate as Day) === text) ?? text
  )
}
