/** Guessing attacks with rate limits on: registration numbers, discount codes and passwords. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADMIN } from '../browser/serve.ts'
import { chooseRuns } from '../runs.ts'
import {
  FORM_HEADERS,
  encodeForm,
  buildMessage,
  placeOrder,
  clickPaymentButton,
} from './gateway.ts'
import {
  findChanges,
  CODED_EVENT_ID,
  CODED_REGISTER,
  codedDelegate,
  createCode,
  runCommand,
  delegate,
  createAddress,
  registerDelegate,
  signInAsAdmin,
  startTarget,
} from './target.ts'
import type { Target } from './target.ts'
import type { HttpResponse } from './wire.ts'

/*
 * The limits measured here determine how long guessing takes. A registration number has 12 random digits: 10¹²
 * possible values, of which a conference of 10,000 delegates uses 10⁴, so 10⁸ guesses find one on average. An event
 * responds to 300 wrong numbers in ten minutes from all addresses together, or 43,200 a day. At this rate,
 * finding one of 10,000 registrations takes 2,315 days, or 6.3 years. During that time, the event would reject all new
 * addresses. Finding the registration of a given delegate would take 63,000 years. A generated office password is one
 * of 31¹⁶; an account accepts 100 guesses in a quarter of an hour, 9,600 a day, so guessing the password takes 10¹⁷
 * years. Guessing a password that a user chose from the million most common ones takes 52 days on average, and the log
 * reports the attack each day.
 */

const MINUTE_S = 60
const DAY_S = 24 * 60 * MINUTE_S
const YEAR_DAYS = 365.25
const RANDOM_DIGITS = 12
const DELEGATES = 10_000
/** The number of guesses in earlier tests that the server answered; the event's limit counts them too. */
const EARLIER_GUESSES = 4 * 21 + 5 * 20

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

let serial = 0
/** Returns an unused number. Whether its check digit is valid does not affect the limits. */
const buildWrongNumber = (): string => `AFPI${String((serial += 1)).padStart(13, '0')}`

/** Every endpoint that accepts a registration number. */
const endpoints: Readonly<
  Record<string, (number: string, address: string) => Promise<HttpResponse>>
> = {
  'the registration': (number, address) =>
    target.send({ path: `/api/afpicon/registrations/${number}/` }, address),
  'registration data with an email address': (number, address) =>
    target.post(`/api/afpicon/registrations/${number}/`, { email: delegate.email }, address),
  'the return': (number, address) =>
    target.send(
      {
        method: 'POST',
        path: '/api/payment/return/',
        headers: FORM_HEADERS,
        body: encodeForm(buildMessage({ orderId: number, status: '400' })),
      },
      address,
    ),
  'the webhook': (number, address) =>
    target.send(
      {
        method: 'POST',
        path: '/api/payment/webhook/',
        headers: FORM_HEADERS,
        body: encodeForm(buildMessage({ orderId: number, status: '400' })),
      },
      address,
    ),
  'the retry': (number, address) =>
    target.post('/api/payment/retry/', { order_id: number }, address),
}
const readRegistration = (number: string, address: string): Promise<HttpResponse> =>
  target.send({ path: `/api/afpicon/registrations/${number}/` }, address)

describe('numbers', () => {
  test.each(['the return', 'the webhook', 'the registration', 'the retry'])(
    'many wrong numbers from one address at %s block only that address',
    async (name) => {
      const address = createAddress()
      for (let attempt = 0; attempt < chooseRuns(400, 40); attempt += 1)
        await endpoints[name]?.(buildWrongNumber(), address)
      expect((await readRegistration(buildWrongNumber(), address)).status).toBe(429)
      expect((await readRegistration(buildWrongNumber(), createAddress())).status).toBe(404)
    },
  )

  test.each(Object.keys(endpoints))(
    'twenty wrong numbers at %s block all endpoints for the address, and no response reveals whether a number is right',
    async (name) => {
      const { regNo } = await registerDelegate(target)
      const [address, snapshotBefore] = [createAddress(), target.readSnapshot()]
      for (let attempt = 0; attempt < 20; attempt += 1)
        await endpoints[name]?.(buildWrongNumber(), address)
      for (const [otherName, endpoint] of Object.entries(endpoints)) {
        const [rightResponse, wrongResponse] = [
          await endpoint(regNo, address),
          await endpoint(buildWrongNumber(), address),
        ]
        const getVisibleParts = ({ status, headers, body }: HttpResponse, number = '') => [
          otherName,
          status,
          headers.has('retry-after'),
          (headers.get('location') ?? '').replace(/AFPI\d+/, number),
          body,
        ]
        expect(getVisibleParts(rightResponse)).toEqual(getVisibleParts(wrongResponse))
        // The second response may be sent a second later.
        const [firstWait, secondWait] = [rightResponse, wrongResponse].map(({ headers }) =>
          Number(headers.get('retry-after') ?? 0),
        )
        expect(firstWait).toBeGreaterThanOrEqual(secondWait ?? NaN)
        expect(rightResponse.status).toBe(otherName === 'the return' ? 303 : 429)
        expect(rightResponse.body).not.toContain(delegate.full_name)
      }
      const { gateway_notices: _messages, ...changedTables } = findChanges(
        snapshotBefore,
        target.readSnapshot(),
      )
      expect(changedTables).toEqual({})
    },
  )

  test('from a thousand addresses, some of them proxies, an event accepts so few guesses that finding a number takes years', async () => {
    const knownAddress = createAddress()
    const { regNo } = await registerDelegate(target, delegate, knownAddress)
    // The guesses in earlier tests count too, because the limit applies to the event, not to the address.
    let responseCount = EARLIER_GUESSES
    let blockedResponse: HttpResponse | null = null
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const readResponse = await readRegistration(
        buildWrongNumber(),
        `${createAddress()}, ${createAddress()}`,
      )
      if (readResponse.status === 404) responseCount += 1
      else blockedResponse ??= readResponse
    }
    const windowS = Number(blockedResponse?.headers.get('retry-after'))
    expect(blockedResponse?.status).toBe(429)
    expect(responseCount).toBe(300)
    expect(windowS).toBeGreaterThan(9 * MINUTE_S)
    const guessesADay = (responseCount * DAY_S) / (10 * MINUTE_S)
    const guessesPerHit = 10 ** RANDOM_DIGITS / DELEGATES
    expect(guessesPerHit / guessesADay / YEAR_DAYS).toBeGreaterThan(6)
    expect((guessesPerHit * DELEGATES) / guessesADay / YEAR_DAYS).toBeGreaterThan(60_000)
    // The delegate can still read this registration from the same address, but no other registration.
    expect((await readRegistration(regNo, knownAddress)).status).toBe(200)
    expect((await readRegistration(buildWrongNumber(), knownAddress)).status).toBe(429)
  })

  test('have as many random digits as the calculation above assumes', async () => {
    const numbers = target
      .readRows('SELECT reg_no FROM registrations')
      .map((row) => String(row['reg_no']))
    expect(numbers.length).toBeGreaterThan(5)
    const digits = numbers.map((number) => /^AFPI(\d+)\d$/.exec(number)?.[1] ?? '')
    for (const digit of digits) expect(digit).toHaveLength(RANDOM_DIGITS)
    // Each position has several values, so no part is constant.
    for (let index = 0; index < RANDOM_DIGITS; index += 1)
      expect(new Set(digits.map((digit) => digit[index])).size).toBeGreaterThan(1)
  })
})

describe('discount codes and member lists', () => {
  const CODE = 'GUESSED-9'
  const codeEndpoints: Readonly<
    Record<string, (enteredValue: string, address: string) => Promise<HttpResponse>>
  > = {
    'the code': (code, address) =>
      target.post(`/api/events/${CODED_EVENT_ID}/code/`, { code }, address),
    'the form': (code, address) => target.post(CODED_REGISTER, { ...codedDelegate, code }, address),
    'the member list': (value, address) =>
      target.post(`/api/events/${CODED_EVENT_ID}/roll/`, { field: 'number', value }, address),
  }
  beforeAll(async () => {
    await createCode(target, CODE)
    const file = join(target.dataDir, 'roll.csv')
    const rows = Array.from({ length: 80 }, (_, index) => `M-${index},Person ${index},life,`)
    writeFileSync(file, ['number,name,kind,valid_to', ...rows].join('\n'))
    await runCommand(target, 'event', 'members', CODED_EVENT_ID, 'society', file)
  })

  test.each(Object.keys(codeEndpoints))(
    'twenty wrong values at %s block all three endpoints for the address only; right and wrong values then get the same response',
    async (name) => {
      const [address, snapshotBefore] = [createAddress(), target.readSnapshot()]
      for (let attempt = 0; attempt < 20; attempt += 1)
        expect([404, 422]).toContain(
          (await codeEndpoints[name]?.(`wrong ${attempt}`, address))?.status,
        )
      const getVisibleParts = ({ status, body }: HttpResponse) => [status, body]
      for (const endpoint of Object.values(codeEndpoints)) {
        const [rightResponse, wrongResponse] = [
          await endpoint(CODE, address),
          await endpoint('wrong', address),
        ]
        expect(getVisibleParts(rightResponse)).toEqual(getVisibleParts(wrongResponse))
        expect(rightResponse.status).toBe(429)
      }
      expect((await codeEndpoints['the code']?.(CODE, createAddress()))?.status).toBe(200)
      expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    },
  )

  test('a member list can be enumerated only up to sixty rows, and shows only the configured values', async () => {
    const address = createAddress()
    const responses: HttpResponse[] = []
    for (let index = 0; index < 62; index += 1)
      responses.push(
        (await codeEndpoints['the member list']?.(`M-${index}`, address)) as HttpResponse,
      )
    expect(responses.filter(({ status }) => status === 200).length).toBe(60)
    expect(responses.at(-1)?.status).toBe(429)
    expect(JSON.parse(responses[7]?.body ?? '')).toEqual({
      status: 'success',
      row: { name: 'Person 7', kind: 'life' },
    })
  })

  test.each([
    '',
    '-',
    '%',
    '_',
    "' OR 1=1 --",
    '*',
    '\u0000',
    'ＧＵＥＳＳＥＤ'.repeat(20),
    '[object Object]',
  ])('that is %j does not create a session', async (enteredValue) => {
    expect((await codeEndpoints['the code']?.(enteredValue, createAddress()))?.status).toBe(404)
    expect((await codeEndpoints['the member list']?.(enteredValue, createAddress()))?.status).toBe(
      404,
    )
  })
})

describe('passwords', () => {
  const tryPassword = (password: string, address: string, username: string = ADMIN.username) =>
    target.post('/admin/login/', { username, password }, address)
  const SESSION_COUNT_SQL = 'SELECT count(*) AS n FROM sessions'
  const countSessions = (): unknown => target.readRows(SESSION_COUNT_SQL)[0]?.['n']

  test('ten wrong passwords from one network block the account for that network, even with the correct password, another address or another spelling of the name', async () => {
    const createNetworkAddress = (): string => `2001:db8:77:1::${(addressCount += 1).toString(16)}`
    let addressCount = 0
    const statuses: number[] = []
    for (const username of [
      'office',
      'OFFICE',
      ' office ',
      'Office\t',
      'oFFice',
      'office',
      'office',
      'office',
      'office',
      'office',
    ])
      statuses.push((await tryPassword('guess', createNetworkAddress(), username)).status)
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 401))
    const sessionsBefore = countSessions()
    const blockedResponse = await tryPassword(ADMIN.password, createNetworkAddress())
    expect([blockedResponse.status, blockedResponse.headers.get('set-cookie')]).toEqual([
      429,
      undefined,
    ])
    expect(Number(blockedResponse.headers.get('retry-after'))).toBeGreaterThan(14 * MINUTE_S)
    expect(countSessions()).toBe(sessionsBefore)
  })

  test('after twenty names, an address is blocked, even if it sends forged forwarding headers', async () => {
    const ownAddress = createAddress()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 22; attempt += 1)
      statuses.push(
        (await tryPassword('guess', `${createAddress()}, ${ownAddress}`, `name${attempt}`)).status,
      )
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429])
  })

  test('from a hundred networks, the account is blocked for new ones and open to its usual ones', async () => {
    const usualAddress = createAddress()
    await signInAsAdmin(target, usualAddress)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 104; attempt += 1)
      statuses.push(
        (await tryPassword('guess', `2001:db8:${attempt.toString(16)}:1::${attempt.toString(16)}`))
          .status,
      )
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(100)
    expect(statuses.slice(100)).toEqual(Array.from({ length: 4 }, () => 429))
    const sessionsBefore = countSessions()
    expect((await tryPassword(ADMIN.password, createAddress())).status).toBe(429)
    expect(countSessions()).toBe(sessionsBefore)
    expect((await tryPassword(ADMIN.password, usualAddress)).status).toBe(200)
  })

  test('an unknown name gets the same message as a wrong password', async () => {
    const readVisibleParts = async (username: string) => {
      const { status, body } = await tryPassword('guess', createAddress(), username)
      return [status, body]
    }
    expect(await readVisibleParts('unknown-user')).toEqual(
      await readVisibleParts('other-unknown-user'),
    )
    expect((await readVisibleParts('unknown-user'))[0]).toBe(401)
  })
})

test("neither the log nor emails contain passwords, tokens, or delegates' numbers or addresses", async () => {
  const token = await signInAsAdmin(target, '198.51.100.200').catch(() => null)
  const { regNo, data } = await registerDelegate(target, {
    ...delegate,
    email: 'hidden@example.org',
  })
  await clickPaymentButton(await placeOrder(data), 'pay')
  await readRegistration(regNo, createAddress())
  await target.send({ path: `/afpicon/payment/success?orderId=${regNo}` })
  const log = target.readOutput()
  expect(log).toContain('"path":"/api/afpicon/registrations/')
  for (const secret of [
    regNo,
    regNo.slice(4),
    ADMIN.password,
    token ?? 'no token',
    'hidden@example.org',
    delegate.phone_number,
  ])
    expect(log).not.toContain(secret)
  const storedText = ['rollcall.db', 'rollcall.db-wal'].map((name) =>
    readFileSync(join(target.dataDir, name), 'latin1'),
  )
  for (const secret of [ADMIN.password, token ?? 'no token'])
    expect(storedText.some((bytes) => bytes.includes(secret))).toBe(false)
})
