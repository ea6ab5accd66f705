/** Two whole servers on one PostgreSQL: which version of an event they serve, and what one of them has not read from its disk. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { EventAnswer } from '../../engine/index.ts'
import { fixtureDelegate, fixtureEvent } from './fixture.ts'
import { startTestApp } from './harness.ts'
import type { TestApp } from './harness.ts'
import { hasPostgres, startPostgres } from './store/postgres-server.ts'
import type { PostgresServer } from './store/postgres-server.ts'

const FILE = 'sample2026.yaml'
const FORM = '/api/events/sample2026'
const before = fixtureEvent({ extra: '' })
const dearer = fixtureEvent({ price: 1500, total: 1770 })
/** The same price, and a question more: another form. */
const longer = before.replace(
  '        - {id: letter,',
  '        - {id: city, label: City}\n        - {id: letter,',
)

if (!hasPostgres) test('without a PostgreSQL on this machine no two servers share one', () => {})
else {
  let postgres: PostgresServer
  let url: string
  let first: TestApp
  let second: TestApp
  const started: TestApp[] = []
  const start = async (
    events: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<TestApp> => {
    const app = await startTestApp({
      clock: '2026-01-20',
      events,
      decides: true,
      variables: { DATABASE_URL: url, ...variables },
    })
    started.push(app)
    return app
  }
  const register = (app: TestApp, total: string) =>
    app.post('/api/sample2026/register/', { ...fixtureDelegate, total_amount: total })
  const validatorAt = async (app: TestApp): Promise<string> =>
    String((await formAt(app)).validator_url)
  const formAt = async (app: TestApp): Promise<EventAnswer> =>
    (await app.app.inject({ url: FORM })).json<EventAnswer>()
  const statusAt = async (app: TestApp, address: string): Promise<number> =>
    (await app.app.inject({ url: address })).statusCode

  /** Every test begins with both servers at the same version, and nobody else. */
  const backToBefore = async (): Promise<void> => {
    for (const app of started.splice(2)) await app.close()
    first.writeEvent(FILE, before)
    await first.deps.events.reload()
    await second.deps.events.follow()
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.database('several')
    first = await start({ [FILE]: before })
    second = await start({ [FILE]: before })
  })
  afterEach(backToBefore)
  afterAll(async () => {
    for (const app of started) await app.close()
    await postgres.stop()
  })

  test('a price that one server has activated holds at the other before that has looked', async () => {
    first.writeEvent(FILE, dearer)
    await first.deps.events.reload()
    expect((await formAt(second)).hash).not.toBe((await formAt(first)).hash)
    const old = await register(second, '1180')
    expect([old.statusCode, old.json()]).toMatchObject([
      409,
      { code: 'price_changed', quote: { total: 1770 } },
    ])
    const { statusCode, body } = await register(second, '1770')
    expect([statusCode, body]).toEqual([201, expect.anything()])
    const shell = await postgres.shell(url)
    const { rows } = await shell.query(
      'SELECT total, event_hash FROM registrations ORDER BY id DESC LIMIT 1',
    )
    await shell.end()
    expect(rows).toEqual([{ total: '177000', event_hash: (await formAt(first)).hash }])
  })

  test('the first who registers by the version before is judged by the one that is active', async () => {
    first.writeEvent(FILE, dearer)
    await first.deps.events.reload()
    // Nothing was sent of the price: whatever it is now is asked for, and never that of before.
    const answer = await second.post('/api/sample2026/register/', fixtureDelegate)
    expect(answer.json()).toMatchObject({ payment_data: { amount: '1770.00' } })
  })

  test('the form of either server opens at the other', async () => {
    const old = await validatorAt(second)
    first.writeEvent(FILE, longer)
    await first.deps.events.reload()
    const now = await validatorAt(first)
    expect(now).not.toBe(old)
    expect([await statusAt(second, now), await statusAt(first, old)]).toEqual([200, 200])
    // One that was started since has read neither of the old ones.
    const third = await start({ [FILE]: longer })
    expect([await statusAt(third, old), await statusAt(third, now)]).toEqual([200, 200])
    expect(await statusAt(third, old.replace(/validator\.\w+/, 'validator.0123456789abcdef'))).toBe(
      404,
    )
  })

  test('an event that one server has activated has its page, its form and its calls at the other at once', async () => {
    first.writeEvent('other2026.yaml', fixtureEvent({ id: 'other2026', prefix: 'OTHR' }))
    await first.deps.events.reload()
    expect(await statusAt(second, '/other2026')).toBe(200)
    const third = await start({ [FILE]: before })
    first.writeEvent('third2026.yaml', fixtureEvent({ id: 'third2026', prefix: 'THRD' }))
    await first.deps.events.reload()
    const { statusCode } = await third.post('/api/third2026/register/', fixtureDelegate)
    expect(statusCode).toBe(201)
    expect(await statusAt(second, '/api/events/third2026')).toBe(200)
  })

  test('a disk that is behind does not bring an old version back; told to, it does, for all', async () => {
    first.writeEvent(FILE, dearer)
    await first.deps.events.reload()
    const third = await start({ [FILE]: before })
    const { hash } = await formAt(first)
    expect((await formAt(third)).hash).toBe(hash)
    expect(third.printed.join('\n')).toContain('rollcall reload serves it again')
    expect(third.deps.events.refused()).toMatchObject([{ file: FILE }])
    await second.deps.events.follow()
    expect((await formAt(second)).hash).toBe(hash)
    await third.deps.events.reload()
    await first.deps.events.follow()
    expect((await formAt(first)).hash).not.toBe(hash)
    expect((await register(first, '1180')).statusCode).toBe(201)
  })

  test('an event whose file has gone is closed at every server, and what was registered stays', async () => {
    const other = fixtureEvent({ id: 'other2026', prefix: 'OTHR' })
    first.writeEvent('other2026.yaml', other)
    await first.deps.events.reload()
    await second.deps.events.follow()
    const here = await second.post('/api/other2026/register/', fixtureDelegate)
    const { reg_no: regNo } = here.json<{ reg_no: string }>()
    // The second has no file of it, and is told that its disk counts.
    await second.deps.events.reload()
    // The first has not looked yet: the store knows.
    const late = await first.post('/api/other2026/register/', fixtureDelegate)
    expect(late.json()).toMatchObject({ code: 'registration_closed' })
    const known = await first.app.inject({ url: `/api/other2026/registrations/${regNo}/` })
    expect(known.statusCode).toBe(200)
  })

  test('a server that cannot serve what is active takes nobody by what it serves, and says so', async () => {
    const account = { USERNAME: 'u', PASSWORD: 'p', SECRET: 's', MERCHANT_ID: '1' }
    const variables = (name: string): Record<string, string> => ({
      GATEWAY_MODE: 'airpay-test',
      ...Object.fromEntries(
        Object.entries(account).map(([part, value]) => [`AIRPAY_${name}_${part}`, value]),
      ),
    })
    const [old, next] = [before, dearer].map((text) =>
      text.replaceAll('sample2026', 'poor2026').replace('prefix: SMPL', 'prefix: POOR'),
    )
    const file = 'poor2026.yaml'
    first.writeEvent(file, String(old))
    await first.deps.events.reload()
    const poor = await start({ [file]: String(old) }, variables('SAMPLE'))
    const byOld = () =>
      poor.post('/api/poor2026/register/', { ...fixtureDelegate, total_amount: '1180' })
    first.writeEvent(file, String(next).replace('account: sample', 'account: another'))
    await first.deps.events.reload()
    expect((await byOld()).statusCode).toBe(503)
    expect(poor.deps.events.refused().map(({ why }) => why)).toContainEqual(
      expect.stringContaining('poor2026 is active in a version that this server cannot serve'),
    )
  })
}
