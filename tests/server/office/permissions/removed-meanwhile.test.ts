/** Requests of users who are removed, signed out or demoted after the request was checked, before it is stored. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type {
  RecoveryCodesResponse,
  SettlementsResponse,
  StatementResponse,
} from '../../../../engine/api.ts'
import { hashToken } from '../../../../server/office/auth/sessions.ts'
import { generateRecoveryCodes } from '../../../../server/office/auth/two-step-sign-in.ts'
import { writes } from '../../../../server/storage/operations/writes.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { HOUR_MS, addMs } from '../../sample-registrations.ts'
import {
  addInvoices,
  addOfficeList,
  buildFixtureEvent,
  fixtureDelegate,
} from '../../small-event.ts'
import { registerPaid } from '../card-payers.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'

const EVENT = 'sample2026'
const CODES = `
codes:
  kinds:
    - {id: coupon, label: Coupon, gives: {adjustment: coupon}}
`
const EVENT_FILE = addOfficeList(
  buildFixtureEvent({ extra: CODES }).replace(
    '    non-member: [3000, 4000]\n',
    `    non-member: [3000, 4000]
  adjustments:
    - {id: coupon, label: Coupon, when: {code: coupon}, on: registration, amount: -100}
`,
  ),
  EVENT,
)
const FOREIGN_EVENT = 'dunecon2027'
const EVENT_FOLDER = join(import.meta.dirname, '..', '..', '..', 'events')
const FOREIGN_FILE = addOfficeList(
  addInvoices(readFileSync(join(EVENT_FOLDER, `${FOREIGN_EVENT}.yaml`), 'utf8')),
  FOREIGN_EVENT,
)
const NEW_PASSWORD = 'another password for tests'
const LOST_MESSAGE =
  'Not done: you are no longer signed in, or your permissions have changed. Reload the page.'
const SETTLEMENT_HEADER =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
const STATEMENT = ['Date,Narration,Debit,Credit', '09/01/26,NEFT CR-N1,,100.00'].join('\n')
let server: TestApp
let colleague: string
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-02-02T10:00:00+05:30',
    events: { 'sample2026.yaml': EVENT_FILE, 'dunecon2027.yaml': FOREIGN_FILE },
  })
  await signIn(server)
})
afterAll(() => server.close())
beforeEach(async () => {
  vi.restoreAllMocks()
  const { store } = server.deps
  const hash = await hashCheaply(PASSWORD)
  for (const [username, role] of [
    ['colleague', 'owner'],
    ['desk', 'desk'],
  ] as const) {
    await store.removeAdmin(username)
    await store.addAdmin(username, hash, server.now(), { role, events: null })
  }
  colleague = (await signIn(server, 'colleague')).token
})

const post = (
  url: string,
  payload: string | object,
  token?: string,
): Promise<LightMyRequestResponse> =>
  server.app.inject({
    method: 'POST',
    url,
    payload,
    headers: {
      'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  })
/** Lets a change finish after the next call of a store function, so that it overtakes the rest of the request. */
const overtakeAfter = (
  lookUp: 'session' | 'admin' | 'account' | 'useRecoveryCode',
  change: () => Promise<unknown>,
): void => {
  const store = server.deps.store as unknown as Record<string, (...args: never[]) => unknown>
  const original = store[lookUp]
  vi.spyOn(server.deps.store, lookUp).mockImplementationOnce((async (...args: never[]) => {
    const result = await original?.(...args)
    await change()
    return result
  }) as never)
}
const remove = (): Promise<unknown> => server.deps.store.removeAdmin('colleague')

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` })
const canSignIn = async (username: string, password: string): Promise<boolean> =>
  (await post('/admin/login/', { username, password })).statusCode === 200
const isSignedIn = async (token: string): Promise<boolean> =>
  (await server.app.inject({ url: '/admin/me/', headers: headersOf(token) })).statusCode === 200
/** Resets the password as the team page does. */
const resetPassword = async (): Promise<unknown> =>
  server.deps.store.setPassword('colleague', await hashCheaply('another'), server.now(), {
    tokenHash: 'link',
    expiresAt: addMs(HOUR_MS, server.now()),
  })

const readContents = () =>
  [
    'registrations',
    'codes',
    'admin_lists',
    'month_closings',
    'exchange_rates',
    'bank_statements',
    'clock_seen',
    'audit_log',
  ].map((table) => server.rows(`SELECT * FROM ${table}`))

test('office routes write with `call.store`, except entries of the audit log and writes that check their user otherwise', () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'server', 'office')
  const calls = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/\bdeps\.store\.(\w+)\(/g),
    ])
    .map(([, name = '']) => name)
    .filter((name) => Object.hasOwn(writes, name))
  expect([...new Set(calls)].toSorted()).toEqual([
    'addAuditEntry',
    // A sign-out ends the session that the request proves.
    'closeSession',
    'decideBankLine',
    // Compares the verified password.
    'openSession',
    // Checks the sender of the decision, like `decideBankLine`.
    'sendBankLineToReview',
  ])
})

describe('an owner who is removed or demoted while their request waits', () => {
  const url = (path: string) => `/admin/admins/${path}`
  const requests = {
    'add an owner': [url(''), { username: 'ghost', role: 'owner', events: null }],
    'change a role': [url('desk/may/'), { role: 'owner', events: null }],
    'create a password link': [url('desk/link/'), {}],
    'remove a user': [url('desk/remove/'), {}],
    'reset a second factor': [url('desk/reset-second-factor/'), {}],
    'make the second factor optional': [url('second-factor/'), { required: false }],
  } as const
  const readTeam = async () => ({
    users: await server.deps.store.staffAccounts(server.now()),
    desk: await server.deps.store.admin('desk'),
    isRequired: await server.deps.store.secondFactorRequired(),
  })

  test.each(Object.entries(requests))('cannot %s', async (_, [path, payload]) => {
    const desk = await server.deps.store.admin('desk')
    await server.deps.store.startSecondFactorSetup(desk?.id ?? 0, 'SECRET')
    await server.deps.store.confirmSecondFactor(desk?.id ?? 0, 'SECRET', 100, [])
    await server.deps.store.requireSecondFactor(false)
    let team: unknown
    const changes = {
      demoted: () =>
        server.deps.store.setPermissions('colleague', { role: 'treasurer', events: null }),
      limited: () =>
        server.deps.store.setPermissions('colleague', { role: 'owner', events: [EVENT] }),
      removed: remove,
    }
    for (const [change, apply] of Object.entries(changes)) {
      await server.deps.store.setPermissions('colleague', { role: 'owner', events: null })
      overtakeAfter('session', async () => {
        await apply()
        team = await readTeam()
      })
      const response = await post(path, payload, colleague)
      expect([response.statusCode, response.json()]).toEqual([
        change === 'removed' ? 401 : 403,
        expect.objectContaining({ message: LOST_MESSAGE }),
      ])
      expect(await readTeam()).toEqual(team)
    }
  })
})

describe('a user who is removed while their request waits', () => {
  const answers = { ...fixtureDelegate, full_name: 'Added Afterwards' }
  const requests = {
    'adds no registration': [
      '/admin/add/',
      { event: EVENT, key: 'removed-1', answers, total: 2360, way: '', paid: {} },
    ],
    'creates no discount code': ['/admin/codes/', { event: EVENT, kind: 'coupon' }],
    'withdraws no discount code': ['/admin/codes/withdraw/', { event: EVENT, code: 'KEEP-ME' }],
    'closes no month': ['/admin/months/close/', { event: EVENT, month: '2026-01' }],
    'retries no email': ['/admin/mail/retry/', { event: EVENT, all: true }],
    'saves no view': ['/admin/my-lists/', { event: EVENT, list: EVENT, columns: [], views: [] }],
    'confirms no clock': ['/admin/clock/confirm/', {}],
    'enters no exchange rate': [
      '/admin/exchange-rates/',
      { event: FOREIGN_EVENT, currency: 'USD', day: '2026-02-01', rate: '83.1', source: 'FBIL' },
    ],
    'uploads no bank statement': ['/admin/statements/', STATEMENT],
  } as const

  test.each(Object.entries(requests))('%s, and is asked to sign in', async (_, [url, payload]) => {
    if (url === '/admin/codes/withdraw/')
      await post('/admin/codes/', { event: EVENT, kind: 'coupon', code: 'KEEP-ME' }, colleague)
    let counts: unknown
    overtakeAfter('session', async () => {
      await remove()
      counts = readContents()
    })
    const response = await post(url, payload, colleague)
    expect([response.statusCode, response.json()], response.body).toEqual([
      401,
      expect.objectContaining({ code: 'unauthorized', message: LOST_MESSAGE }),
    ])
    expect(readContents()).toEqual(counts)
    // The same request of a user who stays is stored.
    const stored = await post(url, payload, (await signIn(server)).token)
    expect(stored.statusCode, stored.body).toBeLessThan(300)
  })

  test('saves no settlement report and handles no line', async () => {
    const { order } = await registerPaid(server, EVENT, 'AP1')
    const report = [
      SETTLEMENT_HEADER,
      `${order},AP1,2360.00,20,3.60,2336.40,UTR1,30-01-2026,Sale`,
      `${order},CB1,2360.00,0,0,-2360.00,UTR1,30-01-2026,Chargeback`,
    ].join('\r\n')
    const keepUrl = `/admin/reconcile/keep/?event=${EVENT}`
    overtakeAfter('session', remove)
    expect((await post(keepUrl, report, colleague)).statusCode).toBe(401)
    const office = await signIn(server)
    const readLines = async () =>
      (await office.json(`/admin/settlements/?event=${EVENT}`)) as unknown as SettlementsResponse
    expect((await readLines()).settlement.lines).toEqual([])
    expect((await post(keepUrl, report, office.token)).statusCode).toBe(200)
    const { lines } = (await readLines()).settlement
    const { id } = lines.find(({ reference }) => reference === 'CB1') ?? {}
    const handled = { event: EVENT, line: String(id), seen: '', why: 'The bank kept it.' }
    await server.deps.store.addAdmin('colleague', await hashCheaply(PASSWORD), server.now())
    const { token } = await signIn(server, 'colleague')
    overtakeAfter('session', remove)
    expect((await post('/admin/settlements/handle/', handled, token)).statusCode).toBe(401)
    expect((await readLines()).settlement.lines).toEqual(lines)
  })
})

describe('a line that a treasurer sends to review', () => {
  const sendLine = async (amount: number) => {
    const rows = ['Date,Narration,Debit,Credit', `09/01/26,NEFT CR-N${amount},,${amount}`]
    const { id } = (await post('/admin/statements/', rows.join('\n'), colleague)).json()
    const office = await signIn(server)
    const readLine = async () => {
      const { lines } = (await office.json(`/admin/statements/${id}/`)) as unknown as Extract<
        StatementResponse,
        { unchanged: false }
      >
      return lines[0]
    }
    const choices = [{ line: (await readLine())?.id, seen: null }]
    const send = () =>
      post(`/admin/statements/${id}/decide/`, { decision: 'review', choices }, colleague)
    return { send, readLine }
  }
  const changes = {
    removed: remove,
    demoted: () => server.deps.store.setPermissions('colleague', { role: 'desk', events: null }),
    limited: () =>
      server.deps.store.setPermissions('colleague', { role: 'owner', events: [EVENT] }),
    'signed out': () => server.deps.store.closeSession(hashToken(colleague)),
  }

  test.each(Object.entries(changes))(
    'is not stored as a payment once the treasurer is %s',
    async (name, change) => {
      const { send, readLine } = await sendLine(201 + Object.keys(changes).indexOf(name))
      const { store } = server.deps
      const { sendBankLineToReview } = store
      vi.spyOn(store, 'sendBankLineToReview').mockImplementationOnce(async (...args) => {
        await change()
        return sendBankLineToReview(...args)
      })
      expect((await send()).json()).toMatchObject({
        done: [],
        refused: [{ message: LOST_MESSAGE }],
      })
      expect(await readLine()).toMatchObject({ state: 'left', payments: [], decision: null })
    },
  )
})

test('the account page of a user who was removed meanwhile asks them to sign in', async () => {
  overtakeAfter('session', remove)
  const response = await server.app.inject({ url: '/admin/me/', headers: headersOf(colleague) })
  expect([response.statusCode, response.json().message]).toEqual([401, LOST_MESSAGE])
})

test('of two requests for new recovery codes, only one succeeds, and the codes that it shows work', async () => {
  const { store } = server.deps
  const { id = 0 } = (await store.admin('colleague')) ?? {}
  const { codes, hashes } = generateRecoveryCodes()
  await store.startSecondFactorSetup(id, 'SECRET')
  await store.confirmSecondFactor(id, 'SECRET', 100, hashes)
  const renew = (code = '') =>
    post('/admin/me/recovery-codes/', { password: PASSWORD, code }, colleague)
  let first: LightMyRequestResponse | undefined
  overtakeAfter('useRecoveryCode', async () => {
    first = await renew(codes[0])
  })
  const second = await renew(codes[1])
  expect([first?.statusCode, second.statusCode]).toEqual([200, 409])
  expect(second.json()).toMatchObject({
    code: 'codes_replaced',
    message: 'Another request created new recovery codes. Use those, or create new ones.',
  })
  const [code] = first?.json<RecoveryCodesResponse>().recovery_codes ?? []
  const login = { username: 'colleague', password: PASSWORD, code }
  expect((await post('/admin/login/', login)).statusCode).toBe(200)
})

describe('a password reset that overtakes another request', () => {
  test('a sign-in with the old password opens no session', async () => {
    overtakeAfter('admin', resetPassword)
    const response = await post('/admin/login/', { username: 'colleague', password: PASSWORD })
    expect([response.statusCode, response.json().code]).toEqual([401, 'invalid_login'])
    expect(response.headers['set-cookie']).toBeUndefined()
    const { id = 0 } = (await server.deps.store.admin('colleague')) ?? {}
    expect(await server.deps.store.sessionsOf(id, server.now(), HOUR_MS)).toEqual([])
  })

  test('a removed user who is signing in gets the error for a wrong password', async () => {
    overtakeAfter('admin', remove)
    const response = await post('/admin/login/', { username: 'colleague', password: PASSWORD })
    expect([response.statusCode, response.json().code]).toEqual([401, 'invalid_login'])
  })

  test.each([
    ['the password was reset', resetPassword],
    ['the user was removed', remove],
    [
      'the user signed out everywhere else',
      async () => {
        const { id = 0 } = (await server.deps.store.admin('colleague')) ?? {}
        await server.deps.store.closeOtherSessions(id, 'another')
      },
    ],
  ])('a stolen session sets no password after %s', async (_, change) => {
    overtakeAfter('account', change)
    const payload = { password: PASSWORD, new_password: NEW_PASSWORD }
    const response = await post('/admin/me/password/', payload, colleague)
    expect([response.statusCode, response.json().message]).toEqual([401, LOST_MESSAGE])
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(await canSignIn('colleague', NEW_PASSWORD)).toBe(false)
    expect(await isSignedIn(colleague)).toBe(false)
  })
})
