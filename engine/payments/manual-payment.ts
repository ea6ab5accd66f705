/** Labels of payment methods, and the role that can confirm each manual method. */
import { GATEWAY_CAPABILITIES, isGatewayKind } from './gateways/capabilities.ts'
import type { EventConfig } from '../event/config.ts'
import { INR, type Currency } from '../lib/money.ts'
import { countDaysBetween, dayOf, type Day, type Instant } from '../lib/time.ts'
import type { Role } from '../registration/permissions.ts'

const MANUAL_METHODS = {
  transfer: {
    label: 'Bank transfer',
    referenceLabel: 'UTR or bank reference',
    minimumRole: 'treasurer',
  },
  upi: { label: 'UPI', referenceLabel: 'UPI reference', minimumRole: 'treasurer' },
  cheque: {
    label: 'Cheque or draft',
    referenceLabel: 'Cheque number and bank',
    minimumRole: 'treasurer',
  },
  desk: { label: 'At the desk', referenceLabel: 'Slip number', minimumRole: 'desk' },
  cash: { label: 'Cash', referenceLabel: 'Slip number', minimumRole: 'desk' },
  machine: { label: 'Card machine', referenceLabel: 'Slip number', minimumRole: 'desk' },
} as const satisfies Readonly<
  Record<
    string,
    { readonly label: string; readonly referenceLabel: string; readonly minimumRole: Role }
  >
>
/** A payment may be earlier than its registration, but not by so much that a mistyped year is accepted. */
export const MAX_DAYS_BEFORE_REGISTRATION = 180

/**
 * Returns the day from which the days before registration are counted if the payment is too early; otherwise null. It
 * is the day on which registration opened, which may be long before staff add a delegate who paid earlier.
 */
export function findEarlyPayment(
  { registration: { opens } }: Pick<EventConfig, 'registration'>,
  createdAt: Instant,
  paidOn: Day,
): { readonly start: Day; readonly isOpening: boolean } | null {
  const registrationDay = dayOf(createdAt)
  const isOpening = opens !== undefined && opens < registrationDay
  const start = isOpening ? opens : registrationDay
  return countDaysBetween(paidOn, start) > MAX_DAYS_BEFORE_REGISTRATION
    ? { start, isOpening }
    : null
}

export type ManualMethod = keyof typeof MANUAL_METHODS
export const MANUAL_METHOD_IDS = Object.keys(MANUAL_METHODS) as readonly ManualMethod[]

/**
 * Returns true for payments at the desk. Bank references are unique across events, but each event numbers its own
 * slips.
 */
export function isDeskPayment(method: ManualMethod): boolean {
  return MANUAL_METHODS[method].minimumRole === 'desk'
}

export function isManualMethod(method: string): method is ManualMethod {
  return Object.hasOwn(MANUAL_METHODS, method)
}

/**
 * Returns true if a gateway received the payment and can refund it: it is neither manual nor
 * imported.
 */
export function isGatewayPayment(source: string): boolean {
  return !isManualMethod(source) && source !== 'import'
}

/** Formats the label of an event file's own office method for use after an amount in a sentence: "by Demand draft". */
export function formatOfficeMethodInSentence(label: string): string {
  return label === MANUAL_METHODS.desk.label ? formatMethodInSentence('desk') : `by ${label}`
}

/**
 * Formats the method for use after an amount in a sentence: "by bank transfer", "in cash". Names such as UPI keep
 * their capitals.
 */
export function formatMethodInSentence(method: ManualMethod): string {
  const { label } = MANUAL_METHODS[method]
  const phrase = method === 'upi' ? label : `${label.charAt(0).toLowerCase()}${label.slice(1)}`
  if (method === 'desk') return phrase
  return method === 'cash' ? `in ${phrase}` : `by ${phrase}`
}

/** Returns the method's label, the name of its reference, and the role that confirms it. */
export function describeMethod(method: ManualMethod): {
  readonly label: string
  readonly referenceLabel: string
  readonly minimumRole: Role
} {
  return MANUAL_METHODS[method]
}

/** Returns the name of the method's reference. Only transfers in rupees have a UTR. */
export function getReferenceLabel(method: ManualMethod, currency: Currency): string {
  return method === 'transfer' && currency !== INR
    ? 'Bank reference'
    : MANUAL_METHODS[method].referenceLabel
}

/** Returns true if the method accepts this currency. UPI accepts only rupees. */
export function canPayIn(method: ManualMethod, currency: Currency): boolean {
  return method !== 'upi' || currency === INR
}

/** Methods whose payments a bank statement shows individually, each with its reference. */
export const STATEMENT_METHODS = ['transfer', 'upi'] as const satisfies readonly ManualMethod[]

/** The method of a refund for a gateway payment, if the refund was paid from another account. */
export const REFUNDED_OUTSIDE = 'outside'

/** Returns the label of a manual method, a gateway, an import or REFUNDED_OUTSIDE. Returns any other word unchanged. */
export function formatMethod(method: string): string {
  if (isManualMethod(method)) return describeMethod(method).label
  if (isGatewayKind(method)) return GATEWAY_CAPABILITIES[method].label
  if (method === 'gateway') return 'Card gateway'
  if (method === 'import') return 'Imported'
  return method === REFUNDED_OUTSIDE ? 'Refunded outside the gateway' : method
}
