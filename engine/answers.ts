/** Raw answers become normalised ones here: trimmed, typed, defaults filled in, hidden ones gone. */
import type { Answer, Answers, Field, FieldErrors, PublicEvent, RawAnswers } from './config.ts'
import { categoryOf } from './category.ts'
import { composed } from './composed.ts'
import { holds } from './conditions.ts'
import { charactersMax, formsOf, invalidOf, requiredOf } from './fields.ts'
import { assertNever, err, fromPairs, ok, own, type Result } from './outcome.ts'
import { remember } from './remember.ts'

/**
 * What was answered. Text is trimmed and "" is absent; "true", "false" and decimal texts become what
 * they say; a select's answer takes the case of its option where the field ignores case. An answer of
 * the wrong form stays, as text, so that the check can name it. Unknown names and answers of hidden
 * fields are dropped, `dropped` names them. Normalising twice changes nothing.
 */
export function normalise(
  event: PublicEvent,
  raw: RawAnswers,
): { readonly answers: Answers; readonly dropped: readonly string[] } {
  const { answers, shown } = counted(event, raw)
  const dropped = Object.keys(raw).filter(
    (name) => !Object.hasOwn(answers, name) && !isBlank(own(raw, name)) && !shown.has(name),
  )
  return { answers, dropped }
}

/** The normalised answers, and the ids of the fields that show for them. */
export function counted(
  event: PublicEvent,
  raw: RawAnswers,
): { readonly answers: Answers; readonly shown: ReadonlySet<string> } {
  const all = readAll(event, raw)
  const shown = shownAmong(event, all)
  return { answers: only(all, shown), shown }
}

/** The ids of the fields that show for these answers, raw or normalised. */
export function shownFields(event: PublicEvent, answers: RawAnswers): ReadonlySet<string> {
  return shownAmong(event, readAll(event, answers))
}

function isShownIn(
  event: PublicEvent,
  field: Field,
  answers: Answers,
  category: string | null,
): boolean {
  const section = event.sections[field.section]?.showWhen
  return (
    (section === undefined || holds(section, answers, category)) &&
    (field.showWhen === undefined || holds(field.showWhen, answers, category))
  )
}

/** One text per field, in form order; empty when the answers may be registered. */
export function errorsOf(event: PublicEvent, raw: RawAnswers): FieldErrors {
  return judged(event, raw).errors
}

/** The normalised answers, or what is wrong with them. */
export function checkAnswers(event: PublicEvent, raw: RawAnswers): Result<Answers, FieldErrors> {
  const { answers, errors } = judged(event, raw)
  return Object.keys(errors).length === 0 ? ok(answers) : err(errors)
}

/** Answers read once for all that is asked of them: normalised, the ids of the fields that show, what is wrong. */
export function judged(
  event: PublicEvent,
  raw: RawAnswers,
): {
  readonly answers: Answers
  readonly shown: ReadonlySet<string>
  readonly errors: FieldErrors
} {
  const { answers, shown } = counted(event, raw)
  const category = categoryOf(event, answers)
  const errors: [string, string][] = []
  for (const field of event.fields) {
    if (!shown.has(field.id)) continue
    const message = isUnreadable(own(raw, field.id))
      ? invalidOf(field)
      : errorOf(field, own(answers, field.id), answers, category)
    if (message !== null) errors.push([field.id, message])
  }
  return { answers, shown, errors: fromPairs(errors) }
}

function errorOf(
  field: Field,
  answer: Answer | undefined,
  answers: Answers,
  category: string | null,
): string | null {
  if (answer === undefined) {
    const { required } = field
    return required !== undefined &&
      (required.when === undefined || holds(required.when, answers, category))
      ? requiredOf(field)
      : null
  }
  if (!hasType(field, answer)) return invalidOf(field)
  if (typeof answer !== 'string') return null
  return testsOf(field).find(({ pattern }) => !pattern.test(answer))?.message ?? null
}

/** A field's forms with their patterns compiled, which takes longer than asking them. */
const testsOf = remember((field: Field) =>
  formsOf(field).map(({ pattern, message }) => ({ pattern: new RegExp(pattern, 'u'), message })),
)

function hasType(field: Field, answer: Answer): boolean {
  switch (field.type) {
    case 'yes-no':
      return typeof answer === 'boolean'
    case 'number':
      return (
        typeof answer === 'number' &&
        (field.min === undefined || answer >= field.min) &&
        (field.max === undefined || answer <= field.max)
      )
    case 'select':
      return (field.options ?? []).some((option) => option.id === answer)
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'date':
    case 'file':
      return typeof answer === 'string'
    default:
      return assertNever(field.type)
  }
}

function readAll(event: PublicEvent, raw: RawAnswers): Answers {
  const pairs: [string, Answer][] = []
  for (const field of event.fields) {
    const answer = readAnswer(field, own(raw, field.id)) ?? field.default
    if (answer !== undefined) pairs.push([field.id, answer])
  }
  return fromPairs(pairs)
}

/** Which fields show whatever is answered, and which only under a condition of theirs or their section's. */
const fieldsOf = remember((event: PublicEvent) => {
  const isConditional = ({ showWhen, section }: Field): boolean =>
    showWhen !== undefined || event.sections[section]?.showWhen !== undefined
  const ids = (fields: readonly Field[]): ReadonlySet<string> => new Set(fields.map(({ id }) => id))
  return {
    all: ids(event.fields),
    always: ids(event.fields.filter((field) => !isConditional(field))),
    conditional: event.fields.filter(isConditional),
  }
})

/**
 * A hidden field counts as not answered, which may hide or show others. Each round judges the fields
 * with a condition by the answers of those that showed in the round before; without cycles (EV308)
 * this settles after as many rounds as the longest chain has links.
 */
function shownAmong(event: PublicEvent, answers: Answers): ReadonlySet<string> {
  const { all, always, conditional } = fieldsOf(event)
  let shown = all
  for (let round = 0; conditional.length > 0 && round <= event.fields.length; round++) {
    const kept = only(answers, shown)
    const category = categoryOf(event, kept)
    const showing = new Set<string>()
    for (const field of conditional)
      if (isShownIn(event, field, kept, category)) showing.add(field.id)
    const shows = (id: string): boolean => always.has(id) || showing.has(id)
    if (conditional.every(({ id }) => shows(id) === shown.has(id))) break
    shown = new Set(event.fields.flatMap(({ id }) => (shows(id) ? [id] : [])))
  }
  return shown
}

function only(answers: Answers, shown: ReadonlySet<string>): Answers {
  if (Object.keys(answers).every((id) => shown.has(id))) return answers
  return fromPairs(Object.entries(answers).filter(([id]) => shown.has(id)))
}

/** A list or an object where an answer should be. It is no answer of the wrong form, it is none at all. */
export function isUnreadable(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

function readAnswer(field: Field, value: unknown): Answer | undefined {
  if (typeof value === 'boolean') return field.type === 'yes-no' ? value : String(value)
  if (typeof value === 'number')
    return field.type === 'number' && Number.isFinite(value) ? value + 0 : String(value)
  if (typeof value !== 'string') return undefined
  const text = withinReach(field, cleanText(field, value))
  if (text === '') return undefined
  switch (field.type) {
    case 'yes-no':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text
    case 'number':
      return /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(text) ? Number(text) + 0 : text
    case 'select': {
      const folded = field.ignoreCase ? text.toLowerCase() : null
      return field.options?.find((option) => option.id.toLowerCase() === folded)?.id ?? text
    }
    case 'file':
      return text.split(/[\\/]/).at(-1) || undefined
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'date':
      return text
    default:
      return assertNever(field.type)
  }
}

// Control characters have no business in an answer (mail headers, CSV, terminals); a line break has, in
// multiline text only. Half a surrogate pair cannot be stored as UTF-8.
function cleanText(field: Field, value: string): string {
  // Nearly every answer is plain ASCII, in which there is nothing to clean.
  if (/^[ -~]*$/.test(value)) return value.trim()
  const lines = value.replace(/\r\n?/g, '\n')
  const flat = field.type === 'multiline' ? lines : lines.replace(/[\n\t\u2028\u2029]+/g, ' ')
  const text = composed(flat.toWellFormed().replace(CONTROLS, '').replace(UNSEEN, '')).trim()
  return SEEN.test(text) ? text : ''
}
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/**
 * What is not drawn: spaces of no width, and what turns the direction of all that follows, in a list of
 * the office too. Joiners stay, because Malayalam and Hindi are spelt with them, and so do the variants of signs.
 */
const UNSEEN = /(?![\u200c\u200d\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu
/** Something that can be seen; a name of joiners or of blank Braille is no name. */
const SEEN = /[^\s\u200c\u200d\ufe00-\ufe0f\u2800]/u

/**
 * No more of a text than it takes to see that it is too long, and a mark that it was cut: every pattern
 * of its field is asked about it, and some take the square of its length. A file's name is known by its
 * end; an option is only compared.
 */
function withinReach(field: Field, text: string): string {
  // A character may be written as two units, so that this is longer than the field takes however it is counted.
  const units = 2 * charactersMax(field) + 2
  if (text.length <= units || field.type === 'select') return text
  return (
    field.type === 'file' ? `…${text.slice(1 - units)}` : `${text.slice(0, units - 1)}…`
  ).toWellFormed()
}
