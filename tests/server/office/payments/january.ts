/** A synthetic January for two events, with the totals that a treasurer would calculate by hand. */
import { createOrderId, instant, toAmount } from '../../../../engine/index.ts'
import type { Instant, RegNo } from '../../../../engine/index.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { createEventWithItems, toNoon, register } from '../office.ts'

export const EVENT_IDS = ['sample2026', 'second2026'] as const
export const METHODS = ['airpay', 'transfer', 'upi', 'cash'] as const
const PAYMENT_COUNT = 600
const REFUND_COUNT = 40
/** The paise added to refund amounts, so that these are not whole rupees. */
const ODD_PAISE = 37
const JANUARY_MS = 31 * 24 * 60 * 60 * 1000
const MONTH_START = instant(toNoon('2026-01-01') - 12 * 60 * 60 * 1000)

export type Sums = { payments: number; received: number; refunds: number; refunded: number }
export type January = {
  readonly server: TestApp
  /** By event and method, in paise. */
  readonly expected: ReadonlyMap<string, Sums>
  readonly regNos: readonly RegNo[]
}

const eventFile = createEventWithItems('', []).replace(
  'results:',
  'email:\n  subject: "{event.title}: {reg_no}"\n  text: Dear {full_name}, you are registered.\nresults:',
)
const files = {
  'sample2026.yaml': eventFile,
  'second2026.yaml': eventFile
    .replaceAll('sample2026', 'second2026')
    .replace('Sample 2026', 'Second 2026')
    .replace('SMPL/{year}/{n}', 'SCND/{year}/{n}')
    .replace('prefix: SMPL', 'prefix: SCND'),
}

/**
 * Records payments by four methods, refunds of some of them, and payments just before, at and just after both ends
 * of the month. Returns the server, the expected totals, and the registration numbers.
 */
export async function createJanuary({
  payments = PAYMENT_COUNT,
  refunds = REFUND_COUNT,
}: { readonly payments?: number; readonly refunds?: number } = {}): Promise<January> {
  const server = await startTestApp({ clock: '2026-02-02T12:00:00+05:30', events: files })
  const expected = new Map<string, Sums>()
  const addExpected = (eventId: string, method: string, sums: Partial<Sums>): void => {
    const key = `${eventId} ${method}`
    const previous = expected.get(key) ?? { payments: 0, received: 0, refunds: 0, refunded: 0 }
    expected.set(key, {
      payments: previous.payments + (sums.payments ?? 0),
      received: previous.received + (sums.received ?? 0),
      refunds: previous.refunds + (sums.refunds ?? 0),
      refunded: previous.refunded + (sums.refunded ?? 0),
    })
  }
  const isJanuary = (at: Instant): boolean => at >= MONTH_START && at < MONTH_START + JANUARY_MS
  const registerPaid = async (n: number, at: Instant): Promise<RegNo> => {
    const eventId = EVENT_IDS[n % 2] ?? EVENT_IDS[0]
    const method = METHODS[(n >> 1) % 4] ?? METHODS[0]
    const isMember = n % 3 === 0
    const amount = toAmount(isMember ? 118_000 : 236_000)
    const regNo = await register(server, eventId, {
      n,
      on: toNoon('2025-12-20'),
      answers: {
        full_name: `Delegate ${n}`,
        email: `delegate${n}@example.org`,
        phone_number: '+919876500000',
        is_member: isMember,
      },
      throughGateway: true,
    })
    if (method === 'airpay')
      await server.deps.store.applyPaymentEvent(
        createOrderId(regNo, 1),
        { type: 'confirmed', reference: `AP${n}`, amount, currency: '356', kind: 'sale', at },
        null,
      )
    else
      await server.deps.store.recordPayment(
        {
          regNo,
          act: 'confirm',
          actor: 'treasurer',
          who: 'office',
          why: '',
          at,
          idempotencyKey: null,
        },
        { method, reference: `IN26012000${String(n).padStart(6, '0')}`, amount, paidAt: at },
        null,
      )
    if (isJanuary(at)) addExpected(eventId, method, { payments: 1, received: amount })
    return regNo
  }
  const paymentInstants = Array.from({ length: payments }, (_, n) =>
    // The first and last millisecond belong to the month.
    instant(
      MONTH_START + (n === payments - 1 ? JANUARY_MS - 1 : Math.floor((n * JANUARY_MS) / payments)),
    ),
  )
  const regNos = await Promise.all(paymentInstants.map((at, n) => registerPaid(n, at)))
  await registerPaid(payments, instant(MONTH_START - 1))
  await registerPaid(payments + 1, instant(MONTH_START + JANUARY_MS))
  for (let n = 0; n < refunds; n += 1) {
    const index = n * 7
    const at = instant((paymentInstants[index] ?? MONTH_START) + 24 * 60 * 60 * 1000)
    const amount = toAmount(100_00 + n * 100 + ODD_PAISE)
    const eventId = EVENT_IDS[index % 2] ?? EVENT_IDS[0]
    const method = METHODS[(index >> 1) % 4] ?? METHODS[0]
    const regNo = regNos[index]
    if (regNo === undefined) continue
    const isByGateway = method === 'airpay' && n % 2 === 0
    if (isByGateway)
      await server.deps.store.applyPaymentEvent(
        createOrderId(regNo, 1),
        { type: 'refunded', reference: `BACK${n}`, amount, at },
        null,
      )
    else
      await server.deps.store.requestRefund({
        of: regNo,
        amount,
        why: 'Agreed',
        who: 'office',
        at,
        manualReference: `SLIP ${n}`,
      })
    if (isJanuary(at))
      addExpected(eventId, method === 'airpay' && !isByGateway ? 'outside' : method, {
        refunds: 1,
        refunded: amount,
      })
  }
  return { server: server, expected, regNos }
}
