/** `node tests/pictures/january.ts FOLDER`: starts an office with a month of payments, for a manual month-end close. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOrderId, instant, toAmount } from '../../engine/index.ts'
import type { OrderId, RegNo } from '../../engine/index.ts'
import { startTestApp } from '../server/harness.ts'
import { hashCheaply, createEventWithItems, toNoon, PASSWORD } from '../server/office/office.ts'

// Two events share a bank account and a gateway account. The bank statement, two settlement reports and the expected
// figures are written to FOLDER.
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node tests/pictures/january.ts FOLDER')
mkdirSync(folder, { recursive: true })

const EVENTS = ['sample2026', 'second2026'] as const
/** How many lines of each kind the bank statement has, in addition to a line for each of the two payouts. */
const [NUMBERED_COUNT, UNNUMBERED_COUNT, SPLIT_COUNT, NOT_OURS_COUNT] = [267, 20, 6, 5] as const
const TRANSFER_COUNT = NUMBERED_COUNT + UNNUMBERED_COUNT + 2 * SPLIT_COUNT
const PAYMENT_COUNTS = { transfer: TRANSFER_COUNT, airpay: 150, upi: 76, cash: 75 } as const
const REFUND_COUNT_PER_METHOD = 20
const MEMBER_PRICE = 118_000
const HOUR_MS = 3_600_000

const event = createEventWithItems('', []).replace(
  'payment: {gateway: airpay, account: afpi}',
  `payment:
  methods:
    - {id: card, gateway: airpay, account: afpi}
    - id: transfer
      label: Bank transfer
      until: 2026-02-15
      instructions: Account 50200012345678, IFSC MLBR0000032
      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]`,
)
const test = await startTestApp({
  clock: '2026-01-02T12:00:00+05:30',
  events: {
    'sample2026.yaml': event,
    'second2026.yaml': event
      .replaceAll('sample2026', 'second2026')
      .replace('Sample 2026', 'Second 2026')
      .replace('SMPL/{year}/{n}', 'SCND/{year}/{n}')
      .replace('prefix: SMPL', 'prefix: SCND'),
  },
})
const { store } = test.deps
await store.addAdmin('office', await hashCheaply(PASSWORD), test.now())

type Person = {
  readonly regNo: RegNo
  readonly name: string
  readonly amount: number
  readonly day: string
}
let registeredCount = 0
/** Registers a delegate, who pays on a date in January. Every third delegate is a member. */
async function register(way: 'card' | 'transfer'): Promise<Person> {
  const n = registeredCount
  registeredCount += 1
  const isMember = n % 3 === 0
  const name = `Delegate Zyxw${n}`
  const response = await test.post(`/api/${EVENTS[n % 2]}/register/`, {
    full_name: name,
    email: `delegate${n}@example.org`,
    phone_number: `98470${String(n).padStart(5, '0')}`,
    is_member: String(isMember),
    way,
  })
  if (response.statusCode !== 201) throw new Error(response.body)
  return {
    regNo: response.json<{ reg_no: RegNo }>().reg_no,
    name,
    amount: isMember ? MEMBER_PRICE : 2 * MEMBER_PRICE,
    day: String(3 + (n % 25)).padStart(2, '0'),
  }
}
const registerPeople = async (
  way: 'card' | 'transfer',
  personCount: number,
): Promise<readonly Person[]> => {
  const people: Person[] = []
  for (let n = 0; n < personCount; n += 1) people.push(await register(way))
  return people
}
const transfers = await registerPeople('transfer', TRANSFER_COUNT)
const cards = await registerPeople('card', PAYMENT_COUNTS.airpay)
const upi = await registerPeople('transfer', PAYMENT_COUNTS.upi)
const cash = await registerPeople('transfer', PAYMENT_COUNTS.cash)
const getNoon = ({ day }: Person) => instant(toNoon(`2026-01-${day}`))

const orders = new Map<RegNo, OrderId>()
for (const [n, person] of cards.entries()) {
  const orderId = createOrderId(person.regNo, 1)
  orders.set(person.regNo, orderId)
  const amount = toAmount(person.amount)
  const at = getNoon(person)
  await store.applyPaymentEvent(
    orderId,
    { type: 'confirmed', reference: `AP${10_000 + n}`, amount, currency: '356', kind: 'sale', at },
    null,
  )
}
for (const [way, people] of [
  ['upi', upi],
  ['cash', cash],
] as const)
  for (const [n, person] of people.entries())
    await store.recordPayment(
      {
        regNo: person.regNo,
        act: 'confirm',
        actor: 'treasurer',
        who: 'office',
        why: '',
        at: getNoon(person),
        idempotencyKey: null,
      },
      {
        method: way,
        reference: way === 'upi' ? `6020${String(10_000_000 + n)}` : `SLIP ${n}`,
        amount: toAmount(person.amount),
        paidAt: getNoon(person),
      },
      null,
    )

/** Returns the amount of the nth refund. It ends in 37 paise, so that a lost paisa is detected. */
const getRefundAmount = (n: number) => toAmount(100_37 + n * 100)
let refundTotal = 0
const gatewayRefunds = cards.slice(0, REFUND_COUNT_PER_METHOD)
for (const [n, person] of gatewayRefunds.entries()) {
  const at = instant(getNoon(person) + 24 * HOUR_MS)
  await store.applyPaymentEvent(
    createOrderId(person.regNo, 1),
    { type: 'refunded', reference: `BACK${n}`, amount: getRefundAmount(n), at },
    null,
  )
  refundTotal += getRefundAmount(n)
}
for (const [n, person] of cash.slice(0, REFUND_COUNT_PER_METHOD).entries()) {
  const at = instant(getNoon(person) + 24 * HOUR_MS)
  await store.requestRefund({
    of: person.regNo,
    amount: getRefundAmount(n),
    why: 'Agreed',
    who: 'office',
    at,
    manualReference: `BACK ${n}`,
  })
  refundTotal += getRefundAmount(n)
}

const formatAmount = (paise: number): string => (paise / 100).toFixed(2)
const formatDate = (day: string, separator: string): string =>
  ['' + day, '01', '2026'].join(separator)
const sumAmounts = (people: readonly Person[]): number =>
  people.reduce((sum, { amount }) => sum + amount, 0)

/** The first payout contains the first half of the card payments, the second payout the rest. */
const halfCount = Math.ceil(cards.length / 2)
const payouts = [cards.slice(0, halfCount), cards.slice(halfCount)].map((people, index) => {
  const utr = `UTIBN2601${index === 0 ? '29' : '30'}00001${index}`
  const paidOn = index === 0 ? '29' : '30'
  let net = 0
  const rows: string[] = []
  for (const person of people) {
    const fee = Math.round(person.amount / 50)
    const tax = Math.round(fee * 0.18)
    net += person.amount - fee - tax
    const reference = `AP${10_000 + cards.indexOf(person)}`
    rows.push(
      [
        orders.get(person.regNo),
        reference,
        formatAmount(person.amount),
        formatAmount(fee),
        formatAmount(tax),
        formatAmount(person.amount - fee - tax),
        utr,
        formatDate(paidOn, '-'),
        'Sale',
      ].join(','),
    )
    const n = gatewayRefunds.indexOf(person)
    if (n < 0) continue
    net -= getRefundAmount(n)
    rows.push(
      [
        orders.get(person.regNo),
        reference,
        formatAmount(-getRefundAmount(n)),
        '0.00',
        '0.00',
        formatAmount(-getRefundAmount(n)),
        utr,
        formatDate(paidOn, '-'),
        'Refund',
      ].join(','),
    )
  }
  const header =
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
  writeFileSync(join(folder, `settlement-${index + 1}.csv`), [header, ...rows].join('\r\n'))
  return { utr, net, paidOn }
})

const numberedTransfers = transfers.slice(0, NUMBERED_COUNT)
const unnumberedTransfers = transfers.slice(NUMBERED_COUNT, NUMBERED_COUNT + UNNUMBERED_COUNT)
const pairs = Array.from({ length: SPLIT_COUNT }, (_, n) =>
  transfers.slice(
    NUMBERED_COUNT + UNNUMBERED_COUNT + 2 * n,
    NUMBERED_COUNT + UNNUMBERED_COUNT + 2 * n + 2,
  ),
)
const formatLine = (day: string, text: string, amount: number): string =>
  `${formatDate(day, '/')},${text},,,${formatAmount(amount)}`
const lines = [
  ...numberedTransfers.map((person, n) =>
    formatLine(person.day, `NEFT CR-HDFCN5202601${10_000 + n}-${person.regNo}`, person.amount),
  ),
  ...unnumberedTransfers.map((person, n) =>
    formatLine(person.day, `IMPS-52677700${1000 + n}-${person.name}`, person.amount),
  ),
  ...pairs.map((people, n) =>
    formatLine('20', `RTGS ICICN5202601${1000 + n} HOSPITAL ${n}`, sumAmounts(people)),
  ),
  ...Array.from({ length: NOT_OURS_COUNT }, (_, n) =>
    formatLine('31', `INTEREST CREDIT ${n}`, 100_50 + n * 100),
  ),
  ...payouts.map(({ utr, net, paidOn }) =>
    formatLine(paidOn, `NEFT CR-${utr}-AIRPAY PAYMENT SERVICES`, net),
  ),
]
writeFileSync(
  join(folder, 'statement.csv'),
  [
    'HDFC BANK Ltd,,,,',
    'Account No: 50200012345678,,,,',
    'Date,Narration,Ref,Withdrawal Amt,Deposit Amt',
    ...lines,
  ].join('\r\n'),
)
test.setTime('2026-02-02T12:00:00+05:30')
const url = await test.app.listen({ host: '127.0.0.1', port: 0 })
const expected = {
  url,
  username: 'office',
  password: PASSWORD,
  dataDir: test.dir,
  lines: lines.length,
  payments: transfers.length + cards.length + upi.length + cash.length,
  receivedPaise: sumAmounts(transfers) + sumAmounts(cards) + sumAmounts(upi) + sumAmounts(cash),
  refunds: 2 * REFUND_COUNT_PER_METHOD,
  refundedPaise: refundTotal,
  notOursPaise: NOT_OURS_COUNT * 100_50 + 10 * 100,
  payoutsPaise: payouts.map(({ net }) => net),
  pairs: pairs.map((people) => people.map(({ name }) => name)),
}
writeFileSync(join(folder, 'expected.json'), JSON.stringify(expected, null, 2))
process.stdout.write(`${JSON.stringify(expected)}\n`)
