/** Invents the delegates of a rehearsal, and chooses one whose category is on sale at a given time. */
import {
  acceptsCurrency,
  dayOf,
  EMPTY_CONTEXT,
  findAnswerErrors,
  findCategory,
  foldText,
  getCategoryLabel,
  getCurrency,
  getMemberListValueName,
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
import type { MemberListRow } from '../storage/index.ts'
import { createRandom, generateAnswers, pick, type Random } from './invented-people.ts'

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
  /** Returns a row for each member among the delegates invented so far, by member list. */
  readonly listMemberRows: () => ReadonlyMap<string, readonly MemberListRow[]>
}

/**
 * Invents the delegates of a rehearsal; null if no answers lead to a category. A category that requires a code has no
 * delegate, because the rehearsal issues no codes.
 */
export function inventDelegates(event: EventConfig): InventedDelegates | null {
  const random = createRandom(SEED)
  const candidates: Answers[] = []
  const answersByCategory = new Map<string, Answers>()
  for (let n = 0; n < MAX_CANDIDATES; n += 1) {
    const answers = inventAnswers(event, random)
    const category = findCategory(event, answers)
    if (category === null) continue
    candidates.push(answers)
    if (!answersByCategory.has(category)) answersByCategory.set(category, answers)
  }
  const firstOfEachCategory = [...answersByCategory]
  const allAnswers = [...firstOfEachCategory.map(([, answers]) => answers), ...candidates]
  const [firstAnswers] = allAnswers
  if (firstAnswers === undefined) return null
  const memberRows = new Map<string, MemberListRow[]>()
  let count = 0
  const createDelegate = (answers: Answers, name: string, day: Day | null): Answers => {
    count += 1
    const answersWithMethod = setPaymentMethod(event, answers, day)
    const delegate = setName(event, setUniqueAnswers(event, answersWithMethod, count), name)
    for (const [listId, row] of buildMemberRows(event, delegate))
      memberRows.set(listId, [...(memberRows.get(listId) ?? []), row])
    return removeMemberCells(event, delegate, () => true)
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
    listMemberRows: () => memberRows,
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

const listMemberFields = ({ fields, memberLists }: EventConfig) =>
  fields.flatMap(({ id, roll }) => {
    const list = memberLists.find((candidate) => candidate.id === roll)
    return list === undefined ? [] : [{ id, list }]
  })

/** Generates answers, with the cells of an invented row for each answer that must be in a member list. */
function inventAnswers(event: EventConfig, random: Random): Answers {
  const memberRecords = Object.fromEntries(
    listMemberFields(event).map(({ id, list }) => [
      id,
      Object.fromEntries(
        list.columns.flatMap((column) =>
          column.options === undefined ? [] : [[column.id, pick(random, column.options)]],
        ),
      ),
    ]),
  )
  const answers = generateAnswers(event, random, { ...EMPTY_CONTEXT, memberRecords })
  return removeMemberCells(event, answers, (id) => answers[id] === undefined)
}

/** Returns the answers without the member list cells of some fields. */
function removeMemberCells(
  event: EventConfig,
  answers: Answers,
  isRemoved: (field: string) => boolean,
): Answers {
  const removedNames = new Set(
    listMemberFields(event).flatMap(({ id, list }) =>
      isRemoved(id) ? list.columns.map((column) => getMemberListValueName(id, column.id)) : [],
    ),
  )
  return Object.fromEntries(Object.entries(answers).filter(([name]) => !removedNames.has(name)))
}

/** Builds the member list rows in which the answers are found. Dates stay empty, so that no row expires. */
function buildMemberRows(
  event: EventConfig,
  answers: Answers,
): readonly (readonly [listId: string, row: MemberListRow])[] {
  return listMemberFields(event).flatMap(({ id, list }) => {
    const entry = answers[id]
    if (typeof entry !== 'string') return []
    const cells = Object.fromEntries(
      list.columns.map(({ id: column, type }): [string, string] => [
        column,
        column === list.key
          ? entry
          : type === 'text'
            ? `Example ${column}`
            : String(answers[getMemberListValueName(id, column)] ?? ''),
      ]),
    )
    return [[list.id, { key: foldText(entry), cells }] as const]
  })
}

/**
 * Returns the answers with new values in the fields that must be unique or in a member list: changes the last four digits of a number, or
 * adds digits to text. An answer that the form would then reject is left unchanged.
 */
function setUniqueAnswers(event: EventConfig, answers: Answers, count: number): Answers {
  const digits = String(count).padStart(UNIQUE_DIGITS, '0')
  const uniqueFieldIds = new Set([
    ...event.unique.flatMap(({ fields }) => fields),
    ...listMemberFields(event).map(({ id }) => id),
  ])
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
