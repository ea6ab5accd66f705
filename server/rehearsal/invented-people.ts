/** Generates fictitious people and their answers. The same seed always generates the same people. */
import {
  addDays,
  assert,
  day,
  EMPTY_CONTEXT,
  findAnswerErrors,
  normalise,
  findVisibleFields,
  startOfDay,
} from '../../engine/index.ts'
import type {
  Answer,
  Answers,
  Day,
  EventConfig,
  Field,
  PricingContext,
  Scalar,
} from '../../engine/index.ts'

/** Names that are obviously invented. */
const FIRST_NAMES = [
  'Example',
  'Jürgen',
  'आशा',
  'Sample',
  'Specimen',
  'Mockup',
  'Placeholder',
  'Dummy',
  'Draft',
  'Testcase',
  'Stand-in',
  'Notreal',
  'Fixture',
  'Invented',
  'Blank',
  'Lorem',
  'Ipsum',
  'Dolor',
  'Nobody',
  'Pattern',
  'Outline',
  'Sketch',
  'Template',
  'Pretend',
]
const LAST_NAMES = [
  'Alpha',
  'D’Souza',
  'Müller-Şahin',
  'Bravo',
  'Charlie',
  'Delta',
  'Echo',
  'Foxtrot',
  'Golf',
  'Hotel',
  'India',
  'Juliett',
  'Kilo',
  'Lima',
  'Mike',
  'November',
  'Oscar',
  'Papa',
  'Quebec',
  'Romeo',
  'Sierra',
  'Tango',
  'Uniform',
  'Victor',
  'Whiskey',
  'Xray',
  'Yankee',
  'Zulu',
]

/** Returns the next pseudo-random number, from 0 up to but not including 1. */
export type Random = () => number
/** A small seeded generator (mulberry32), so that a demo can be reproduced. */
export function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
export const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)]
  assert(item !== undefined, 'nothing to pick from')
  return item
}
export const generateDigits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('')

/** Returns answers that the event accepts: every visible required field and most optional ones are answered. */
export function generateAnswers(
  event: EventConfig,
  random: Random,
  context: PricingContext = EMPTY_CONTEXT,
): Answers {
  const firstName = pick(random, FIRST_NAMES)
  const lastName = pick(random, LAST_NAMES)
  const rawAnswers = Object.fromEntries(
    event.fields.map((field) => [field.id, generateAnswer(field, firstName, lastName, random)]),
  )
  for (const field of event.fields) {
    const isNeeded =
      field.required !== undefined ||
      field.offersCategories === true ||
      Object.values(event.roles).includes(field.id)
    if (!isNeeded && random() < 0.15) delete rawAnswers[field.id]
  }
  const { answers } = normalise(event, rawAnswers, context)
  if (Object.keys(findAnswerErrors(event, answers, context)).length === 0) return answers
  // These answers may make further fields visible or required.
  const visibleFields = findVisibleFields(event, answers, context)
  const completedAnswers = {
    ...Object.fromEntries(
      event.fields
        .filter(({ id }) => visibleFields.has(id))
        .map((field) => [field.id, generateAnswer(field, firstName, lastName, random)]),
    ),
    ...answers,
  }
  return normalise(event, completedAnswers, context).answers
}

/** Converts a name to the form used in an email address. */
function toEmailName(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/[^A-Za-z]/g, '')
  return letters === '' ? 'example' : letters.toLowerCase()
}

function generateAnswer(field: Field, firstName: string, lastName: string, random: Random): Answer {
  switch (field.type) {
    case 'email':
      return `${toEmailName(firstName)}.${toEmailName(lastName)}${generateDigits(random, 2)}@example.org`
    case 'phone':
      return `+9100000${generateDigits(random, 5)}`
    case 'number':
      return generateNumber(field, random)
    case 'date':
      return generateDay(field, random)
    case 'yes-no':
      return random() < 0.55
    case 'select':
      return pick(random, field.options ?? []).id
    case 'consent':
      return true
    case 'many':
      return pickSome(field, random)
    case 'people':
      return Array.from({ length: Math.floor(random() * ((field.max ?? 0) + 1)) }, () =>
        Object.fromEntries(
          (field.fields ?? []).map((part) => [
            part.id,
            generateAnswer(part, pick(random, FIRST_NAMES), lastName, random) as Scalar,
          ]),
        ),
      )
    case 'file':
      return `made-up-proof.${field.accept?.includes('pdf') === true ? 'pdf' : (field.accept?.[0] ?? 'pdf')}`
    case 'multiline':
      return `${generateDigits(random, 2)} Example Street\nSampletown`
    case 'text':
      return generateText(field, firstName, lastName, random)
  }
}

/** Maximum ranges in days: for dates of birth of adults of working age, and for a stay with only one limit. */
const WORKING_LIFE_DAYS = 365 * 40
const STAY_DAYS = 4
/** The upper limit for a field without a maximum. */
const DEFAULT_MAXIMUM = 60
/** Fields with a maximum up to this are treated as quantities, which are mostly small; others are ages or similar. */
const QUANTITY_LIMIT = 10

/** Returns a mostly small value for a quantity, and any allowed value for an age or a similar field. */
function generateNumber(
  { min = 0, max = DEFAULT_MAXIMUM, isWhole }: Field,
  random: Random,
): number {
  const span = Math.min(max, min + DEFAULT_MAXIMUM) - min
  const number = min + span * (isWhole && span <= QUANTITY_LIMIT ? random() ** 2 : random())
  return isWhole === true || Number.isInteger(min) ? Math.round(number) : min
}

/** Returns a valid day: within the stay if both limits are close, otherwise within a working life. */
function generateDay({ from, to }: Field, random: Random): Day {
  if (from === undefined && to === undefined) return day('1980-01-01')
  const span = from !== undefined && to !== undefined ? countDays(from, to) : STAY_DAYS
  const daysBack = Math.floor(random() * Math.min(span, WORKING_LIFE_DAYS))
  return to !== undefined ? addDays(to, -daysBack) : addDays(from ?? day('1980-01-01'), daysBack)
}

const DAY_MS = 86_400_000
const countDays = (from: Day, to: Day): number =>
  Math.round((startOfDay(to) - startOfDay(from)) / DAY_MS)

/** Picks an allowed number of options that do not exclude each other. */
function pickSome({ options = [], choose }: Field, random: Random): readonly string[] {
  const chosenIds: string[] = []
  const isAllowed = (id: string): boolean =>
    !(choose?.mutuallyExclusive ?? []).some(
      (pair) => pair.includes(id) && pair.some((option) => chosenIds.includes(option)),
    )
  const shuffledOptions = options
    .map(({ id }) => ({ id, order: random() }))
    .toSorted((a, b) => a.order - b.order)
  for (const { id } of shuffledOptions) {
    const isNeeded = chosenIds.length < (choose?.atLeast ?? 0)
    if (
      chosenIds.length < (choose?.atMost ?? options.length) &&
      isAllowed(id) &&
      (isNeeded || random() < 0.4)
    )
      chosenIds.push(id)
  }
  return options.flatMap(({ id }) => (chosenIds.includes(id) ? [id] : []))
}

/** Fictitious values in the formats that event files require: mobile number, PIN, GSTIN, PAN, time. */
const FORMATTED_VALUES = [
  '9800000000',
  '680001',
  '32AAACS1234A1ZB',
  'AAAPS1234A',
  '3:45:00',
  '100000000000',
]

/** Returns a value of the required format. Empty for an unknown format. */
function generateText(field: Field, firstName: string, lastName: string, random: Random): string {
  const value = generateTextForId(field.id, firstName, lastName, random)
  if (field.pattern === undefined) return value
  const pattern = new RegExp(field.pattern, 'u')
  return [value, ...FORMATTED_VALUES].find((candidate) => pattern.test(candidate)) ?? ''
}

function generateTextForId(
  id: string,
  firstName: string,
  lastName: string,
  random: Random,
): string {
  if (id.endsWith('name')) return `${random() < 0.9 ? 'Dr. ' : ''}${firstName} ${lastName}`
  if (/(_no|number)$/.test(id)) return `EXAMPLE-${generateDigits(random, 4)}`
  if (/institut|hospital|organi/.test(id)) return `${pick(random, FIRST_NAMES)} Medical College`
  if (/city/.test(id)) return pick(random, ['Sampletown', 'Exampleville', 'Mockpur', 'Draftnagar'])
  if (/qualification/.test(id)) return pick(random, ['MBBS', 'MD', 'MS', 'DNB'])
  if (/designation/.test(id)) return pick(random, ['Consultant', 'Professor', 'Resident'])
  return `Made-up ${firstName.toLowerCase()}`
}

const PDF_TEXT = 'This document is invented.'

/** Builds a document to upload: a minimal valid PDF file. */
export function buildSamplePdf(): Buffer<ArrayBuffer> {
  return Buffer.from(
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 120]/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>/Contents 4 0 R>>endobj\n4 0 obj<</Length ${PDF_TEXT.length + 34}>>stream\nBT /F 14 Tf 30 60 Td (${PDF_TEXT}) Tj ET\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
  )
}
