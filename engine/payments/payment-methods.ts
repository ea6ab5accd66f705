/**
 * Determines which payment methods of an event are open on a date, and which method the delegate chose.
 *
 * An event file may define card gateways, transfers that delegates report, and front desk payments.
 */
import { PAYMENT_METHOD_MESSAGES } from '../text-catalogue/payment-methods.ts'
import { SERVER_MESSAGES } from '../text-catalogue/server-messages.ts'
import { formatMessage } from '../lib/format-message.ts'
import { getCardCapabilities } from './gateways/capabilities.ts'
import type {
  CardMethod,
  OfficeMethod,
  PaymentMethod,
  TransferMethod,
} from '../event/payment-method-types.ts'
import { METHOD_FIELD, METHOD_NAME } from '../rules/pricing-context.ts'
import type { Answers, FieldErrors, RawAnswers } from '../event/answer-types.ts'
import type { EventConfig } from '../event/config.ts'
import { isBlank } from '../answers/read-answer.ts'
import { getCurrency, findCategory } from '../rules/category.ts'
import type { Field, Section } from '../event/form-types.ts'
import type { Currency } from '../lib/money.ts'
import { err, ok, getOwn, type Result } from '../lib/result.ts'
import { describeMethod, isManualMethod, type ManualMethod } from './manual-payment.ts'
import { formatDay, type Day } from '../lib/time.ts'

const messages = PAYMENT_METHOD_MESSAGES

type WithMethods = { readonly methods: readonly PaymentMethod[] }

/** Returns the methods that delegates can choose. */
export function listDelegateMethods({
  methods,
}: WithMethods): readonly (CardMethod | TransferMethod)[] {
  return methods.flatMap((method) => (method.is === 'desk' ? [] : [method]))
}

/** The desk methods of events whose file defines none. Each has the id of a manual payment method. */
const DEFAULT_DESK_METHODS = (['cash', 'machine'] as const).map(
  (method): OfficeMethod & { id: ManualMethod } => {
    const { label, referenceLabel } = describeMethod(method)
    const slip: Field = {
      id: 'slip',
      type: 'text',
      label: `${referenceLabel} (optional)`,
      section: 0,
      ignoreCase: false,
      check: false,
      invalid: '',
    }
    return { is: 'desk', id: method, label, fields: [slip], reference: slip.id }
  },
)

/** Returns the methods with which staff take payments in person: the event file's methods, or cash and card machine. */
export function listFrontDeskMethods({ methods }: WithMethods): readonly OfficeMethod[] {
  const declaredMethods = methods.flatMap((method) => (method.is === 'desk' ? [method] : []))
  return declaredMethods.length > 0 || methods.length === 0 ? declaredMethods : DEFAULT_DESK_METHODS
}

/**
 * Returns the manual payment method of a default desk method; null if the event file defines the
 * method.
 */
export function findManualDeskMethod(method: OfficeMethod): ManualMethod | null {
  return DEFAULT_DESK_METHODS.find((defaultMethod) => defaultMethod === method)?.id ?? null
}

/** Maps the specification's payment modes to manual payment methods. Any other mode is stored as `desk`. */
const METHOD_BY_MODE: Readonly<Record<string, ManualMethod>> = { cash: 'cash', card: 'machine' }

/** Returns the manual payment method of a payment mode that staff choose at the front desk; `desk` for other modes. */
export function getManualMethodOfMode(mode: string): ManualMethod {
  return getOwn(METHOD_BY_MODE, mode) ?? 'desk'
}

/**
 * Returns the office methods of the event file that add a choice to the manual payment methods, for bills in this
 * currency. Their payments are stored as `desk`.
 */
export function listOwnOfficeMethods(
  { methods }: WithMethods,
  currency: Currency,
): readonly OfficeMethod[] {
  return methods.filter(
    (method): method is OfficeMethod =>
      method.is === 'desk' &&
      acceptsCurrency(method, currency) &&
      (method.id === 'desk' || !isManualMethod(method.id)) &&
      !hasOnlyKnownModes(method),
  )
}

/** Returns true if staff would record every payment by this method as cash or by card machine. */
function hasOnlyKnownModes(method: OfficeMethod): boolean {
  return listModes(method)?.every(({ id }) => Object.hasOwn(METHOD_BY_MODE, id)) ?? false
}

/** Returns true if this office method includes payments that staff record by this method at the desk. */
export function includesManualMethod(method: OfficeMethod, manualMethod: ManualMethod): boolean {
  const isNamed = manualMethod === 'desk' || method.id === 'desk' || method.id === manualMethod
  return (
    isNamed ||
    (listModes(method)?.some(({ id }) => getManualMethodOfMode(id) === manualMethod) ?? false)
  )
}

const listModes = ({ fields }: OfficeMethod) =>
  fields.find(({ type }) => type === 'select')?.options

/** Returns false if the event never takes payments. */
export function takesPayments({ methods }: WithMethods): boolean {
  return methods.length > 0
}

export function isMethodOpen({ until }: PaymentMethod, day: Day): boolean {
  return until === undefined || day <= until
}

/**
 * Returns the currencies of the bills that the method can pay; for a card, those of its gateway.
 * Null for all currencies.
 */
export function listAcceptedCurrencies(method: PaymentMethod): readonly Currency[] | null {
  const gatewayCurrencies = method.is === 'card' ? getCardCapabilities(method).currencies : null
  return (
    method.currencies?.filter((currency) => gatewayCurrencies?.includes(currency) !== false) ??
    gatewayCurrencies
  )
}

/** Returns true if the method can pay a bill in this currency. */
export function acceptsCurrency(method: PaymentMethod, currency: Currency): boolean {
  return listAcceptedCurrencies(method)?.includes(currency) !== false
}

/** Returns the transfer method with that id; null if there is none. */
export function findTransferMethod(
  { methods }: WithMethods,
  id: string | null,
): TransferMethod | null {
  return (
    methods.find(
      (method): method is TransferMethod => method.is === 'transfer' && method.id === id,
    ) ?? null
  )
}

/**
 * Returns the method that these answers choose on that day for a bill in that currency; null if the event takes no
 * payments from delegates. If the answers contain no choice, as in some API requests, the first open method is used.
 * An error lists the open methods.
 */
export function findChosenMethod(
  event: WithMethods,
  answers: Answers,
  day: Day,
  currency: Currency,
): Result<CardMethod | TransferMethod | null, string> {
  const allMethods = listDelegateMethods(event)
  if (allMethods.length === 0) return ok(null)
  const offeredMethods = allMethods.filter((method) => acceptsCurrency(method, currency))
  const openMethods = offeredMethods.filter((method) => isMethodOpen(method, day))
  const chosenMethod =
    offeredMethods.length === 1
      ? offeredMethods[0]
      : findMethod(offeredMethods, getOwn(answers, METHOD_FIELD))
  const method = chosenMethod ?? openMethods[0]
  if (method !== undefined && isMethodOpen(method, day)) return ok(method)
  const endedText =
    method?.until === undefined
      ? messages.closed
      : formatMessage(messages.ended, { method: method.label, day: formatDay(method.until) })
  const methods = openMethods.map(({ label }) => label).join(', ')
  return err(
    methods === '' ? endedText : `${endedText} ${formatMessage(messages.choose, { methods })}`,
  )
}

/**
 * Returns an error that lists the accepted methods, if the chosen method does not accept the
 * currency of these answers. Without a choice, the event's first method counts, because forms
 * preselect it. An API request that states another method in `method`, which is not a field, is refused: it would
 * otherwise be charged by a method that it does not mean. Empty if there is no error.
 */
export function findMethodFieldErrors(
  event: EventConfig,
  raw: RawAnswers,
  answers: Answers,
  day: Day,
): FieldErrors {
  const allMethods = listDelegateMethods(event)
  const statedMethod = getOwn(raw, METHOD_FIELD)
  const method = isBlank(statedMethod)
    ? allMethods[0]
    : findMethod(allMethods, String(statedMethod).trim())
  const misnamedError = findMisnamedMethod(event, raw, allMethods)
  if (misnamedError !== null) return { [METHOD_FIELD]: misnamedError }
  const currency = getCurrency(event, findCategory(event, answers))
  if (allMethods.length < 2 || method === undefined || acceptsCurrency(method, currency)) return {}
  const openMethods = allMethods.filter(
    (other) => acceptsCurrency(other, currency) && isMethodOpen(other, day),
  )
  const methods = openMethods.map(({ label }) => `“${label}”`).join(', ')
  return methods === ''
    ? {}
    : { [METHOD_FIELD]: formatMessage(messages.byCurrency, { currency, methods }) }
}

/**
 * Returns an error if a request states another method in `method` than the chosen one, or the preselected one if it
 * states no choice.
 */
function findMisnamedMethod(
  event: EventConfig,
  raw: RawAnswers,
  allMethods: readonly (CardMethod | TransferMethod)[],
): string | null {
  const [stated, choice] = [getOwn(raw, METHOD_NAME), getOwn(raw, METHOD_FIELD)]
  const chosenId = isBlank(choice) ? allMethods[0]?.id : String(choice).trim()
  return allMethods.length < 2 ||
    isBlank(stated) ||
    String(stated).trim() === chosenId ||
    event.fields.some(({ id }) => id === METHOD_NAME)
    ? null
    : formatMisnamedMethod(allMethods)
}

/** Returns the error for a request that states its payment method in `method`. */
export const formatMisnamedMethod = (methods: readonly PaymentMethod[]): string =>
  formatMessage(SERVER_MESSAGES.request.methodName, {
    field: METHOD_FIELD,
    name: METHOD_NAME,
    methods: methods.map(({ id }) => id).join(', '),
  })

function findMethod(
  offeredMethods: readonly (CardMethod | TransferMethod)[],
  id: unknown,
): CardMethod | TransferMethod | undefined {
  return offeredMethods.find((method) => method.id === id)
}

/**
 * Returns the payment method field and its section; null if the event has fewer than two methods. `currencies`: the
 * currencies of the event's bills. `section`: the index of the new section.
 */
export function buildMethodQuestion(
  event: WithMethods,
  currencies: readonly Currency[],
  section: number,
  requiredMessage: string,
): { readonly field: Field; readonly section: Section } | null {
  const offeredMethods = listDelegateMethods(event)
  if (offeredMethods.length < 2) return null
  return {
    section: { title: messages.section, fields: [METHOD_FIELD] },
    field: {
      id: METHOD_FIELD,
      type: 'select',
      as: 'radio',
      label: messages.label,
      section,
      ignoreCase: false,
      invalid: messages.missing,
      check: true,
      options: offeredMethods.map((method) => {
        const { id, label, until } = method
        const acceptedCurrencies = currencies.filter((currency) =>
          acceptsCurrency(method, currency),
        )
        return {
          id,
          ...(acceptedCurrencies.length === currencies.length
            ? {}
            : { currencies: acceptedCurrencies }),
          label,
          // Not in the label, which is part of the answer: it would be shown long after the deadline.
          ...(until === undefined
            ? {}
            : { about: formatMessage(messages.until, { day: formatDay(until) }) }),
        }
      }),
      default: offeredMethods[0]?.id ?? '',
      required: { message: requiredMessage },
    },
  }
}

/** A number to copy into a banking app. */
export type BankNumber = { readonly label: string; readonly text: string }

/** A name and a bank handle without a dot. With a dot, it is an email address. */
const UPI_PATTERN =
  /(?<![\w.@-])[A-Za-z0-9][\w.-]{1,49}@[A-Za-z][A-Za-z0-9]{1,29}(?![\w@-]|\.[A-Za-z])/
/** Four letters of the bank, a 0, six characters of the branch (Reserve Bank of India). */
const IFSC_PATTERN = /(?<![A-Za-z0-9])[A-Z]{4}0[A-Z0-9]{6}(?![A-Za-z0-9])/
/** Nine to eighteen digits, as used by banks in India. */
const ACCOUNT_PATTERN = /(?<![\w+@.-])[0-9]{9,18}(?![\w@-])/g
/**
 * Indian mobile numbers are as long as some account numbers; the preceding words distinguish them.
 */
const MOBILE_PATTERN = /^[6-9][0-9]{9}$/
const MOBILE_LABEL_PATTERN =
  /\b(?:G(?:oogle ?)?Pay|PhonePe|Paytm|BHIM|mobile|phone|WhatsApp|call|contact)\b[^0-9\n;]{0,40}$/i

const findAccounts = (instructions: string): readonly string[] =>
  [...instructions.matchAll(ACCOUNT_PATTERN)].flatMap(({ 0: text, index }) =>
    MOBILE_PATTERN.test(text) && MOBILE_LABEL_PATTERN.test(instructions.slice(0, index))
      ? []
      : [text],
  )

/** Country, two check digits and the account; printed in groups of four (ISO 13616). */
const IBAN_PATTERN = /(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g
/** Matched only after “BIC” or “SWIFT”, because it looks like a word in capitals (ISO 9362). */
const BIC_PATTERN =
  /(?<=\b(?:BIC|SWIFT)(?:\/(?:BIC|SWIFT))?(?: code)?:? )[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Za-z0-9])/

/** Returns the numbers to copy from payment instructions, one per kind. */
export function findBankNumbers(instructions: string): readonly BankNumber[] {
  const [iban] = findIbans(instructions)
  const candidateNumbers: readonly (readonly [BankNumber['label'], string | undefined])[] = [
    [messages.upiId, UPI_PATTERN.exec(instructions)?.[0]],
    [messages.iban, iban],
    [messages.bic, BIC_PATTERN.exec(instructions)?.[0]],
    [messages.account, findAccounts(instructions)[0]],
    [messages.ifsc, IFSC_PATTERN.exec(instructions)?.[0]],
  ]
  return candidateNumbers.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]))
}

/**
 * Returns IBANs without spaces. A word in capitals may follow an IBAN, so the longest part with correct check digits
 * is used.
 */
const findIbans = (instructions: string): readonly string[] =>
  [...instructions.matchAll(IBAN_PATTERN)].flatMap(([match]) => {
    const groups = match.split(' ')
    const candidates = groups.map((_, index) => groups.slice(0, groups.length - index).join(''))
    return candidates.find(isIban) ?? []
  })

/**
 * Returns true if the check digits are correct: the account, country and check digits as a number
 * are 1 modulo 97.
 */
function isIban(text: string): boolean {
  const digits = `${text.slice(4)}${text.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}

/** Returns every account number, IBAN and UPI ID in payment instructions. */
export function listAccountNumbers(instructions: string): readonly string[] {
  const upiIds = instructions.match(new RegExp(UPI_PATTERN.source, 'g')) ?? []
  return [...upiIds, ...findAccounts(instructions), ...findIbans(instructions)]
}

/**
 * Returns the link that UPI apps read from a QR code: payee, amount and reference (NPCI's linking
 * specification: pa, pn, am, cu, tn). `amount` is in rupees with two decimal places.
 */
export function buildUpiLink(transfer: {
  readonly upi: string
  readonly name: string
  readonly amount: string
  readonly note: string
}): string {
  const parameters = {
    pa: transfer.upi,
    pn: transfer.name,
    am: transfer.amount,
    cu: 'INR',
    tn: transfer.note,
  }
  const query = Object.entries(parameters).map(
    ([key, word]) => `${key}=${encodeURIComponent(word)}`,
  )
  // Banks' printed codes never escape the @ of an address.
  return `upi://pay?${query.join('&').replace('%40', '@')}`
}
