/** Two servers on PostgreSQL: a delegate registers and pays on one, and staff see this on the other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { readGolden } from '../../engine/authoring/goldens.ts'
import { createFormFields } from '../payments/server-with-gateway.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { runHere } from '../run-command.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const EVENT = 'sample2026'
const createEvent = (): string =>
  readGolden('EV493.yaml')
    .replace('number: "SMPL/24-25/{n}"', 'number: "SMPL/{year}/{n}"')
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  let url: string
  let firstApp: TestApp
  let secondApp: TestApp
  let regNo: RegNo
  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.database('app')
    const startApp = (): Promise<TestApp> =>
      startTestApp({
        clock: '2026-01-20',
        events: { 'sample2026.yaml': createEvent() },
        variables: { DATABASE_URL: url },
      })
    firstApp = await startApp()
    secondApp = await startApp()
  })
  afterAll(async () => {
    await firstApp.close()
    await secondApp.close()
    await postgres.stop()
  })

  test('a registration made and paid on one server is shown as paid by the other', async () => {
    const response = await firstApp.post(`/api/${EVENT}/register/`, {
      full_name: 'Asha Sample',
      email: 'asha@example.org',
      phone_number: '9847012345',
      is_member: 'true',
    })
    expect([response.statusCode, response.body]).toEqual([201, expect.anything()])
    const body = response.json<RegisterResponse>()
    regNo = body.reg_no as RegNo
    const { sandbox } = firstApp
    const handOff = body.payment_data
    if (sandbox === null || handOff === undefined)
      throw new Error('the registration has no payment data')
    const order = handOff.orderid as OrderId
    await fetch(handOff.payment_url, {
      method: 'POST',
      body: new URLSearchParams(createFormFields(firstApp.deps, handOff)),
      redirect: 'manual',
    })
    await sandbox.runAction(order, 'pay')
    expect(await firstApp.deps.payments.verify(order, 5_000)).toBe('success')
    const statusResponse = await secondApp.app.inject({
      url: `/api/${EVENT}/registrations/${regNo}/`,
    })
    expect(statusResponse.json()).toMatchObject({ registration: { payment_status: 'success' } })
  })

  test('a user who signs in on one server is also signed in on the other, and sees the list, figures, documents and reviews', async () => {
    const office = await signIn(firstApp)
    const headers = { authorization: `Bearer ${office.token}` }
    const fetchAt = async (address: string): Promise<Record<string, unknown>> => {
      const response = await secondApp.app.inject({ url: address, headers })
      expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
      return response.json()
    }
    expect(await fetchAt(`/admin/${EVENT}/registrations/`)).toMatchObject({ count: 1 })
    expect(await fetchAt(`/admin/${EVENT}/registrations/?search=asha`)).toMatchObject({ count: 1 })
    expect(await fetchAt(`/admin/registrations/${regNo}/documents/`)).toMatchObject({
      documents: [
        { kind: 'receipt', title: 'Receipt' },
        { kind: 'invoice', title: 'Tax invoice', serial: 'SMPL/25-26/1' },
      ],
    })
    await fetchAt('/admin/dashboard/stats/')
    expect(await secondApp.deps.store.workQueue([EVENT], secondApp.now())).toEqual([])
    expect(
      (await secondApp.deps.store.dashboardFigures(EVENT, '2026-01-20' as never)).revenue,
    ).toBe(118_000)
  })

  test('a registration that waits too long for a lock gets a 503 with Retry-After, and succeeds when it is sent again', async () => {
    const register = () =>
      firstApp.post(
        `/api/${EVENT}/register/`,
        {
          full_name: 'Meera Sample',
          email: 'meera@example.org',
          phone_number: '9847054321',
          is_member: 'true',
        },
        {},
        { 'idempotency-key': '5f2f1d0e-3c5b-4d63-9d4b-0c8f6f5a7e11' },
      )
    const holder = await postgres.shell(url)
    await holder.query('BEGIN; LOCK TABLE registrations IN SHARE MODE')
    const rejected = await register()
    expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([
      503,
      expect.any(String),
    ])
    await holder.query('ROLLBACK')
    await holder.end()
    const accepted = await register()
    expect(accepted.statusCode, accepted.body).toBe(201)
  })

  test('`rollcall doctor` reports that the next start begins a recovery if an older copy was restored with pg_restore', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-restored-'))
    const variables = { DATABASE_URL: url, DATA_DIR: dataDir, EVENTS_DIR: firstApp.eventsDir }
    const { name, counted: registrationCount } = await firstApp.deps.store.databaseProgress()
    const writeLastServed = (registrations: number): void =>
      writeFileSync(
        join(dataDir, 'last-served.json'),
        JSON.stringify({
          name: name ?? 'given at the first start',
          counted: {
            ...registrationCount,
            registrations: (registrationCount['registrations'] ?? 0) + registrations,
          },
          at: firstApp.now(),
          codes: [],
        }),
      )
    writeLastServed(0)
    expect((await runHere(['doctor'], variables)).stdout).toContain('is not in recovery')
    writeLastServed(1)
    expect((await runHere(['doctor'], variables)).stdout).toMatch(
      /^check +The next start begins a recovery\. The database is older than the one that this server used until /m,
    )
    rmSync(dataDir, { recursive: true })
  })

  test('commands work on PostgreSQL, and commands for SQLite report that they do not', async () => {
    const variables = { DATABASE_URL: url, DATA_DIR: firstApp.dir, EVENTS_DIR: firstApp.eventsDir }
    const listResult = await runHere(['user', 'list'], variables)
    expect(listResult).toMatchObject({ status: 0, stdout: expect.stringContaining('office') })
    for (const command of [
      ['db', 'backup', '/nowhere'],
      ['db', 'restore', '/nowhere'],
    ])
      expect(await runHere(command, variables)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/^DATABASE_URL is set: .+PostgreSQL database/),
      })
    expect(await runHere(['db', 'migrate'], variables)).toMatchObject({ status: 0 })
    const doctorResult = await runHere(['doctor'], variables)
    expect(doctorResult.stdout).toMatch(
      /good {3}PostgreSQL \d[\d.]* responds. The database has version \d+/,
    )
    const missingDatabase = await runHere(['doctor'], {
      ...variables,
      DATABASE_URL: url.replace('/app', '/missing_database'),
    })
    expect(missingDatabase.stdout).toContain('wrong  The database in PostgreSQL cannot be used:')
  })
}
