/** Invents the delegates of a rehearsal, and chooses one whose category is on sale at a given time. */
import {
  acceptsCurrency,
  dayOf,
  findAnswerErrors,
  findCategory,
  getCategoryLabel,
  getCurrency,
  isMethodOpen,
  listDelegateMethods,
  METHOD_FIELD,
  quote,
  withDeskDays,
} from '../../engine/index.ts'
import type {
  Answers,
  Currency,
  Day,
  EventConfig,
  Instant,
  PaymentMethod,
} from '../../engine/index.ts'
import { createRandom, generateAnswers } from './invented-people.ts'

/** The number of delegates invented to find one in each category, and others for each price period. */
const MAX_CANDIDATES = 600
const SEED = 20_261_128
/** Short enough that every gateway accepts the email address. */
const MAX_MAILBOX_CHARACTERS = 30
const UNIQUE_DIGITS = 4
/** Matches the last four consecutive digits. */
const LAST_DIGITS = /\d{4}(?!.*\d{4})/u

export type InventedDelegates = {
  /** One delegate for each category, who is named after it. */
  readonly people: readonly Answers[]
  /**
   * Returns another delegate, whose category and items are on sale at that time, on the form or at the front desk. If
   * there is none, the server refuses the returned delegate's registration, and the rehearsal shows why. With a payment
   * method, a delegate whose bill this method can pay.
   */
  readonly inventAnother: (at: Instant, name: string, method?: PaymentMethod) => Answers
}

/**
 * Invents the delegates of a rehearsal; null if no answers lead to a category. A category that requires a
 * code or a member list has no delegate, because the rehearsal issues no codes and its member lists are empty.
 */
export function inventDelegates(event: EventConfig): InventedDelegates | null {
  const random = createRandom(SEED)
  const candidates: Answers[] = []
  const othersByCategory = new Map<string, Answers>()
  const membersByCategory = new Map<string, Answers>()
  for (let n = 0; n < MAX_CANDIDATES; n += 1) {
    const answers = generateAnswers(event, random)
    const category = findCategory(event, answers)
    if (category === null) continue
    const isListed = hasMemberListEntry(event, answers)
    if (!isListed) candidates.push(answers)
    const delegatesByCategory = isListed ? membersByCategory : othersByCategory
    if (!delegatesByCategory.has(category)) delegatesByCategory.set(category, answers)
  }
  // The form rejects members, because the rehearsal's lists are empty. A category without other delegates still gets
  // one member, so that the page shows the rejection.
  const firstOfEachCategory = [
    ...othersByCategory,
    ...[...membersByCategory].filter(([category]) => !othersByCategory.has(category)),
  ]
  const allAnswers = [...firstOfEachCategory.map(([, answers]) => answers), ...candidates]
  const [firstAnswers] = allAnswers
  if (firstAnswers === undefined) return null
  let count = 0
  const createDelegate = (answers: Answers, name: string, day: Day | null): Answers => {
    count += 1
    const answersWithMethod = setPaymentMethod(event, answers, day)
    return setName(event, setUniqueAnswers(event, answersWithMethod, count), name)
  }
  const canPayWith = (answers: Answers, method: PaymentMethod | undefined): boolean =>
    method === undefined || acceptsCurrency(method, getCurrencyOfBill(event, answers))
  return {
    people: firstOfEachCategory.map(([category, answers]) =>
      createDelegate(answers, getCategoryLabel(event, category), null),
    ),
    inventAnother: (at, name, method) => {
      const openEvent = withDeskDays(event, dayOf(at))
      const delegate = createDelegate(
        allAnswers.find(
          (answers) => canPayWith(answers, method) && quote(openEvent, answers, at).ok,
        ) ?? firstAnswers,
        name,
        dayOf(at),
      )
      return method === undefined ? delegate : { ...delegate, [METHOD_FIELD]: method.id }
    },
  }
}

const getCurrencyOfBill = (event: EventConfig, answers: Answers): Currency =>
  getCurrency(event, findCategory(event, answers))

/**
 * Returns the answers with a payment method that the form offers: one that accepts the currency of the bill and is open
 * on that day. `day` is null if the day is not known yet.
 */
function setPaymentMethod(event: EventConfig, answers: Answers, day: Day | null): Answers {
  const methods = listDelegateMethods(event)
  const currency = getCurrencyOfBill(event, answers)
  const ids = methods
    .filter(
      (method) => acceptsCurrency(method, currency) && (day === null || isMethodOpen(method, day)),
    )
    .map(({ id }) => id)
  const [firstId] = ids
  return methods.length < 2 || firstId === undefined || ids.includes(String(answers[METHOD_FIELD]))
    ? answers
    : { ...answers, [METHOD_FIELD]: firstId }
}

/** Returns true if the answers contain an entry from a member list. */
const hasMemberListEntry = ({ fields }: EventConfig, answers: Answers): boolean =>
  fields.some(({ id, roll }) => roll !== undefined && answers[id] !== undefined)

/**
 * Returns the answers with new values in the fields that must be unique: changes the last four digits of a number, or
 * adds digits to text. An answer that the form would then reject is left unchanged.
 */
function setUniqueAnswers(event: EventConfig, answers: Answers, count: number): Answers {
  const digits = String(count).padStart(UNIQUE_DIGITS, '0')
  const uniqueFieldIds = new Set(event.unique.flatMap(({ fields }) => fields))
  return event.fields.reduce((result, { id, type }) => {
    const answer = answers[id]
    if (!uniqueFieldIds.has(id) || typeof answer !== 'string') return result
    if (type !== 'text' && type !== 'phone') return result
    const value = LAST_DIGITS.test(answer)
      ? answer.replace(LAST_DIGITS, digits)
      : `${answer} ${digits}`
    const newAnswers = { ...result, [id]: value }
    return findAnswerErrors(event, newAnswers)[id] === undefined ? newAnswers : result
  }, answers)
}

/** Returns the answers with this name, and an email address made from it. */
function setName({ roles, fields }: EventConfig, answers: Answers, name: string): Answers {
  const mailbox = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_MAILBOX_CHARACTERS)
  const maxCharacters = fields.find(({ id }) => id === roles.fullName)?.maxLength
  return {
    ...answers,
    ...(roles.fullName === undefined
      ? {}
      : { [roles.fullName]: `Example ${name}`.slice(0, maxCharacters).trim() }),
    ...(roles.email === undefined ? {} : { [roles.email]: `${mailbox}@example.org` }),
  }
}
