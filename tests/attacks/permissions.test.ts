/**
 * Attacks on permissions, on a server process: a treasurer of one event reaches for another event that takes its money
 * through the same merchant account, by every name and spelling that HTTP lets through.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placed, presses, untilIs } from './gateway.ts'
import { command, delegate, freshAddress, registered, startTarget } from './target.ts'
import type { PaymentData, Target } from './target.ts'
import type { Answer, Sent } from './wire.ts'

const MINE = 'midzone2025'
const THEIRS = 'afpicon2026'
const SECRET = { full_name: 'Zyxwv Qponm', email: 'zyxwv@victim.example' }

let target: Target
let headers: Readonly<Record<string, string>>
let mine: string
let theirs: string
/** Of the second attempt, which succeeded; the first one failed. */
let order: string
beforeAll(async () => {
  target = await startTarget()
  const { regNo, data } = await registered(target, { ...delegate, ...SECRET })
  theirs = regNo
  await presses(await placed(data), 'decline')
  await untilIs(target, data.orderid, 'failed')
  const again = await target.post('/api/payment/retry/', { order_id: regNo })
  const { payment_data: second } = JSON.parse(again.body) as {
    payment_data: PaymentData & Record<string, string>
  }
  order = second.orderid
  await presses(await placed(second), 'pay')
  await untilIs(target, order, 'success')
  const { full_name, email, phone_number } = delegate
  const own = await target.post('/api/midzone/register/', { full_name, email, phone_number })
  const ownAnswer = JSON.parse(own.body) as {
    reg_no: string
    payment_data: PaymentData & Record<string, string>
  }
  mine = ownAnswer.reg_no
  await presses(await placed(ownAnswer.payment_data), 'pay')
  await untilIs(target, mine, 'success')
  headers = await office('keeper', 'treasurer', MINE)
})
afterAll(() => target.stop())

/** Adds a user by the command, signs in, and answers the headers of the session. */
async function office(username: string, role: string, event: string) {
  const said = await command(target, 'user', 'add', username, '--role', role, '--event', event)
  const password = /password[^:]*: *(\S+)/i.exec(said)?.[1]
  const answer = await target.post('/admin/login/', { username, password })
  const { token } = JSON.parse(answer.body) as { token?: string }
  if (token === undefined) throw new Error(`not signed in: ${answer.body} ${said}`)
  return { authorization: `Bearer ${token}` }
}

const ask = (sent: Sent): Promise<Answer> =>
  target.ask({ ...sent, headers: { ...headers, ...sent.headers } })
const post = (path: string, body: unknown): Promise<Answer> =>
  target.post(path, body, freshAddress(), headers)

/** Words that only the other event has. */
const isTold = ({ body }: Answer): boolean =>
  [theirs, SECRET.full_name, SECRET.email].some((word) => body.includes(word))
/** What an attack must leave as it is. */
const stored = () =>
  ['registrations', 'payments', 'captures', 'admins', 'tellings'].map((table) =>
    target.rows(`SELECT * FROM ${table}`),
  )

const spellings = (): readonly string[] =>
  [theirs, order].flatMap((number) => [
    number,
    number.toLowerCase(),
    number.replaceAll(/.{4}(?=.)/g, '$&%20'),
    number.replaceAll(/.{4}(?=.)/g, '$&-'),
    `%${number.charCodeAt(0).toString(16)}${number.slice(1)}`,
    `%25${number.charCodeAt(0).toString(16)}${number.slice(1)}`,
    `%20${number}`,
    `${number}%00`,
    `${number};${mine}`,
    `${number}%2f`,
    `${mine}/../${number}`,
    `${mine}%2f..%2f${number}`,
    `${mine},${number}`,
    `${number}?event=${MINE}`,
    `${number}??event=${MINE}`,
  ])
const ROOTS = ['/admin', '/api/admin', '//admin', '/ADMIN', '/%61dmin', '/admin;x', '/x/../admin']

/** Answers that let the request through, or that tell what only the other event may know. */
async function reached(requests: readonly Sent[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const sent of requests) {
    const answer = await ask(sent)
    // A path that is none of the office's leads to the page that says so.
    const isLetIn = answer.status < 400 && !answer.body.startsWith('<!doctype html>')
    if (isLetIn || answer.status >= 500 || isTold(answer))
      found.push(`${sent.method ?? 'GET'} ${sent.path} ${String(sent.body)}: ${answer.status}`)
  }
  return found
}
const json = (path: string, body: unknown, more: Sent['headers'] = {}): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...more },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const REFUND = { amount: '1', why: 'A reason.', key: 'one-click-of-refund' }
const NOTE = { act: 'note', why: 'A reason.', key: 'one-click-of-note' }

describe('a treasurer of another event', () => {
  test('can use their own registration, so that the rejections below are because of the event', async () => {
    expect(order).not.toBe(theirs)
    expect((await ask({ path: `/admin/registrations/${mine}/` })).status).toBe(200)
    expect((await post(`/admin/registrations/${mine}/acts/`, NOTE)).status).toBe(200)
  })

  test('cannot read or refund a payment by its number or by the order of its second attempt, in any spelling', async () => {
    const before = stored()
    const paths = ROOTS.flatMap((root) => spellings().map((name) => [root, name] as const))
    const requests = paths.flatMap(([root, name]): readonly Sent[] => [
      { path: `${root}/registrations/${name}` },
      { path: `${root}/registrations/${name}/documents/1` },
      json(`${root}/registrations/${name}/refund`, REFUND),
      json(`${root}/registrations/${name}/acts/`, NOTE),
    ])
    expect(await reached(requests)).toEqual([])
    expect(stored()).toEqual(before)
  })

  test.each([
    `?event=${THEIRS}`,
    `??event=${THEIRS}`,
    `??event=${THEIRS}&event=${MINE}`,
    `?event=${MINE}&event=${THEIRS}`,
    `?event=${MINE}&event_id=${THEIRS}`,
    `?event[]=${THEIRS}&event=${MINE}`,
    `?event=${MINE}&%3Fevent=${THEIRS}`,
    `?event=${THEIRS}%00`,
  ])('cannot read a settlement, review, discount code or member list by %s', async (query) => {
    const calls = ['settlements', 'settlements/export', 'reviews', 'codes', 'rolls', 'add']
    expect(await reached(calls.map((call) => ({ path: `/admin/${call}${query}` })))).toEqual([])
    expect(await reached([json(`/admin/reconcile/keep${query}`, {})])).toEqual([])
  })

  test('changes nothing by lists of numbers, nested lists and unexpected JSON', async () => {
    const line = { reference: '612345678901', amount: 7080, day: '2025-10-09' }
    const named = [theirs, [theirs], [[theirs]], { 0: theirs, length: 1 }, { reg_no: theirs }]
    const bodies: readonly unknown[] = [
      ...named.flatMap((name) => [
        { ...NOTE, reg_nos: [name] },
        { ...NOTE, reg_nos: [mine, name] },
        { ...NOTE, reg_nos: name },
        { event: MINE, lines: [{ ...line, reg_no: name }] },
        { event: MINE, lines: [[{ ...line, reg_no: name }]] },
        { event: [MINE, THEIRS], lines: [{ ...line, reg_no: name }] },
      ]),
      `{"reg_nos":["${mine}"],"reg_nos":["${theirs}"],"act":"note","why":"A reason."}`,
      `{"__proto__":{"event":"${THEIRS}"},"reg_nos":["${theirs}"]}`,
      `\ufeff{"reg_nos":["${theirs}"]}`,
      'null',
      '1',
      '"text"',
      '[]',
      `[{"reg_nos":["${theirs}"]}]`,
    ]
    const types = ['application/json', 'application/json; charset=utf-16', 'text/plain']
    const before = stored()
    const requests = bodies.flatMap((body) =>
      ['/admin/registrations/bulk', '/admin/reconcile/confirm'].flatMap((path) =>
        types.map((type) => json(path, body, { 'content-type': type })),
      ),
    )
    expect(await reached(requests)).toEqual([])
    expect(stored()).toEqual(before)
  })

  test('cannot become another user by proxy headers, another method or another path in a header', async () => {
    const path = `/admin/registrations/${mine}`
    const other = `/admin/registrations/${order}/refund`
    const forged: readonly Readonly<Record<string, string>>[] = [
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '::1, 127.0.0.1' },
      { forwarded: 'for=127.0.0.1;host=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { 'x-forwarded-user': 'office', 'x-remote-user': 'office' },
      { 'x-http-method-override': 'GET' },
      { 'x-original-url': path, 'x-rewrite-url': path },
      { 'x-forwarded-prefix': '/admin', 'x-forwarded-host': '127.0.0.1' },
    ]
    const before = stored()
    expect(await reached(forged.map((more) => json(other, REFUND, more)))).toEqual([])
    expect(await reached(forged.map((more) => ({ path: '/metrics', headers: more })))).toEqual([])
    expect(stored()).toEqual(before)
  })

  test('finds no data of it in searches, figures, emails, the audit log or lists', async () => {
    const paths = [
      '/admin/dashboard/stats/',
      '/admin/session/',
      '/admin/me',
      `/admin/find?q=${theirs.slice(-6)}`,
      '/admin/find?q=Zyxwv',
      '/admin/mail',
      '/admin/log',
      '/admin/log/export',
      '/admin/reviews',
      `/admin/settlements?event=${MINE}`,
      '/admin/export/?event_type=afpicon',
      '/admin/afpicon/registrations/',
      '/afpicon/admin/registrations/?search=Zyxwv',
      '/afpicon/download-csv/',
    ]
    const told: string[] = []
    for (const path of paths) {
      const { body } = await ask({ path })
      if ([theirs, SECRET.full_name, SECRET.email, THEIRS].some((word) => body.includes(word)))
        told.push(path)
    }
    expect(told).toEqual([])
  })

  test('was told the number of a registration of another event by a bank reference that belongs to it', async () => {
    const came = {
      act: 'came_again',
      why: 'Seen at the bank.',
      way: 'transfer',
      reference: '612345678901',
      amount: '7080',
    }
    const there = await office('there', 'treasurer', THEIRS)
    const path = `/admin/registrations/${theirs}/acts/`
    expect((await target.post(path, came, freshAddress(), there)).status).toBe(200)
    const answer = await post(`/admin/registrations/${mine}/acts/`, came)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      409,
      {
        status: 'error',
        code: 'taken',
        message:
          '612345678901 is already recorded: it is the payment of a registration of another event. One transfer counts once. If it is not for this registration, do not record it here (“Payment not found” rejects a report). If it is, ask a treasurer of all events, who can see both.',
      },
    ])
  })
})
