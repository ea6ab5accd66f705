/** Acts that change what a registration answers: a correction, and a transfer to another person. */
import {
  assertNever,
  corrected,
  delegateOf,
  differenceMail,
  err,
  factsAmong,
  formatMoney,
  handedOverMail,
  heldUntil,
  own,
  paise,
  placesOf,
  rawWith,
  transferredMail,
  uniqueRules,
} from '../../engine/index.ts'
import type {
  Corrected,
  CorrectionRefusal,
  EventConfig,
  Facts,
  Paise,
  RawAnswers,
} from '../../engine/index.ts'
import { factsOf, leftOf } from '../registering/facts.ts'
import type { NewMail, StoredRegistration } from '../store/store.ts'
import { amountIn, badData } from './asked.ts'
import type { Asked, Doer, Done } from './asked.ts'

/**
 * `{answers: {field: answer}, total?: rupees}`: null takes an answer away. Where the price changes by it, `total`
 * is the new one, to which whoever corrects has agreed; without it the call says what it would be.
 */
export const correct: Doer = async (asked) => {
  const changes = asked.words['answers']
  if (typeof changes !== 'object' || changes === null)
    return badData('Say which answers change: answers: {field: answer}.')
  return change(asked, changes as RawAnswers, false)
}

/** `{answers}` of the new person, of whom the file asks name, address, phone and council number. */
export const transfer: Doer = async (asked) => {
  const { roles } = asked.served.config
  const changes = asked.words['answers']
  if (typeof changes !== 'object' || changes === null)
    return badData('Say who comes: answers: {field: answer}.')
  const persons = Object.values(roles)
  const others = Object.keys(changes).filter((id) => !persons.includes(id))
  if (others.length > 0)
    return badData(`A transfer changes the person only, and not ${others.join(', ')}.`)
  const name = roles.fullName === undefined ? undefined : own(changes as RawAnswers, roles.fullName)
  if (typeof name !== 'string' || name.trim() === '')
    return badData('Say who comes: the name is missing.')
  // What the new person did not say must not stay the old one's.
  const empty = Object.fromEntries(persons.map((id) => [id, null]))
  return change(asked, { ...empty, ...changes }, true)
}

async function change(asked: Asked, changes: RawAnswers, isTransfer: boolean): Promise<Done> {
  const { deps, served, registration, wanted, words } = asked
  const { config } = served
  const unknown = Object.keys(changes).filter((id) => !config.fields.some((one) => one.id === id))
  if (unknown.length > 0) return badData(`The form has no field ${unknown.join(', ')}.`)
  const files = config.fields.filter(
    ({ id, type }) => type === 'file' && Object.hasOwn(changes, id),
  )
  if (files.length > 0) return badData('A file is not corrected here.')
  const facts = await factsNow(asked, changes)
  const judged = corrected(config, registration, changes, facts)
  if (!judged.ok) return badData(sayRefusal(config, judged.error))
  const { answers, category, quote } = judged.value
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
    searchable: delegateOf(config, answers),
    unique: uniqueRules(config),
    quote,
    through:
      config.payment === null
        ? null
        : {
            gateway: config.payment.gateway.name,
            askedOf: {
              account: config.payment.account,
              merchantId: deps.gateway.merchantOf(config),
            },
          },
    holdUntil: heldUntil(config, wanted.at),
    changes: judged.value.changes,
    mails: isTransfer
      ? present([handedOverMail(config, registration), transferredMail(config, told)])
      : mailsAfter(config, told, paise(registration.due + difference)),
    endsLinks: isTransfer,
  })
}

/** Of a paid registration that costs more now. */
function mailsAfter(
  config: EventConfig,
  registration: StoredRegistration,
  due: Paise,
): readonly NewMail[] {
  const owes = registration.paymentStatus === 'success' && due > 0 && due !== registration.due
  return owes && config.payment !== null ? present([differenceMail(config, registration, due)]) : []
}

const present = (mails: readonly (NewMail | null)[]): readonly NewMail[] =>
  mails.filter((mail) => mail !== null)

/** What rolls say of answers that are others, and which places are left beside those that it has. */
async function factsNow(
  { deps, served: { config }, registration, wanted: { at } }: Asked,
  changes: RawAnswers,
): Promise<Facts> {
  const { answers, category } = registration
  const before = factsAmong(config, answers)
  const raw = rawWith(config, answers, changes)
  const left = await leftOf(deps, config, at)
  const has = placesOf(config.limits, answers, category).map(({ id }) => [id, 1] as const)
  const { facts } = await factsOf(deps, config, raw, {}, at)
  const isSame = (field: string): boolean => own(changes, field) === undefined
  return {
    code: before.code,
    // What was full when it was registered was so for its price as well.
    left: { ...left, ...Object.fromEntries(has), ...before.left },
    rolls: Object.fromEntries(
      Object.entries(facts.rolls).map(([field, row]) => [
        field,
        isSame(field) ? (own(before.rolls, field) ?? row) : row,
      ]),
    ),
  }
}

function differenceOf({ total }: Pick<StoredRegistration, 'total'>, { quote }: Corrected): Paise {
  return quote === null ? paise(0) : paise(quote.total - (total ?? 0))
}

function sayChange({ total }: Pick<StoredRegistration, 'total'>, now: Paise): string {
  const was = total ?? paise(0)
  const [more, less] = [paise(now - was), paise(was - now)]
  const change = more > 0 ? `${formatMoney(more)} more` : `${formatMoney(less)} less`
  return `With this correction it costs ${formatMoney(now)} instead of ${formatMoney(was)}: ${change}. Agree to that to make it.`
}

function sayRefusal(event: EventConfig, refusal: CorrectionRefusal): string {
  switch (refusal.code) {
    case 'wrong_answers':
      return Object.entries(refusal.errors)
        .map(([id, message]) => `${labelIn(event, id)}: ${message}`)
        .join(' ')
    case 'no_price':
      return refusal.why.code === 'no_category'
        ? 'These answers belong to no category.'
        : 'What these answers ask for was not on sale when this was registered.'
    default:
      return assertNever(refusal)
  }
}

function labelIn({ fields }: EventConfig, id: string): string {
  return fields.find((field) => field.id === id.split('.')[0])?.label ?? id
}
