/** Sample registrations and payment events for the store's tests. */
import { randomInt } from 'node:crypto'
import { INR, instant, createOrderId, toAmount } from '../../engine/index.ts'
import type { Instant, OrderId, Amount, PaymentEvent, Quote, RegNo } from '../../engine/index.ts'
import type {
  Correction,
  ImportRow,
  NewMail,
  NewRegistration,
  Store,
  StoredRegistration,
} from '../../server/storage/index.ts'

export const noon: Instant = instant(Date.UTC(2026, 10, 21, 6, 30))
export const addMs = (ms: number, from: Instant = noon): Instant => instant(from + ms)
export const HOUR_MS = 3_600_000
export const newEmail: NewMail = {
  to: 'asha@example.org',
  copyTo: null,
  subject: 'Registered',
  text: 'You are registered.\n',
}
export const sampleQuote: Quote = {
  category: 'pg',
  period: 'early',
  base: toAmount(425_000),
  gst: toAmount(76_500),
  total: toAmount(501_500),
  currency: INR,
  lines: [],
}

/** Returns a registration number that is unique across all processes. */
export const nextRegNo = (): RegNo =>
  `DEMO${String(randomInt(10 ** 12)).padStart(12, '0')}` as RegNo

export type RegistrationChanges = Partial<NewRegistration> & { readonly name?: string }
export function buildRegistration(changes: RegistrationChanges = {}): NewRegistration {
  const { name = 'Asha Demo', ...changedFields } = changes
  const regNo = changes.regNo ?? nextRegNo()
  return {
    eventId: 'demo',
    eventHash: 'hash-1',
    regNo,
    answers: { full_name: name, state: 'Kerala', member: true },
    searchable: {
      fullName: name,
      email: 'asha@example.org',
      phone: '+91 98765 43210',
      councilNo: 'TCMC-12345',
    },
    category: 'pg',
    quote: sampleQuote,
    orderId: createOrderId(regNo, 1),
    uploads: [],
    at: noon,
    mail: null,
    idempotency: null,
    ...changedFields,
  }
}
/** Builds a correction to a registration from `buildRegistration` that changes only the given values. */
export function buildCorrection({
  previousAnswers = buildRegistration().answers,
  ...changes
}: Partial<Correction>): Correction {
  const { category, searchable } = buildRegistration()
  return {
    previousAnswers,
    answers: previousAnswers,
    category,
    searchable,
    unique: [],
    emails: [],
    uploads: [],
    quote: null,
    channel: null,
    holdUntil: null,
    changes: ['x'],
    revokesLinks: false,
    ...changes,
  }
}
export function buildNameCorrection(
  fullName: string,
  { previousAnswers = buildRegistration().answers, ...changes }: Partial<Correction> = {},
): Correction {
  return buildCorrection({
    previousAnswers,
    answers: { ...previousAnswers, full_name: fullName },
    searchable: { ...buildRegistration().searchable, fullName },
    changes: ['Name'],
    ...changes,
  })
}
/** Creates a paid registration from another system, in the form that the import passes to the store. */
export function createImportRow(changes: Partial<ImportRow> = {}): ImportRow {
  const { regNo = nextRegNo() } = changes
  return {
    eventId: 'demo',
    eventHash: 'hash-0',
    regNo,
    formerNo: `OLD-${regNo}`,
    answers: { full_name: 'Old Demo', state: 'Goa' },
    searchable: { fullName: 'Old Demo', email: 'old@example.org', phone: '', councilNo: '' },
    category: null,
    period: null,
    base: null,
    gst: null,
    total: toAmount(700_000),
    currency: INR,
    paymentStatus: 'success',
    paymentId: `TX-${regNo}`,
    createdAt: noon,
    paidAt: addMs(HOUR_MS),
    ...changes,
  }
}
/** Builds the event for a payment that the gateway confirms. */
export const buildSale = (
  reference: string,
  amount: Amount = sampleQuote.total,
  at: Instant = addMs(60_000),
): PaymentEvent => ({ type: 'confirmed', reference, amount, currency: 'INR', kind: 'sale', at })
/** Builds the event for a payment that the gateway declines. */
export const buildDecline = (at: Instant = addMs(60_000)): PaymentEvent => ({
  type: 'declined',
  code: '400',
  message: 'declined',
  at,
})

export async function registerSample(
  store: Store,
  changes: RegistrationChanges = {},
): Promise<{ regNo: RegNo; orderId: OrderId }> {
  const result = await store.register(buildRegistration(changes))
  if (!result.ok) throw new Error(result.error.code)
  const { regNo, orderId } = result.value
  return { regNo, orderId: orderId ?? createOrderId(regNo, 1) }
}
/** Reads a stored registration. Throws if there is none with this number. */
export async function readStored(store: Store, regNo: string): Promise<StoredRegistration> {
  const registration = await store.registration(regNo)
  if (registration === null) throw new Error(`${regNo} was not found`)
  return registration
}
