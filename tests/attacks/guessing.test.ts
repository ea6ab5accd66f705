/**
 * Guessing, with the limits on: numbers of registrations at every door, and passwords, from one address
 * and from many.
 *
 * What guessing takes, worked out from the limits as they are met here. A number holds 12 random digits:
 * 10¹² may be one, and a conference of 10,000 delegates has given out 10⁴ of them, so that 10⁸ guesses
 * find one on average. An event answers 300 wrong ones in ten minutes, from however many addresses, which
 * are 43,200 a day: 2,315 days, or 6.3 years, in which the event would have been shut to new addresses all
 * the time, for one of 10,000 registrations, and 63,000 years for the registration of one person. A password
 * of the office's is one of 31¹⁶ where we made it up; an account takes 100 guesses in a quarter of an hour,
 * 9,600 a day, which are 10¹⁷ years. A person's own that is among the million commonest falls within 52 days
 * on average, in which the log says so each day.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADMIN } from '../browser/serve.ts'
import { runs } from '../runs.ts'
import { FORM, formBody, messageOf, placed, presses } from './gateway.ts'
import {
  changes,
  CODED,
  CODED_REGISTER,
  codedDelegate,
  codeMade,
  command,
  delegate,
  freshAddress,
  registered,
  signedIn,
  startTarget,
} from './target.ts'
import type { Target } from './target.ts'
import type { Answer } from './wire.ts'

const MINUTE_S = 60
const DAY_S = 24 * 60 * MINUTE_S
const YEAR_DAYS = 365.25
const RANDOM_DIGITS = 12
const DELEGATES = 10_000
/** Guesses that were answered in the tests before the one that counts them all. */
const GUESSED_BEFORE = 4 * 21 + 5 * 20

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

/** A number that nobody has; whether its check digit fits makes no difference to who is counted. */
let serial = 0
const wrong = (): string => `AFPI${String((serial += 1)).padStart(13, '0')}`

/** Every door that a number opens. */
const doors: Readonly<Record<string, (number: string, from: string) => Promise<Answer>>> = {
  'the read': (number, from) => target.ask({ path: `/api/afpicon/registrations/${number}/` }, from),
  'the read with an email': (number, from) =>
    target.post(`/api/afpicon/registrations/${number}/`, { email: delegate.email }, from),
  'the return': (number, from) =>
    target.ask(
      {
        method: 'POST',
        path: '/api/payment/return/',
        headers: FORM,
        body: formBody(messageOf({ orderId: number, status: '400' })),
      },
      from,
    ),
  'the notice': (number, from) =>
    target.ask(
      {
        method: 'POST',
        path: '/api/payment/webhook/',
        headers: FORM,
        body: formBody(messageOf({ orderId: number, status: '400' })),
      },
      from,
    ),
  'another try': (number, from) => target.post('/api/payment/retry/', { order_id: number }, from),
}
const read = (number: string, from: string): Promise<Answer> =>
  target.ask({ path: `/api/afpicon/registrations/${number}/` }, from)

describe('numbers', () => {
  test.each(['the return', 'the notice', 'the read', 'another try'])(
    'unlimited wrong ones from one address at %s block only that address',
    async (name) => {
      const address = freshAddress()
      for (let tried = 0; tried < runs(400, 40); tried += 1) await doors[name]?.(wrong(), address)
      expect((await read(wrong(), address)).status).toBe(429)
      expect((await read(wrong(), freshAddress())).status).toBe(404)
    },
  )

  test.each(Object.keys(doors))(
    'twenty wrong ones at %s shut all doors to the address, and none tells a right number from a wrong one',
    async (name) => {
      const { regNo } = await registered(target)
      const [address, before] = [freshAddress(), target.holds()]
      for (let tried = 0; tried < 20; tried += 1) await doors[name]?.(wrong(), address)
      for (const [other, door] of Object.entries(doors)) {
        const [ofRight, ofWrong] = [await door(regNo, address), await door(wrong(), address)]
        const told = ({ status, headers, body }: Answer, number = '') => [
          other,
          status,
          headers.get('retry-after'),
          (headers.get('location') ?? '').replace(/AFPI\d+/, number),
          body,
        ]
        expect(told(ofRight)).toEqual(told(ofWrong))
        expect(ofRight.status).toBe(other === 'the return' ? 303 : 429)
        expect(ofRight.body).not.toContain(delegate.full_name)
      }
      const { gateway_notices: _, ...moved } = changes(before, target.holds())
      expect(moved).toEqual({})
    },
  )

  test('from a thousand addresses, some of them proxies, an event accepts so few guesses that finding a number takes years', async () => {
    const known = freshAddress()
    const { regNo } = await registered(target, delegate, known)
    // What the tests before this guessed counts too: it is the event's, whoever guessed.
    let answered = GUESSED_BEFORE
    let shut: Answer | null = null
    for (let tried = 0; tried < 400; tried += 1) {
      const answer = await read(wrong(), `${freshAddress()}, ${freshAddress()}`)
      if (answer.status === 404) answered += 1
      else shut ??= answer
    }
    const windowS = Number(shut?.headers.get('retry-after'))
    expect(shut?.status).toBe(429)
    expect(answered).toBe(300)
    expect(windowS).toBeGreaterThan(9 * MINUTE_S)
    const guessesADay = (answered * DAY_S) / (10 * MINUTE_S)
    const untilOne = 10 ** RANDOM_DIGITS / DELEGATES
    expect(untilOne / guessesADay / YEAR_DAYS).toBeGreaterThan(6)
    expect((untilOne * DELEGATES) / guessesADay / YEAR_DAYS).toBeGreaterThan(60_000)
    // The delegate reads on where the registration was made, and nobody's number there.
    expect((await read(regNo, known)).status).toBe(200)
    expect((await read(wrong(), known)).status).toBe(429)
  })

  test('have the digits from which the years are computed', async () => {
    const numbers = target
      .rows('SELECT reg_no FROM registrations')
      .map((row) => String(row['reg_no']))
    expect(numbers.length).toBeGreaterThan(5)
    const digits = numbers.map((number) => /^AFPI(\d+)\d$/.exec(number)?.[1] ?? '')
    for (const one of digits) expect(one).toHaveLength(RANDOM_DIGITS)
    // Each position takes many values: no date, no counter, no part that stays.
    for (let at = 0; at < RANDOM_DIGITS; at += 1)
      expect(new Set(digits.map((one) => one[at])).size).toBeGreaterThan(1)
  })
})

describe('discount codes and member lists', () => {
  const CODE = 'GUESSED-9'
  const asks: Readonly<Record<string, (typed: string, from: string) => Promise<Answer>>> = {
    'the code': (code, from) => target.post(`/api/events/${CODED}/code/`, { code }, from),
    'the form': (code, from) => target.post(CODED_REGISTER, { ...codedDelegate, code }, from),
    'the roll': (value, from) =>
      target.post(`/api/events/${CODED}/roll/`, { field: 'number', value }, from),
  }
  beforeAll(async () => {
    await codeMade(target, CODE)
    const file = join(target.dataDir, 'roll.csv')
    const rows = Array.from({ length: 80 }, (_, at) => `M-${at},Person ${at},life,`)
    writeFileSync(file, ['number,name,kind,valid_to', ...rows].join('\n'))
    await command(target, 'event', 'members', CODED, 'society', file)
  })

  test.each(Object.keys(asks))(
    'twenty wrong ones at %s shut all three doors to the address and to nobody else; behind them right and wrong look the same',
    async (name) => {
      const [address, before] = [freshAddress(), target.holds()]
      for (let tried = 0; tried < 20; tried += 1)
        expect([404, 422]).toContain((await asks[name]?.(`wrong ${tried}`, address))?.status)
      const told = ({ status, body }: Answer) => [status, body]
      for (const ask of Object.values(asks)) {
        const [right, wrong] = [await ask(CODE, address), await ask('wrong', address)]
        expect(told(right)).toEqual(told(wrong))
        expect(right.status).toBe(429)
      }
      expect((await asks['the code']?.(CODE, freshAddress()))?.status).toBe(200)
      expect(changes(before, target.holds())).toEqual({})
    },
  )

  test('enumeration of a member list ends after sixty rows, and shows only the configured values', async () => {
    const address = freshAddress()
    const answers: Answer[] = []
    for (let at = 0; at < 62; at += 1)
      answers.push((await asks['the roll']?.(`M-${at}`, address)) as Answer)
    expect(answers.filter(({ status }) => status === 200).length).toBe(60)
    expect(answers.at(-1)?.status).toBe(429)
    expect(JSON.parse(answers[7]?.body ?? '')).toEqual({
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
  ])('that is %j opens nothing', async (typed) => {
    expect((await asks['the code']?.(typed, freshAddress()))?.status).toBe(404)
    expect((await asks['the roll']?.(typed, freshAddress()))?.status).toBe(404)
  })
})

describe('passwords', () => {
  const tries = (password: string, from: string, username: string = ADMIN.username) =>
    target.post('/admin/login/', { username, password }, from)
  const SESSIONS = 'SELECT count(*) AS n FROM sessions'
  const sessions = (): unknown => target.rows(SESSIONS)[0]?.['n']

  test('ten from one network block the account for it, even with the correct one, for any address of the network and spelling of the name', async () => {
    const address = (): string => `2001:db8:77:1::${(addresses += 1).toString(16)}`
    let addresses = 0
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
      statuses.push((await tries('guess', address(), username)).status)
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 401))
    const before = sessions()
    const shut = await tries(ADMIN.password, address())
    expect([shut.status, shut.headers.get('set-cookie')]).toEqual([429, undefined])
    expect(Number(shut.headers.get('retry-after'))).toBeGreaterThan(14 * MINUTE_S)
    expect(sessions()).toBe(before)
  })

  test('twenty names from one address, then none; a forged forwarding header is not a new address', async () => {
    const own = freshAddress()
    const statuses: number[] = []
    for (let tried = 0; tried < 22; tried += 1)
      statuses.push((await tries('guess', `${freshAddress()}, ${own}`, `name${tried}`)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429])
  })

  test('from a hundred networks, the account is blocked for new ones and open to its usual ones', async () => {
    const home = freshAddress()
    await signedIn(target, home)
    const statuses: number[] = []
    for (let tried = 0; tried < 104; tried += 1)
      statuses.push(
        (await tries('guess', `2001:db8:${tried.toString(16)}:1::${tried.toString(16)}`)).status,
      )
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(100)
    expect(statuses.slice(100)).toEqual(Array.from({ length: 4 }, () => 429))
    const before = sessions()
    expect((await tries(ADMIN.password, freshAddress())).status).toBe(429)
    expect(sessions()).toBe(before)
    expect((await tries(ADMIN.password, home)).status).toBe(200)
  })

  test('an unknown name gets the same message as a wrong password', async () => {
    const told = async (username: string) => {
      const { status, body } = await tries('guess', freshAddress(), username)
      return [status, body]
    }
    expect(await told('nobody')).toEqual(await told('nobody else'))
    expect((await told('nobody'))[0]).toBe(401)
  })
})

test('neither the log nor emails contain passwords, tokens, numbers or addresses of delegates', async () => {
  const token = await signedIn(target, '198.51.100.200').catch(() => null)
  const { regNo, data } = await registered(target, { ...delegate, email: 'hidden@example.org' })
  await presses(await placed(data), 'pay')
  await read(regNo, freshAddress())
  await target.ask({ path: `/afpicon/payment/success?orderId=${regNo}` })
  const log = target.printed()
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
  const stored = ['rollcall.db', 'rollcall.db-wal'].map((name) =>
    readFileSync(join(target.dataDir, name), 'latin1'),
  )
  for (const secret of [ADMIN.password, token ?? 'no token'])
    expect(stored.some((bytes) => bytes.includes(secret))).toBe(false)
})
