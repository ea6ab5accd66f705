/** The number of round trips to PostgreSQL for the most frequent operations, including BEGIN and COMMIT. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import type { OrderId } from '../../../engine/index.ts'
import type { PaymentKeys, Store } from '../../../server/storage/index.ts'
import { FILE, ISSUER } from './sample-issuer.ts'
import {
  buildSale,
  newEmail,
  buildRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import { startDelayingProxy, buildProxyUrl } from './delaying-proxy.ts'
import type { DelayingProxy } from './delaying-proxy.ts'
import { getTemplate } from './postgres-contract.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Several runs, because the first ones prepare statements and others coincide with the store's background work. */
const RUN_COUNT = 6

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  let proxy: DelayingProxy
  let store: Store
  beforeAll(async () => {
    postgres = await startPostgres()
    const url = await postgres.database('trips', { template: await getTemplate(postgres) })
    proxy = await startDelayingProxy({ folder: postgres.folder }, { delayMs: 1 })
    store = (await openPostgresStore({ url: buildProxyUrl(proxy.port, url) })).store
  })
  afterAll(async () => {
    await store.close()
    await proxy.close()
    await postgres.stop()
  })

  async function readKeys(orderId: OrderId): Promise<PaymentKeys> {
    const registration = await store.registrationByOrder(orderId)
    const payment = registration?.payments[0]
    if (registration == null || payment === undefined) throw new Error(`no payment ${orderId}`)
    const { eventId, id: registrationId } = registration
    return { paymentId: payment.id, registrationId, eventId, gateway: '', account: payment.account }
  }

  type PrepareOperation = (run: number) => Promise<() => Promise<unknown>>
  const operations: readonly (readonly [what: string, trips: number, prepare: PrepareOperation])[] =
    [
      ['a registration', 2, async () => () => store.register(buildRegistration())],
      [
        'a lookup by number',
        1,
        async () => {
          const { regNo } = await registerSample(store)
          return () => store.registration(regNo)
        },
      ],
      ['a list page', 1, async () => () => store.listPage({ eventId: 'demo', answers: {} }, 1, 20)],
      [
        'a gateway message',
        1,
        async () => {
          const gatewayMessage = {
            gateway: 'demo',
            kind: 'notice',
            body: 'A=1',
            contentType: 'text/plain',
          }
          return () =>
            store.recordGatewayMessage({
              ...gatewayMessage,
              kind: 'notice',
              orderId: null,
              at: noon,
            })
        },
      ],
      [
        'a confirmed payment whose keys are known',
        2,
        async (run) => {
          const { orderId } = await registerSample(store)
          const keys = await readKeys(orderId)
          return () =>
            store.applyPaymentEvent(orderId, buildSale(`AP${run}`), newEmail, undefined, keys)
        },
      ],
      [
        'a confirmed payment',
        3,
        async (run) => {
          const { orderId } = await registerSample(store)
          return () => store.applyPaymentEvent(orderId, buildSale(`BP${run}`), newEmail)
        },
      ],
      [
        'a confirmed payment with an invoice',
        2,
        async (run) => {
          await store.saveEventFile({ ...FILE, issuer: ISSUER })
          const { orderId } = await registerSample(store)
          const keys = await readKeys(orderId)
          return async () => {
            await store.applyPaymentEvent(orderId, buildSale(`CP${run}`), newEmail, undefined, keys)
          }
        },
      ],
    ]
  test.each(operations)(
    'the number of round trips for %s is %i',
    async (_, roundTrips, prepare) => {
      const counts: number[] = []
      for (let run = 0; run < RUN_COUNT; run += 1) {
        const operation = await prepare(run)
        const tripsBefore = proxy.traffic().roundTrips
        await operation()
        counts.push(proxy.traffic().roundTrips - tripsBefore)
      }
      expect(Math.min(...counts)).toBe(roundTrips)
    },
  )
}
