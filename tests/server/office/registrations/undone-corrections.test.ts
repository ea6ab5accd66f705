/** A correction that is later reversed leaves the balance, the refund and the invoiced amount per rate unchanged. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answers, RegNo } from '../../../../engine/index.ts'
import type { ActionsResponse } from '../../../../engine/api.ts'
import { chooseRuns } from '../../../runs.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, createEventWithItems, toNoon, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
let delegateCount = 0
const EVENT = 'sample2026'
const paidAt = toNoon('2026-01-20')
const ITEMS = `  items:
    - {id: room, label: Room, when: {room: true}, tax: {name: GST, percent: 5, prices: exclusive}, prices: {period: [early, late], each: [3000, 3000]}}
    - {id: workshop, label: Workshop, when: {workshop: true}, prices: {period: [early, late], each: [1000, 1000]}}
    - {id: donation, label: Donation, when: {donation: true}, tax: none, prices: {period: [early, late], each: [1180, 1180]}}
`
const MEMBER_PRICE = 1180
const PRICES = { room: 3150, workshop: 1180, donation: 1180 }
type Extras = Readonly<Record<keyof typeof PRICES, boolean>>
const ALL_EXTRAS: Extras = { room: true, workshop: true, donation: true }
const computePrice = (extras: Extras): number =>
  (['room', 'workshop', 'donation'] as const).reduce(
    (sum, id) => sum + (extras[id] ? PRICES[id] : 0),
    MEMBER_PRICE,
  )

beforeAll(async () => {
  const eventFile = createEventWithItems(ITEMS, Object.keys(PRICES))
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

async function performAction(regNo: RegNo, input: object): Promise<void> {
  const { status, body } = await office.act(regNo, { why: 'As the letter says.', ...input })
  expect(status, JSON.stringify(body)).toBe(200)
}
async function registerPaid(extras: Extras): Promise<RegNo> {
  delegateCount += 1
  const answers: Answers = {
    full_name: `Sample ${delegateCount}`,
    email: `sample${delegateCount}@example.org`,
    phone_number: `+9198765${String(10_000 + delegateCount)}`,
    is_member: true,
    ...extras,
  }
  const regNo = await register(server, EVENT, { n: delegateCount, on: paidAt, answers })
  const reference = `slip ${delegateCount}`
  await performAction(regNo, {
    act: 'confirm',
    way: 'cash',
    reference,
    amount: computePrice(extras),
  })
  return regNo
}
const correct = (regNo: RegNo, extras: Extras): Promise<void> =>
  performAction(regNo, { act: 'correct', answers: extras, total: computePrice(extras) })
let refundCount = 0
const refund = (regNo: RegNo, amount: number): Promise<void> =>
  performAction(regNo, { act: 'refund', amount, by_hand: true, reference: `back ${++refundCount}` })

/** Reads a registration's amounts in the office, and its net invoiced amount per tax rate, in paise. */
async function readFigures(regNo: RegNo) {
  const response = (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
  const { due, pay_back: refundable, kept, proposed_back: proposed } = response
  const { store } = server.deps
  const invoicedByRate: Record<string, number> = {}
  for (const { id, kind } of await store.documents(regNo))
    for (const { rate = null, base, gst } of kind === 'receipt'
      ? []
      : ((await store.document(regNo, id))?.lines ?? []))
      for (const [part, amount] of [
        ['value', base],
        ['tax', gst],
      ] as const) {
        const key = `${part} at ${rate ?? 0}%`
        invoicedByRate[key] = (invoicedByRate[key] ?? 0) + (kind === 'credit' ? -amount : amount)
      }
  const nonZeroRates = Object.entries(invoicedByRate).filter(([, amount]) => amount !== 0)
  return { due, back: refundable, kept, proposed, invoiced: Object.fromEntries(nonZeroRates) }
}
const sumAmounts = (amounts: Readonly<Record<string, number>>): number =>
  Object.values(amounts).reduce((sum, amount) => sum + amount, 0) / 100

test('a room that is removed and added back after a refund of ₹ 6,000 changes neither the balance nor the invoices', async () => {
  const regNo = await registerPaid(ALL_EXTRAS)
  await refund(regNo, 6000)
  const figuresBefore = await readFigures(regNo)
  expect(figuresBefore).toMatchObject({ due: 0, back: 0, kept: 690 })
  expect(sumAmounts(figuresBefore.invoiced)).toBe(690)
  expect(Object.keys(figuresBefore.invoiced)).toContain('value at 18%')
  await correct(regNo, { ...ALL_EXTRAS, room: false })
  const reducedFigures = await readFigures(regNo)
  expect(reducedFigures).toMatchObject({ due: 0, back: 690, kept: 690, invoiced: {} })
  await correct(regNo, ALL_EXTRAS)
  expect(await readFigures(regNo)).toEqual(figuresBefore)
  // Amounts that exceed the goodwill refund are still requested and invoiced in full.
  await correct(regNo, { ...ALL_EXTRAS, donation: false })
  await refund(regNo, 600)
  await correct(regNo, ALL_EXTRAS)
  const figuresAfter = await readFigures(regNo)
  expect(figuresAfter).toMatchObject({
    due: 600,
    back: 0,
    kept: 90,
    invoiced: figuresBefore.invoiced,
  })
})

test('a cancellation dialog that was open during a correction is refused, and does not refund less than the new proposal', async () => {
  const readActions = async (regNo: RegNo) =>
    (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
  const cancel = ({
    reg_no: regNo,
    proposed_back,
    kept,
    cancellation_version,
  }: ActionsResponse) => {
    const shown = { pay_back: proposed_back ?? 0, kept, cancellation_version }
    return office.act(regNo, { act: 'cancel', why: 'Ill.', ...shown })
  }
  const regNo = await registerPaid(ALL_EXTRAS)
  const shown = await readActions(regNo)
  await correct(regNo, { ...ALL_EXTRAS, workshop: false })
  const current = await readActions(regNo)
  expect([shown.kept, shown.proposed_back]).toEqual([6690, 5017.5])
  expect([current.kept, current.proposed_back]).toEqual([6690, 5312.5])
  expect(await cancel(shown)).toMatchObject({
    status: 409,
    body: {
      code: 'moved_on',
      message:
        'This registration has changed since you opened it. Reload the page and check it again.',
    },
  })
  expect(await readActions(regNo)).toEqual(current)
  expect(await cancel(current)).toMatchObject({ status: 200 })
  expect((await readActions(regNo)).pay_back).toBe(5312.5)
  // A client that does not send the version is checked only for payments.
  const otherRegNo = await registerPaid(ALL_EXTRAS)
  const { kept } = await readActions(otherRegNo)
  await correct(otherRegNo, { ...ALL_EXTRAS, workshop: false })
  await performAction(otherRegNo, { act: 'cancel', pay_back: 5312.5, kept })
})

const extrasArbitrary = fc.record({
  room: fc.boolean(),
  workshop: fc.boolean(),
  donation: fc.boolean(),
})
const stepArbitrary = fc.record({
  /** The percentage of the retained amount to refund; most steps refund nothing. */
  refund: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 99 })),
  undone: fc.array(extrasArbitrary, { minLength: 1, maxLength: 3 }),
  then: extrasArbitrary,
})

test('reversed corrections change nothing, whatever was refunded or corrected before', async () => {
  await fc.assert(
    fc.asyncProperty(
      extrasArbitrary,
      fc.array(stepArbitrary, { minLength: 1, maxLength: 4 }),
      async (firstExtras, steps) => {
        const regNo = await registerPaid(firstExtras)
        let currentExtras = firstExtras
        for (const { refund: percent, undone, then: nextExtras } of steps) {
          const { kept } = await readFigures(regNo)
          const amount = Math.floor(kept * percent) / 100
          if (amount > 0) await refund(regNo, amount)
          const figuresBefore = await readFigures(regNo)
          expect(sumAmounts(figuresBefore.invoiced)).toBe(
            Math.round((figuresBefore.kept + figuresBefore.due - figuresBefore.back) * 100) / 100,
          )
          for (const answers of undone) await correct(regNo, answers)
          await correct(regNo, currentExtras)
          expect(await readFigures(regNo)).toEqual(figuresBefore)
          await correct(regNo, nextExtras)
          currentExtras = nextExtras
        }
      },
    ),
    { numRuns: chooseRuns(60) },
  )
})
