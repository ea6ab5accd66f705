/**
 * Attacks through a merchant account that two events share: staff of one event keep settlement reports whose lines name
 * the other by every combination of order, reference and bank transfer, and look for its numbers at every route.
 */
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { placed, presses, untilIs } from './gateway.ts'
import {
  command,
  delegate,
  freshAddress,
  registered,
  routesOf,
  signedIn,
  startTarget,
} from './target.ts'
import type { PaymentData, Target } from './target.ts'
import type { Answer } from './wire.ts'

type Headers_ = Readonly<Record<string, string>>
type Party = {
  readonly event: string
  /** Paid at its second attempt. */
  readonly regNo: string
  readonly order: string
  readonly reference: string
  /** Its order is still open. */
  readonly pending: string
  /** In the format of its numbers; no order has it. */
  readonly invented: string
  /** The bank reference of a transfer that is recorded for it. */
  readonly transfer: string
  readonly name: string
}
type Line = { readonly order: string; readonly reference: string; readonly utr: string }
type Identity = {
  readonly role: string
  readonly headers: Headers_
  readonly mine: Party
  readonly theirs: Party
}

/** Those that may keep a report. */
const ROLES = ALL_RUNS ? ['treasurer', 'owner'] : ['treasurer']
const FRESH_UTR = 'UTIBN25100900011'
const HEADINGS = 'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type'

let target: Target
let ofAll: Headers_
let identities: readonly Identity[]
beforeAll(async () => {
  target = await startTarget()
  ofAll = { authorization: `Bearer ${await signedIn(target)}` }
  const afpicon = await party('afpicon2026', (answers) => registered(target, answers))
  const midzone = await party('midzone2025', async ({ full_name, email, phone_number }) => {
    const answer = await target.post('/api/midzone/register/', { full_name, email, phone_number })
    const { reg_no: regNo, payment_data: data } = JSON.parse(answer.body) as {
      reg_no: string
      payment_data: PaymentData & Record<string, string>
    }
    return { regNo, data }
  })
  identities = await Promise.all(
    [
      { mine: midzone, theirs: afpicon },
      { mine: afpicon, theirs: midzone },
    ].flatMap((parties) =>
      ROLES.map(async (role) => ({
        role,
        headers: await added(role, parties.mine.event),
        ...parties,
      })),
    ),
  )
})
afterAll(() => target.stop())

/** A delegate who paid at the second attempt, another whose payment is open, and a bank transfer. */
async function party(
  event: string,
  register: (answers: typeof delegate) => ReturnType<typeof registered>,
): Promise<Party> {
  const name = `Zyxwv of ${event}`
  const answers = { ...delegate, full_name: name, email: `zyxwv@${event}.example` }
  const { regNo, data } = await register(answers)
  await presses(await placed(data), 'decline')
  await untilIs(target, data.orderid, 'failed')
  const again = await target.post('/api/payment/retry/', { order_id: regNo })
  const { payment_data: second } = JSON.parse(again.body) as {
    payment_data: PaymentData & Record<string, string>
  }
  await presses(await placed(second), 'pay')
  await untilIs(target, second.orderid, 'success')
  const [paid] = target.rows('SELECT reference FROM payments WHERE order_id = ?', second.orderid)
  const { regNo: pending } = await register({ ...answers, email: `open@${event}.example` })
  const transfer = event === 'midzone2025' ? '612345678901' : '612345678902'
  const came = { act: 'came_again', why: 'Seen at the bank.', way: 'transfer', amount: '7080' }
  const recorded = await target.post(
    `/admin/registrations/${regNo}/acts/`,
    { ...came, reference: transfer },
    freshAddress(),
    ofAll,
  )
  expect(recorded.status, recorded.body).toBe(200)
  const invented = regNo.replaceAll(/\d/g, '4')
  const reference = String(paid?.['reference'])
  return { event, regNo, order: second.orderid, reference, pending, invented, transfer, name }
}

/** Adds a user by the command, signs in, and answers the headers of the session. */
async function added(role: string, event: string): Promise<Headers_> {
  const name = `${role}.${event}`
  const said = await command(target, 'user', 'add', name, '--role', role, '--event', event)
  const password = /password[^:]*: *(\S+)/i.exec(said)?.[1]
  const { body } = await target.post('/admin/login/', { username: name, password })
  const { token } = JSON.parse(body) as { token?: string }
  if (token === undefined) throw new Error(`not signed in: ${body} ${said}`)
  return { authorization: `Bearer ${token}` }
}

/** Every combination of what may name either event, or none. */
function allLines(mine: Party, theirs: Party): readonly Line[] {
  const numbers = ({ regNo, order, pending, invented }: Party): readonly string[] => [
    regNo,
    order,
    pending,
    invented,
  ]
  const orders = [...numbers(theirs), ...numbers(mine), `${theirs.invented}02`, 'NOBODYS1', '']
  const references = [theirs.reference, mine.reference, '900000099', '']
  const utrs = [FRESH_UTR, theirs.transfer, theirs.transfer.replaceAll(/.{4}(?=.)/g, '$& ')]
  return orders
    .flatMap((order) =>
      references.flatMap((reference) => utrs.map((utr) => ({ order, reference, utr }))),
    )
    .filter(({ order, reference }) => order !== '' || reference !== '')
}
const rowOf = ({ order, reference, utr }: Line, kind = 'Sale'): string =>
  `${order},${reference},7080.00,${utr},09-10-2025,${kind}`
const reportOf = (lines: readonly Line[]): string =>
  [
    HEADINGS,
    ...lines.map((line) => rowOf(line)),
    ...lines.map((line) => rowOf(line, 'Refund')),
  ].join('\n')

const letters = (number: string): string => number.replace(/\d.*$/, '')
/** Whether the line names the event: by a number in its format, by a payment or by a transfer. */
const touches = ({ order, reference, utr }: Line, party_: Party): boolean =>
  order.startsWith(letters(party_.regNo)) ||
  reference === party_.reference ||
  utr.replaceAll(' ', '') === party_.transfer

const send = (path: string, event: string, report: string, headers: Headers_): Promise<Answer> =>
  target.ask({
    method: 'POST',
    path: `/admin/${path}/?event=${event}`,
    headers: { ...headers, 'content-type': 'text/csv' },
    body: report,
  })
const keptLines = (): readonly Line[] =>
  target.rows('SELECT order_id AS "order", reference, utr FROM settlement_lines').map((row) => ({
    order: String(row['order'] ?? ''),
    reference: String(row['reference'] ?? ''),
    utr: String(row['utr'] ?? ''),
  }))
/** What a report of another event must leave as it is. */
const storedOf = ({ event }: Party) => [
  target.rows('SELECT * FROM registrations WHERE event_id = ?', event),
  // Without the times of queries: the gateway is queried meanwhile.
  target.rows(
    `SELECT p.order_id, p.status, p.review, p.amount, p.reference, p.paid_at
     FROM payments p JOIN registrations r ON r.id = p.registration_id WHERE r.event_id = ?`,
    event,
  ),
  target.rows(
    'SELECT c.* FROM captures c JOIN registrations r ON r.id = c.registration_id WHERE r.event_id = ?',
    event,
  ),
]
/** Numbers, orders, payments and names of an event, found in a text. */
const toldOf = (
  { regNo, order, pending, reference, name }: Party,
  text: string,
): readonly string[] =>
  [regNo, order, pending, reference, name].filter((secret) => text.includes(secret))
const isNumberOf = (party_: Party, text: unknown): boolean =>
  typeof text === 'string' && text.startsWith(letters(party_.regNo))

type Seen = {
  readonly settlement: { readonly lines: readonly Readonly<Record<string, unknown>>[] }
}

describe('staff of one event who keep a report of the shared account', () => {
  test('keep no line that names the other event, in any combination, and change nothing of it', async () => {
    const wrong: unknown[] = []
    for (const { role, headers, mine, theirs } of identities) {
      const lines = allLines(mine, theirs)
      expect(lines.filter((line) => touches(line, theirs)).length).toBeGreaterThan(100)
      const [before, linesBefore] = [storedOf(theirs), keptLines().length]
      const answer = await send('reconcile/keep', mine.event, reportOf(lines), headers)
      expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('not matched')])
      const kept = keptLines().slice(linesBefore)
      wrong.push(...kept.filter((line) => touches(line, theirs)).map((line) => [role, line]))
      if (!isDeepStrictEqual(storedOf(theirs), before)) wrong.push([role, 'a row has changed'])
      // Their own are kept, so that the others were left out because of the event.
      const own = { order: mine.order, reference: mine.reference, utr: FRESH_UTR }
      if (!keptLines().some((line) => isDeepStrictEqual(line, own)))
        wrong.push([role, 'their own line is left out'])
    }
    expect(wrong).toEqual([])
  })

  test('are told neither a number nor an order where a line belongs to the other event', async () => {
    for (const { role, headers, mine, theirs } of identities) {
      const lines = allLines(mine, theirs)
      const answer = await send('reconcile', mine.event, reportOf(lines), headers)
      expect(answer.status, answer.body).toBe(200)
      const seen = (JSON.parse(answer.body) as Seen).settlement.lines
      expect(seen).toHaveLength(2 * lines.length)
      const told = seen.filter(
        ({ order_id: order, reg_no: regNo }) =>
          isNumberOf(theirs, order) || isNumberOf(theirs, regNo),
      )
      expect([role, told]).toEqual([role, []])
      // The headings are in line 1.
      const named = seen.filter(({ line: n }) =>
        isNumberOf(theirs, lines[(Number(n) - 2) % lines.length]?.order),
      )
      expect(
        new Set(named.map(({ as, order_id, reg_no }) => `${as}|${order_id}|${reg_no}`)),
      ).toEqual(new Set(['elsewhere||null']))
    }
  })

  test('are refused for the other event, and below treasurer for their own', async () => {
    const [first] = identities
    if (first === undefined) throw new Error('nobody is signed in')
    const { mine, theirs } = first
    const report = reportOf(allLines(mine, theirs))
    const low = await Promise.all(['viewer', 'desk'].map((role) => added(role, mine.event)))
    const before = target.rows('SELECT * FROM settlement_lines')
    const calls: readonly (readonly [string, Headers_, number])[] = [
      ...identities.map((one) => [one.theirs.event, one.headers, 403] as const),
      ...low.flatMap((headers) =>
        [mine.event, theirs.event].map((event) => [event, headers, 403] as const),
      ),
      [mine.event, {}, 401],
    ]
    for (const [event, headers, status] of calls)
      for (const path of ['reconcile', 'reconcile/keep'])
        expect([path, event, (await send(path, event, report, headers)).status]).toEqual([
          path,
          event,
          status,
        ])
    expect(target.rows('SELECT * FROM settlement_lines')).toEqual(before)
  })

  test('find no number, order or payment of it at any route after a user of both events has kept their lines', async () => {
    for (const { mine, theirs } of identities) {
      // A line that names both events belongs to both.
      const lines = allLines(mine, theirs).filter(
        (line) => !(touches(line, mine) && touches(line, theirs)),
      )
      const kept = await send('reconcile/keep', mine.event, reportOf(lines), ofAll)
      expect(kept.status, kept.body).toBe(200)
    }
    const gets = (await routesOf()).filter(
      ({ method, path }) => method === 'GET' && path.includes('admin') && !path.includes('logout'),
    )
    const told: unknown[] = []
    let answered = 0
    for (const { role, headers, mine, theirs } of identities)
      for (const { path } of gets) {
        const filled = path.replaceAll(/:\w+|\{\w+\}/g, mine.regNo).replaceAll('*', '')
        for (const at of [filled, `${filled}?event=${mine.event}`]) {
          const { status, body } = await target.ask({ path: at, headers })
          if (status === 200) answered += 1
          if (status >= 500 || toldOf(theirs, body).length > 0)
            told.push([role, at, status, toldOf(theirs, body)])
        }
      }
    expect(answered).toBeGreaterThan(40)
    expect(told).toEqual([])
    // They are there, for whoever may see them.
    const [first] = identities
    const all = await target.ask({
      path: `/admin/settlements/?event=${first?.theirs.event}`,
      headers: ofAll,
    })
    expect(first === undefined ? [] : toldOf(first.theirs, all.body)).not.toEqual([])
  })
})
