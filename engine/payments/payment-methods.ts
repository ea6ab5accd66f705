/**
 * The payment methods of an event: which are open on a day, and which one the delegate chose.
 *
 * An event file may define card gateways, transfers with a payment claim, and front desk payments.
 */
import { PAYMENT_METHOD_MESSAGES } from '../text-catalogue/payment-methods.ts'
import { formatMessage } from '../lib/format-message.ts'
import { getCardCapabilities } from './gateways/capabilities.ts'
import type {
  CardMethod,
  OfficeMethod,
  PaymentMethod,
  TransferMethod,
} from '../event/payment-method-types.ts'
import { METHOD_FIELD } from '../rules/pricing-context.ts'
import type { Answers, FieldErrors, RawAnswers } from '../event/answer-types.ts'
import type { EventConfig } from '../event/config.ts'
import { isBlank } from '../answers/read-answer.ts'
import { getCurrency, findCategory } from '../rules/category.ts'
import type { Field, Section } from '../event/form-types.ts'
import type { Currency } from '../lib/money.ts'
import { err, ok, getOwn, type Result } from '../lib/result.ts'
import { describeMethod, type ManualMethod } from './manual-payment.ts'
import { formatDay, type Day } from '../lib/time.ts'

const messages = PAYMENT_METHOD_MESSAGES

type WithMethods = { readonly methods: readonly PaymentMethod[] }

/** Returns the methods that delegates can choose. */
export function listDelegateMethods({
  methods,
}: WithMethods): readonly (CardMethod | TransferMethod)[] {
  return methods.flatMap((method) => (method.is === 'desk' ? [] : [method]))
}

/**
 * The desk methods of events whose file defines none. Each is a manual payment method with the same
 * id.
 */
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

/**
 * Returns the methods with which staff take payments in person: those of the event file, or cash
 * and card machine.
 */
export function listFrontDeskMethods({ methods }: WithMethods): readonly OfficeMethod[] {
  const declaredMethods = methods.flatMap((method) => (method.is === 'desk' ? [method] : []))
  return declaredMethods.length > 0 || methods.length === 0 ? declaredMethods : DEFAULT_DESK_METHODS
}

/**
 * Returns the manual payment method of a default desk method; null if the event file defines the
 * method.
 */
export function getUsualDeskPayment(method: OfficeMethod): ManualMethod | null {
  return DEFAULT_DESK_METHODS.find((usual) => usual === method)?.id ?? null
}

/** Returns false if the event never takes payments. */
export function takesPayments({ methods }: WithMethods): boolean {
  return methods.length > 0
}

export function isMethodOpen({ until }: PaymentMethod, on: Day): boolean {
  return until === undefined || on <= until
}

/**
 * Returns the currencies of the bills that the method can pay; for a card, those of its gateway.
 * Null for all currencies.
 */
export function listAcceptedCurrencies(method: PaymentMethod): readonly Currency[] | null {
  const limit = method.is === 'card' ? getCardCapabilities(method).currencies : null
  return method.currencies?.filter((currency) => limit?.includes(currency) !== false) ?? limit
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
 * Returns the method that these answers choose on that day for a bill in that currency; null if the
 * event takes no payments from delegates. API callers may not choose; then the first open method is
 * used. The error lists the open methods.
 */
export function findChosenMethod(
  event: WithMethods,
  answers: Answers,
  on: Day,
  currency: Currency,
): Result<CardMethod | TransferMethod | null, string> {
  const allMethods = listDelegateMethods(event)
  if (allMethods.length === 0) return ok(null)
  const offered = allMethods.filter((method) => acceptsCurrency(method, currency))
  const openMethods = offered.filter((method) => isMethodOpen(method, on))
  const chosen =
    offered.length === 1 ? offered[0] : findMethod(offered, getOwn(answers, METHOD_FIELD))
  const method = chosen ?? openMethods[0]
  if (method !== undefined && isMethodOpen(method, on)) return ok(method)
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
 * Returns an error that names the accepted methods, if the chosen method does not accept the
 * currency of these answers. Without a choice, the event's first method counts, because forms
 * preselect it. Empty if there is no error.
 */
export function findMethodFieldErrors(
  event: EventConfig,
  raw: RawAnswers,
  answers: Answers,
  on: Day,
): FieldErrors {
  const allMethods = listDelegateMethods(event)
  const statedMethod = getOwn(raw, METHOD_FIELD)
  const method = isBlank(statedMethod)
    ? allMethods[0]
    : findMethod(allMethods, String(statedMethod).trim())
  const currency = getCurrency(event, findCategory(event, answers))
  if (allMethods.length < 2 || method === undefined || acceptsCurrency(method, currency)) return {}
  const openMethods = allMethods.filter(
    (other) => acceptsCurrency(other, currency) && isMethodOpen(other, on),
  )
  const methods = openMethods.map(({ label }) => `“${label}”`).join(', ')
  return methods === ''
    ? {}
    : { [METHOD_FIELD]: formatMessage(messages.byCurrency, { currency, methods }) }
}

function findMethod(
  offered: readonly (CardMethod | TransferMethod)[],
  id: unknown,
): CardMethod | TransferMethod | undefined {
  return offered.find((method) => method.id === id)
}

/**
 * Returns the field and its section; null if there is no choice. `currencies`: the currencies of
 * the event's bills; `section`: the index of the new section.
 */
export function buildMethodQuestion(
  event: WithMethods,
  currencies: readonly Currency[],
  section: number,
  required: string,
): { readonly field: Field; readonly section: Section } | null {
  const offered = listDelegateMethods(event)
  if (offered.length < 2) return null
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
      options: offered.map((method) => {
        const { id, label, until } = method
        const accepted = currencies.filter((currency) => acceptsCurrency(method, currency))
        return {
          id,
          ...(accepted.length === currencies.length ? {} : { currencies: accepted }),
          label:
            until === undefined
              ? label
              : formatMessage(messages.until, { method: label, day: formatDay(until) }),
        }
      }),
      default: offered[0]?.id ?? '',
      required: { message: required },
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
const MOBILE = /^[6-9][0-9]{9}$/
const MOBILE_LABEL =
  /\b(?:G(?:oogle ?)?Pay|PhonePe|Paytm|BHIM|mobile|phone|WhatsApp|call|contact)\b[^0-9\n;]{0,40}$/i

const findAccounts = (instructions: string): readonly string[] =>
  [...instructions.matchAll(ACCOUNT_PATTERN)].flatMap(({ 0: text, index }) =>
    MOBILE.test(text) && MOBILE_LABEL.test(instructions.slice(0, index)) ? [] : [text],
  )

/** Country, two check digits and the account; printed in groups of four (ISO 13616). */
const IBAN_PATTERN = /(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g
/** Matched only after its name, because it looks like a word in capitals (ISO 9362). */
const BIC_PATTERN =
  /(?<=\b(?:BIC|SWIFT)(?:\/(?:BIC|SWIFT))?(?: code)?:? )[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Za-z0-9])/

/** Returns the numbers to copy from payment instructions, one per kind. */
export function findBankNumbers(instructions: string): readonly BankNumber[] {
  const [iban] = findIbans(instructions)
  const found: readonly (readonly [BankNumber['label'], string | undefined])[] = [
    [messages.upiId, UPI_PATTERN.exec(instructions)?.[0]],
    [messages.iban, iban],
    [messages.bic, BIC_PATTERN.exec(instructions)?.[0]],
    [messages.account, findAccounts(instructions)[0]],
    [messages.ifsc, IFSC_PATTERN.exec(instructions)?.[0]],
  ]
  return found.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]))
}

/**
 * Returns IBANs without spaces. A word in capitals may follow an IBAN, so the longest part with
 * correct check digits counts.
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
 * specification: pa, pn, am, cu, tn). `amount` is in rupees with two decimals.
 */
export function buildUpiLink(to: {
  readonly upi: string
  readonly name: string
  readonly amount: string
  readonly note: string
}): string {
  const parameters = { pa: to.upi, pn: to.name, am: to.amount, cu: 'INR', tn: to.note }
  const query = Object.entries(parameters).map(
    ([key, word]) => `${key}=${encodeURIComponent(word)}`,
  )
  // Banks' printed codes never escape the @ of an address.
  return `upi://pay?${query.join('&').replace('%40', '@')}`
}
