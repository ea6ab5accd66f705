/** How PostgreSQL finds what is asked for by a number or a key: by an index, however many rows there are. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reads } from '../../../server/storage/operations/key-lookups.ts'
import type { Sql } from '../../../server/storage/database/sqlite-connection.ts'
import { connect } from '../../../server/storage/postgres/hosts.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import { confirmedBy, newEmail, registerSample } from '../sample-registrations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { OrderId, RegNo } from '../../../engine/index.ts'

type Reads = ReturnType<typeof reads>
type Known = { readonly regNo: RegNo; readonly orderId: OrderId }
/** Reads of one registration, payment or token. Each runs several statements. */
const BY_KEY: readonly (readonly [name: string, read: (of: Reads, known: Known) => unknown])[] = [
  ['a registration by its number', (of, { regNo }) => of.registration(regNo)],
  [
    'a registration by its former number',
    (of) => of.registrationByFormerNumber('demo', 'PULMO20250017'),
  ],
  ['a registration by an order id', (of, { orderId }) => of.registrationByOrder(orderId)],
  ['a payment by its order id', (of, { orderId }) => of.payment(orderId)],
  ['the history of a payment', (of, { orderId }) => of.paymentEvents(orderId)],
  ['the messages of the gateway about an order', (of, { orderId }) => of.gatewayMessages(orderId)],
  ['the actions on a registration', (of, { regNo }) => of.actions(regNo)],
  ['its documents', (of, { regNo }) => of.documents(regNo)],
  ['its captures', (of, { regNo }) => of.captures(regNo)],
  ['its refunds', (of, { regNo }) => of.refunds(regNo)],
  ['its settlement', (of, { regNo }) => of.settlementLinesOf(regNo)],
  ['its payment claims', (of, { regNo }) => of.paymentClaims(regNo)],
  ['its emails', (of, { regNo }) => of.mailsOf(regNo)],
  ['its log', (of, { regNo }) => of.auditOf(regNo)],
  ['what of it is kept', (of, { regNo }) => of.moneyKept(regNo)],
  ['an access link by its token', (of) => of.accessLink('x')],
]

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  let url: string
  let connection: Awaited<ReturnType<typeof connect>>
  let known: Known
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.database('plans')
    const { store } = await openInsidePostgres({ url })
    known = await registerSample(store)
    await store.applyPaymentEvent(known.orderId, confirmedBy('AP1'), newEmail)
    await store.close()
    connection = await connect(url)
  })
  afterAll(async () => {
    await connection.end()
    await server.stop()
  })

  /** The plans that PostgreSQL makes without knowing the values, where it scans a table only if no index serves. */
  async function plansOf(read: (of: Reads) => unknown): Promise<readonly string[]> {
    const texts: string[] = []
    const { dialect } = connection.sql
    const sql: Sql = Object.assign(
      (<Row>(text: string) => {
        texts.push(text)
        return connection.sql<Row>(text)
      }) as Sql,
      { dialect },
    )
    connection.queue('BEGIN')
    await read(reads(sql))
    await connection.rollBack()
    const shell = await server.shell(url)
    await shell.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan')
    const plans: string[] = []
    for (const text of texts) {
      const places = new Set(text.match(/\$\d+/g)).size
      const values = places === 0 ? '' : `(${Array.from({ length: places }, () => 'NULL').join()})`
      await shell.query(`PREPARE asked AS ${text}`)
      const { rows } = await shell.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE asked${values}`)
      await shell.query('DEALLOCATE asked')
      plans.push(...rows.map((row) => row['QUERY PLAN'].trim()))
    }
    await shell.end()
    expect(plans.length).toBeGreaterThan(0)
    return plans
  }

  test.each(BY_KEY)('%s is found by an index, not by a scan of the table', async (_name, read) => {
    const plans = await plansOf((of) => read(of, known))
    expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([])
    // An index that is read from end to end is a scan too; the index of refunds holds only those that are done.
    const scans = plans.flatMap((plan, at) =>
      /Index (?:Only )?Scan/.test(plan) ? [[plan, plans[at + 1] ?? ''] as const] : [],
    )
    expect(
      scans.filter(([plan, next]) => !next.startsWith('Index Cond') && !/refunds_done/.test(plan)),
    ).toEqual([])
    expect(scans.length).toBeGreaterThan(0)
    expect(plans.filter((plan) => plan.includes('double precision'))).toEqual([])
  })
}
