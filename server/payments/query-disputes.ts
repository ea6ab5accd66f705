/** Queries the gateway about disputes. A webhook only identifies a dispute; the gateway's own response describes it. */
import { err } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import type { GatewayDispute, StoredDispute } from '../storage/index.ts'
import { BACKGROUND_QUERY_TIMEOUT_MS } from './gateways/request-timeouts.ts'
import { findQueryProblem, findRequestEvent } from './verify-payment.ts'
import type { PaymentsDeps, Versions } from './verify-payment.ts'

type NamedDispute = Pick<StoredDispute, 'disputeId' | 'orderId'>

const BATCH_ROWS = 16

/** Queries a dispute and stores the gateway's response. Without a usable response, the query is repeated later. */
export async function queryDispute(
  deps: PaymentsDeps,
  versions: Versions,
  dispute: NamedDispute,
): Promise<void> {
  const { store, clock, log } = deps
  const queriedAt = clock()
  const response = await requestDispute(deps, versions, dispute).catch(
    (error: unknown): Result<GatewayDispute, string> => err(String(error)),
  )
  if (response.ok) return store.recordDispute(response.value, queriedAt)
  log.warn({ error: response.error }, 'the gateway gave no usable response about a dispute')
  await store.postponeDisputeQuery(dispute.disputeId, clock())
}

async function requestDispute(
  deps: PaymentsDeps,
  versions: Versions,
  { disputeId, orderId }: NamedDispute,
): Promise<Result<GatewayDispute, string>> {
  const { store, gateway } = deps
  const registration = await store.registrationByOrder(orderId)
  const payment = registration?.payments.find((attempt) => attempt.orderId === orderId)
  if (registration === null || payment === undefined) return err('the order does not exist')
  const event = await findRequestEvent(deps, versions, registration, payment)
  if (event === null) return err('the event of the payment is unknown')
  const problem = findQueryProblem(deps, event, payment)
  if (problem !== null) return err(problem)
  return (
    (await gateway.dispute?.(event, orderId, disputeId, BACKGROUND_QUERY_TIMEOUT_MS)) ??
    err('this gateway does not support disputes')
  )
}

/** Queries the gateway about due disputes: new ones, and open ones at intervals. */
export async function queryDueDisputes(deps: PaymentsDeps, versions: Versions): Promise<void> {
  for (const dispute of await deps.store.disputesToQuery(deps.clock(), BATCH_ROWS))
    await queryDispute(deps, versions, dispute)
}
