/** PostgreSQL finds rows by number or key through an index, however many rows a table has. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStoreReads } from '../../../server/storage/operations/key-lookups.ts'
import type { Sql } from '../../../server/storage/database/sqlite-connection.ts'
import { connect } from '../../../server/storage/postgres/hosts.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { buildSale, newEmail, registerSample } from '../sample-registrations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { OrderId, RegNo } from '../../../engine/index.ts'

type Reads = ReturnType<typeof createStoreReads>
type SampleIds = { readonly regNo: RegNo; readonly orderId: OrderId }
/** Reads of one registration, payment or token. Each runs several statements. */
const BY_KEY: readonly (readonly [
  name: string,
  read: (storeReads: Reads, ids: SampleIds) => unknown,
])[] = [
  ['a registration by its number', (storeReads, { regNo }) => storeReads.registration(regNo)],
  [
    'a registration by its former number',
    (storeReads) => storeReads.registrationByFormerNumber('demo', 'PULMO20250017'),
  ],
  [
    'a registration by an order id',
    (storeReads, { orderId }) => storeReads.registrationByOrder(orderId),
  ],
  ['a payment by its order id', (storeReads, { orderId }) => storeReads.payment(orderId)],
  ['the events of a payment', (storeReads, { orderId }) => storeReads.paymentEvents(orderId)],
  [
    'the gateway messages about an order',
    (storeReads, { orderId }) => storeReads.gatewayMessages(orderId),
  ],
  ['the actions taken on a registration', (storeReads, { regNo }) => storeReads.actions(regNo)],
  ['the documents of a registration', (storeReads, { regNo }) => storeReads.documents(regNo)],
  ['the captures of a registration', (storeReads, { regNo }) => storeReads.captures(regNo)],
  ['the refunds of a registration', (storeReads, { regNo }) => storeReads.refunds(regNo)],
  [
    'the settlement lines for a registration',
    (storeReads, { regNo }) => storeReads.settlementLinesOf(regNo),
  ],
  [
    'the payment claims for a registration',
    (storeReads, { regNo }) => storeReads.paymentClaims(regNo),
  ],
  [
    'the emails of a registration',
    (storeReads, { regNo }) => storeReads.emailsOfRegistration(regNo),
  ],
  [
    'the audit log entries for a registration',
    (storeReads, { regNo }) => storeReads.auditOf(regNo),
  ],
  [
    'the net amount paid for a registration',
    (storeReads, { regNo }) => storeReads.netAmountPaid(regNo),
  ],
  ['an access link by its token', (storeReads) => storeReads.accessLink('x')],
]

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  let url: string
  let connection: Awaited<ReturnType<typeof connect>>
  let ids: SampleIds
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.database('plans')
    const { store } = await openPostgresStore({ url })
    ids = await registerSample(store)
    await store.applyPaymentEvent(ids.orderId, buildSale('AP1'), newEmail)
    await store.close()
    connection = await connect(url)
  })
  afterAll(async () => {
    await connection.end()
    await server.stop()
  })

  /** Returns the generic plans, which scan a table only if no index applies. */
  async function readPlans(read: (storeReads: Reads) => unknown): Promise<readonly string[]> {
    const statements: string[] = []
    const { dialect } = connection.sql
    const sql: Sql = Object.assign(
      (<Row>(text: string) => {
        statements.push(text)
        return connection.sql<Row>(text)
      }) as Sql,
      { dialect },
    )
    connection.queue('BEGIN')
    await read(createStoreReads(sql))
    await connection.rollBack()
    const shell = await server.shell(url)
    await shell.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan')
    const plans: string[] = []
    for (const text of statements) {
      const paramCount = new Set(text.match(/\$\d+/g)).size
      const values =
        paramCount === 0 ? '' : `(${Array.from({ length: paramCount }, () => 'NULL').join()})`
      await shell.query(`PREPARE asked AS ${text}`)
      const { rows } = await shell.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE asked${values}`)
      await shell.query('DEALLOCATE asked')
      plans.push(...rows.map((row) => row['QUERY PLAN'].trim()))
    }
    await shell.end()
    expect(plans.length).toBeGreaterThan(0)
    return plans
  }

  test.each(BY_KEY)('an index finds %s without a table scan', async (_name, read) => {
    const plans = await readPlans((storeReads) => read(storeReads, ids))
    expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([])
    // A full index scan is a scan too. The refunds index is exempt because it contains only completed refunds.
    const scans = plans.flatMap((plan, index) =>
      /Index (?:Only )?Scan/.test(plan) ? [[plan, plans[index + 1] ?? ''] as const] : [],
    )
    expect(
      scans.filter(
        ([plan, nextLine]) => !nextLine.startsWith('Index Cond') && !/refunds_done/.test(plan),
      ),
    ).toEqual([])
    expect(scans.length).toBeGreaterThan(0)
    expect(plans.filter((plan) => plan.includes('double precision'))).toEqual([])
  })
}
