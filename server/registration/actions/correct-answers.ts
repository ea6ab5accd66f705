/** Handles actions that change answers: correction, edit and transfer to another person. */
import {
  assertNever,
  calculateBalance,
  correctRegistration,
  readDelegate,
  editableFields,
  err,
  extractContext,
  filesToSend,
  formatMoney,
  priceHoldEnd,
  getOwn,
  paise,
  requiredSeats,
  rawAnswersWithChanges,
  uniqueRules,
} from '../../../engine/index.ts'
import {
  buildCorrectedEmail,
  buildMoreToPayEmail,
  formatMessage,
  buildTransferredEmail,
  REFUSAL_MESSAGES,
  buildTransferredToYouEmail,
} from '../../../engine/messages.ts'
import type {
  CorrectedRegistration,
  CorrectionRefusal,
  EventConfig,
  PricingContext,
  Paise,
  Answers,
  RawAnswers,
} from '../../../engine/index.ts'
import { draftsIn } from '../uploads/draft-uploads.ts'
import { factsOf, leftOf } from '../look-up-pricing-context.ts'
import { FILE_GONE } from '../uploads/validate-uploads.ts'
import type { DraftProof, NewMail, StoredRegistration } from '../../storage/index.ts'
import { amountsOf } from './approve-registration.ts'
import { amountIn, badData } from './action-input.ts'
import type { ActionRequest, ActionHandler, Done } from './action-input.ts'
import { completeMail } from './resend-emails.ts'
import { throughFor } from './choose-payment-method.ts'

/**
 * `{answers: {field: answer}, total?: rupees}`: null removes an answer. If the price changes, `total` is the new
 * price that the user has agreed to; without it the call returns the new price.
 */
export const correct: ActionHandler = async (asked) => {
  const changes = asked.words['answers']
  if (typeof changes !== 'object' || changes === null)
    return badData('Choose at least one answer to correct: answers: {field: answer}.')
  return change(asked, changes as RawAnswers, 'correct')
}

/** `{answers}` of the new person: name, address, phone and council number, as the event file asks. */
export const transfer: ActionHandler = async (asked) => {
  const { roles } = asked.served.config
  const changes = asked.words['answers']
  if (typeof changes !== 'object' || changes === null)
    return badData('Enter the details of the new person: answers: {field: answer}.')
  const persons = Object.values(roles)
  const others = Object.keys(changes).filter((id) => !persons.includes(id))
  if (others.length > 0)
    return badData(`A transfer changes the person only, not ${others.join(', ')}.`)
  const name =
    roles.fullName === undefined ? undefined : getOwn(changes as RawAnswers, roles.fullName)
  if (typeof name !== 'string' || name.trim() === '')
    return badData('Enter the name of the new person.')
  // Clears answers that the new person did not give, so that the previous person's do not remain.
  const empty = Object.fromEntries(persons.map((id) => [id, null]))
  return change(asked, { ...empty, ...changes }, 'transfer')
}

/**
 * `{answers}` to fields that the event file lets delegates change until its edit date. A file is the token of an
 * upload sent ahead. A required file that is missing may be submitted on any day.
 */
export const edit: ActionHandler = async (asked) => {
  const { answers: answerText, request, selfService: text } = REFUSAL_MESSAGES
  const { deps, served, registration, wanted, words } = asked
  const { config } = served
  const given = words['answers']
  if (typeof given !== 'object' || given === null) return badData(request.noAnswers)
  const may = new Set([
    ...editableFields(config, wanted.at).map(({ id }) => id),
    ...filesToSend(config, registration.answers, []).map(({ id }) => id),
  ])
  const others = Object.keys(given).filter((id) => !may.has(id))
  if (others.length > 0)
    return badData(
      formatMessage(config.edit === null ? text.notEditable : text.notEditableAnyMore, {
        fields: others.map((id) => labelIn(config, id)).join(', '),
        support: config.support,
      }),
    )
  const drafts = await draftsIn(deps, config, given as RawAnswers, wanted.at)
  const files: Record<string, DraftProof> = {}
  for (const [id, draft] of drafts) {
    if (!draft.ok)
      return badData(
        formatMessage(answerText.fieldError, { field: labelIn(config, id), error: FILE_GONE }),
      )
    files[id] = draft.value
  }
  const unsent = config.fields.filter(
    ({ id, type }) => type === 'file' && Object.hasOwn(given, id) && files[id] === undefined,
  )
  if (unsent.length > 0) return badData(request.sendFileFirst)
  const named = Object.fromEntries(Object.entries(files).map(([id, { name }]) => [id, name]))
  return change(asked, { ...given, ...named }, 'edit', Object.values(files))
}

async function change(
  asked: ActionRequest,
  changes: RawAnswers,
  how: 'correct' | 'transfer' | 'edit',
  files: readonly DraftProof[] = [],
): Promise<Done> {
  const isTransfer = how === 'transfer'
  const { deps, served, registration, wanted, words } = asked
  const { config } = served
  const unknown = Object.keys(changes).filter((id) => !config.fields.some((one) => one.id === id))
  if (unknown.length > 0) return badData(`The form has no field ${unknown.join(', ')}.`)
  const isSent = (id: string): boolean => files.some(({ field }) => field === id)
  const unsent = config.fields.filter(
    ({ id, type }) => type === 'file' && Object.hasOwn(changes, id) && !isSent(id),
  )
  if (unsent.length > 0) return badData('Files cannot be corrected here.')
  const facts = await factsNow(asked, changes)
  const judged = correctRegistration(config, registration, changes, facts)
  if (!judged.ok) return badData(sayRefusal(config, judged.error))
  const { answers, category, quote } = judged.value
  if (how === 'edit' && (quote !== null || category !== registration.category))
    return badData(
      formatMessage(REFUSAL_MESSAGES.selfService.changesPrice, { support: config.support }),
    )
  const difference = differenceOf(registration, judged.value)
  if (quote !== null && difference !== 0) {
    const agreed = amountIn(words, 'total')
    if (!agreed.ok) return agreed
    if (agreed.value !== quote.total)
      return err({
        code: 'price_changes',
        message: sayChange(registration, quote.total),
        quote,
      })
  }
  const told = { ...registration, answers }
  return deps.store.correct(wanted, {
    was: registration.answers,
    answers,
    category,
    searchable: readDelegate(config, answers),
    unique: uniqueRules(config),
    quote,
    through: throughFor(deps, config, registration, wanted.at),
    holdUntil: priceHoldEnd(config, wanted.at),
    changes: [
      ...judged.value.changes,
      // A file with the same name as the previous one.
      ...files
        .filter(({ field, name }) => getOwn(registration.answers, field) === name)
        .map(({ field }) => `${labelIn(config, field)}: another file`),
    ],
    uploads: files.map(({ field, sha256, name, type, bytes }) => ({
      field,
      sha256,
      name,
      type,
      bytes,
    })),
    confirmation:
      quote?.total === 0
        ? completeMail(config, { ...told, ...amountsOf(quote), category, due: paise(0) }, wanted.at)
        : null,
    mails: isTransfer
      ? present([
          buildTransferredEmail(config, registration),
          buildTransferredToYouEmail(config, told),
        ])
      : await mailsAfter(asked, told, await dueAfter(asked, quote?.total ?? null)),
    // The links were sent to an address that did not belong to the delegate. A delegate who edits their own
    // answers keeps the link in use.
    endsLinks: isTransfer || (how === 'correct' && isMoved(config, registration.answers, answers)),
  })
}

/** Returns true if emails go to another address from now on. */
function isMoved(config: EventConfig, was: Answers, now: Answers): boolean {
  const [before, after] = [readDelegate(config, was), readDelegate(config, now)]
  return before.email.toLowerCase() !== after.email.toLowerCase()
}

/** Computes the balance at a new price, by the same rule as the store; null: the price does not change. */
async function dueAfter(
  { deps, registration }: ActionRequest,
  total: Paise | null,
): Promise<Paise> {
  const { regNo, due, total: before } = registration
  if (total === null) return due
  const money = await deps.store.moneyOfBill(regNo)
  return paise(due + calculateBalance(total, money) - calculateBalance(before ?? paise(0), money))
}

/** Returns the emails about a paid registration whose balance has changed in either direction. */
async function mailsAfter(
  { deps, served: { config } }: ActionRequest,
  registration: StoredRegistration,
  due: Paise,
): Promise<readonly NewMail[]> {
  if (registration.paymentStatus !== 'success' || due === registration.due) return []
  if (due > 0)
    return config.payment === null ? [] : present([buildMoreToPayEmail(config, registration, due)])
  // Money that has been refunded is not refunded again.
  const back = paise(Math.min(-due, await deps.store.kept(registration.regNo)))
  return present([buildCorrectedEmail(config, registration, back)])
}

const present = (mails: readonly (NewMail | null)[]): readonly NewMail[] =>
  mails.filter((mail) => mail !== null)

/** Looks up the member lists for changed answers, and the seats left beside those that the registration holds. */
async function factsNow(
  { deps, served: { config }, registration, wanted: { at } }: ActionRequest,
  changes: RawAnswers,
): Promise<PricingContext> {
  const { answers, category } = registration
  const before = extractContext(config, answers)
  const raw = rawAnswersWithChanges(config, answers, changes)
  const left = await leftOf(deps, config, at)
  const has = requiredSeats(config.quotas, answers, category).map(({ id }) => [id, 1] as const)
  const { facts } = await factsOf(deps, config, raw, {}, at)
  const isSame = (field: string): boolean => getOwn(changes, field) === undefined
  return {
    code: before.code,
    // An item that was full at registration also counted as full in its price.
    left: { ...left, ...Object.fromEntries(has), ...before.left },
    rolls: Object.fromEntries(
      Object.entries(facts.rolls).map(([field, row]) => [
        field,
        isSame(field) ? (getOwn(before.rolls, field) ?? row) : row,
      ]),
    ),
  }
}

function differenceOf(
  { total }: Pick<StoredRegistration, 'total'>,
  { quote }: CorrectedRegistration,
): Paise {
  return quote === null ? paise(0) : paise(quote.total - (total ?? 0))
}

function sayChange({ total }: Pick<StoredRegistration, 'total'>, now: Paise): string {
  const was = total ?? paise(0)
  const [more, less] = [paise(now - was), paise(was - now)]
  const change = more > 0 ? `${formatMoney(more)} more` : `${formatMoney(less)} less`
  return `This correction changes the price from ${formatMoney(was)} to ${formatMoney(now)}: ${change}. Agree to save it.`
}

function sayRefusal(event: EventConfig, refusal: CorrectionRefusal): string {
  switch (refusal.code) {
    case 'wrong_answers':
      return Object.entries(refusal.errors)
        .map(([id, message]) => `${labelIn(event, id)}: ${message}`)
        .join(' ')
    case 'no_price':
      return refusal.why.code === 'no_category'
        ? 'These answers match no category.'
        : 'These answers choose something that was not on sale on the day of registration.'
    default:
      return assertNever(refusal)
  }
}

function labelIn({ fields }: EventConfig, id: string): string {
  return fields.find((field) => field.id === id.split('.')[0])?.label ?? id
}
