/** The rules on payments and bank references that hold only because of a row lock in PostgreSQL. */
import { dayOf, INR, toAmount } from '../../../engine/index.ts'
import type { Decision, RegNo } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  addMs,
  buildSale,
  HOUR_MS,
  newEmail,
  noon,
  registerSample,
  sampleQuote,
} from '../sample-registrations.ts'
import { asOwner, runConcurrently } from './concurrent-operations.ts'
import type { LockRule, ServerPair } from './concurrent-operations.ts'
import { buildMoveDecision, dismissDecision, grounds } from './payment-decisions.ts'

const WITHDRAWAL = 'HDFCN52026000123'
const refundManually = (store: Store, regNo: RegNo) =>
  store.requestRefund({
    of: regNo,
    amount: toAmount(100),
    why: 'Ill.',
    who: 'Meera',
    at: addMs(HOUR_MS),
    manualReference: WITHDRAWAL,
  })
/** Reports the reference of the refund as the reference of a transfer. */
const reportWithdrawal = (store: Store, regNo: RegNo) =>
  store.addPaymentClaim(
    { ...asOwner(regNo, 'tell'), actor: 'delegate' },
    {
      way: 'transfer',
      reference: WITHDRAWAL,
      paidOn: null,
      answers: {},
      uploads: [],
      drafts: [],
    },
    null,
  )
/** Registers two persons, each with a counted payment. */
async function registerPaidPair({ stores: [store] }: ServerPair): Promise<readonly [RegNo, RegNo]> {
  const register = async (name: string): Promise<RegNo> => {
    const { regNo, orderId } = await registerSample(store, { name })
    await store.applyPaymentEvent(orderId, buildSale(`AP${regNo}`), null)
    return regNo
  }
  return [await register('Asha Demo'), await register('Chitra Demo')]
}

export const REFERENCE_RULES: readonly LockRule[] = [
  {
    rule: 'of two refunds with the same bank reference, one is recorded',
    violation: 'both are recorded, and one delegate gets no money',
    async attempt(servers) {
      const regNos = await registerPaidPair(servers)
      const { results } = await runConcurrently(
        servers,
        'refunds',
        regNos.map((regNo, index) => () => refundManually(servers.stores[index] as Store, regNo)),
      )
      return results.map(({ ok }) => ok)
    },
    resultWithLock: [true, false],
    resultWithoutLock: [true, true],
  },
  {
    rule: 'the bank reference of a refund does not count as a payment at the same time',
    violation:
      'the withdrawal is recorded as a refund of one registration and as a payment for another',
    async attempt(servers) {
      const [first, second] = servers.stores
      const [refundedRegNo] = await registerPaidPair(servers)
      const { regNo } = await registerSample(first, { name: 'Binu Demo' })
      const payment = { reference: WITHDRAWAL, amount: sampleQuote.total }
      const { results } = await runConcurrently<{ readonly ok: boolean }>(
        servers,
        'registrations',
        [
          () => refundManually(first, refundedRegNo),
          () =>
            second.recordPayment(
              asOwner(regNo, 'confirm'),
              { ...payment, method: 'transfer', paidAt: noon },
              null,
            ),
        ],
      )
      return results.map(({ ok }) => ok)
    },
    resultWithLock: [true, false],
    resultWithoutLock: [true, true],
  },
  {
    rule: 'a reference that a delegate reports does not become the reference of a refund at the same time',
    violation:
      'a withdrawal is recorded under a reported reference, and the transfer can no longer be recorded',
    async attempt(servers) {
      const [first, second] = servers.stores
      const [refundedRegNo] = await registerPaidPair(servers)
      const { regNo } = await registerSample(first, { name: 'Binu Demo' })
      const { results } = await runConcurrently<{ readonly ok: boolean }>(servers, 'tellings', [
        () => reportWithdrawal(first, regNo),
        () => refundManually(second, refundedRegNo),
      ])
      return results.map(({ ok }) => ok)
    },
    resultWithLock: [true, false],
    resultWithoutLock: [true, true],
  },
  {
    rule: 'a reference that a delegate reports does not become a slip number in another event at the same time',
    violation:
      'a card slip is recorded under a reported reference, and the transfer can no longer be recorded',
    async attempt(servers) {
      const [first, second] = servers.stores
      const { regNo } = await registerSample(first, { name: 'Binu Demo' })
      const { regNo: slipRegNo } = await registerSample(first, {
        name: 'Chitra Demo',
        eventId: 'other',
      })
      const payment = { reference: WITHDRAWAL, amount: sampleQuote.total }
      const { results } = await runConcurrently<{ readonly ok: boolean }>(servers, 'tellings', [
        () => reportWithdrawal(first, regNo),
        () =>
          second.recordPayment(
            asOwner(slipRegNo, 'confirm'),
            { ...payment, method: 'machine', paidAt: noon },
            null,
          ),
      ])
      return results.map(({ ok }) => ok)
    },
    resultWithLock: [true, false],
    resultWithoutLock: [true, true],
  },
  {
    rule: 'parts of one bank line that are recorded from two downloads at the same time do not exceed the line',
    violation: 'more is recorded than the bank received',
    async attempt(servers) {
      const [first, second] = servers.stores
      const regNos: RegNo[] = []
      for (const name of ['Asha Demo', 'Binu Demo', 'Chitra Demo'])
        regNos.push((await registerSample(first, { name, way: 'transfer' })).regNo)
      const lineIds = [await saveDownload(first, 'NEFT'), await saveDownload(first, 'BY TRANSFER')]
      const record = (store: Store, index: number, lineIndex: number) =>
        store.recordPayment(
          asOwner(regNos[index] as RegNo, 'confirm'),
          {
            method: 'transfer',
            reference: index === 0 ? WITHDRAWAL : `${WITHDRAWAL}x${index + 1}`,
            amount: sampleQuote.total,
            paidAt: noon,
            bankLine: { id: lineIds[lineIndex] ?? 0, references: [WITHDRAWAL], payments: [] },
          },
          null,
        )
      await record(first, 0, 0)
      const { results } = await runConcurrently<{ readonly ok: boolean }>(
        servers,
        'registrations',
        [() => record(first, 1, 0), () => record(second, 2, 1)],
      )
      return results.map(({ ok }) => ok).toSorted((a, b) => Number(b) - Number(a))
    },
    resultWithLock: [true, false],
    resultWithoutLock: [true, true],
  },
]

/** Saves a statement with one deposit for two persons, and returns the line's id. */
async function saveDownload(store: Store, narration: string): Promise<number> {
  const day = dayOf(noon)
  const row = { line: 2, day, narration, reference: WITHDRAWAL, isWithdrawal: false }
  const id = await store.saveBankStatement({
    sha256: narration,
    currency: INR,
    events: ['demo'],
    bank: '',
    firstDay: day,
    lastDay: day,
    details: [],
    unread: [],
    repeated: [],
    who: 'Meera',
    at: noon,
    rows: [{ ...row, amount: toAmount(2 * sampleQuote.total) }],
  })
  return (await store.bankStatementLines(id))[0]?.id ?? 0
}

/** Makes two decisions at the same time on a payment that belongs to no registration. */
async function decideTwice(
  { stores: [first, second], ...servers }: ServerPair,
  decisions: readonly [Decision, Decision],
): Promise<readonly string[]> {
  await first.saveUnmatchedLines([
    {
      reference: 'SBIN7',
      amount: sampleQuote.total,
      currency: INR,
      day: dayOf(noon),
      narration: 'NEFT',
      eventId: 'demo',
      who: 'treasurer',
      at: noon,
    },
  ])
  const [review] = await first.reviews('demo')
  const decide = (store: Store, decision: Decision) => async (): Promise<string> => {
    try {
      const result = await store.decideReview(review?.id ?? '', decision, addMs(HOUR_MS), newEmail)
      return result.ok ? 'done' : result.error.code
    } catch (error) {
      return String(error)
    }
  }
  const operations = [decide(first, decisions[0]), decide(second, decisions[1])]
  const { results } = await runConcurrently(
    { stores: [first, second], ...servers },
    'captures',
    operations,
  )
  // Either server may be the first.
  return results.toSorted()
}
const DECIDED_TWICE = 'Error: Assertion failed: a capture was decided twice'

export const UNMATCHED_PAYMENT_RULES: readonly LockRule[] = [
  {
    rule: 'of two decisions to move an unmatched payment, the second is refused as already decided',
    violation: 'the second fails with a server error',
    async attempt(servers) {
      const [store] = servers.stores
      const { regNo } = await registerSample(store)
      const { regNo: otherRegNo } = await registerSample(store, { name: 'Binu Demo' })
      return decideTwice(servers, [buildMoveDecision(regNo), buildMoveDecision(otherRegNo)])
    },
    resultWithLock: ['decided_already', 'done'],
    resultWithoutLock: [DECIDED_TWICE, 'done'],
  },
  {
    rule: 'of two decisions to ignore an unmatched payment, the second is refused as already decided',
    violation: 'the second decision to ignore it fails with a server error',
    attempt: (servers) => decideTwice(servers, [dismissDecision, dismissDecision]),
    resultWithLock: ['decided_already', 'done'],
    resultWithoutLock: [DECIDED_TWICE, 'done'],
  },
  {
    rule: 'an unmatched payment is refunded once',
    violation: 'it is refunded twice',
    attempt: (servers) =>
      decideTwice(servers, [
        { what: 'refund', amount: null, manualReference: 'N1', ...grounds },
        { what: 'refund', amount: null, manualReference: 'N2', ...grounds },
      ]),
    resultWithLock: ['decided_already', 'done'],
    resultWithoutLock: ['done', 'done'],
  },
]
