/**
 * Invariants for disputes: Rollcall stores the gateway's statuses. Staff record only lost disputes, once each. A lost
 * dispute stays in the work queue until its whole amount is recorded or a note is added.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { readWaitingIds } from '../../server/storage/lists/work-queue.ts'
import { instant } from '../../engine/index.ts'
import type { Violation } from './check-payments.ts'
import { RAZORPAY_EVENTS } from './events.ts'
import type { Gateway, Order } from './gateway.ts'
import { isLost, getStatus } from './razorpay-disputes.ts'
import type { Dispute } from './razorpay-disputes.ts'

const DAY_MS = 24 * 3_600_000
/** The server must have queried an open dispute within this time. It queries every six hours. */
const QUERIED_WITHIN_MS = DAY_MS

type Row = {
  readonly dispute_id: string
  readonly registration_id: number
  readonly order_id: string
  readonly reference: string
  readonly amount: number
  readonly deducted: number
  readonly currency: string
  readonly status: string
  readonly status_at: number
}
const DISPUTES_SQL = `SELECT dispute_id, registration_id, order_id, reference, amount, deducted, currency, status, status_at
  FROM disputes ORDER BY dispute_id`
type RecordedLoss = { readonly reference: string; readonly amount: number; readonly why: string }
const RECORDED_LOSSES_SQL =
  "SELECT reference, amount, why FROM refunds WHERE reference LIKE 'disp%' AND state = 'done'"
type ManualRefundRow = {
  readonly registration_id: number
  readonly payment: string
  readonly amount: number
  readonly at: number
}
const MANUAL_REFUNDS_SQL = `SELECT c.registration_id, c.reference AS payment, f.amount, f.at
  FROM refunds f JOIN captures c ON c.id = f.capture_id
  WHERE f.state = 'done' AND f.asked_at IS NULL AND f.who NOT IN ('gateway', 'import', 'migration')`
const NOTES_SQL = "SELECT registration_id, at FROM acts WHERE act = 'note'"

export type DisputeInvariants = {
  /** Returns the dispute with this id. Null if the reference is not a dispute's id. */
  find(reference: string | null): Dispute | null
  afterWrite(): Promise<Violation | null>
  whenIdle(now: number): Promise<Violation | null>
}

export function createDisputeInvariants(
  sql: () => Sql,
  serverSql: () => Sql,
  gateway: Gateway,
): DisputeInvariants {
  const listDisputes = (): readonly { readonly order: Order; readonly dispute: Dispute }[] =>
    [...gateway.orders.values()].flatMap((order) =>
      order.disputes.map((dispute) => ({ order, dispute })),
    )
  /** The index of the latest status stored for each dispute. An earlier status must not replace a later one. */
  const latestIndexById = new Map<string, number>()

  const findStorageMismatch = (row: Row): string | null => {
    const disputedOrder = listDisputes().find(({ dispute }) => dispute.id === row.dispute_id)
    if (disputedOrder === undefined) return 'it does not exist'
    const { order, dispute } = disputedOrder
    if (row.order_id !== order.orderId) return 'it belongs to another order'
    if (row.status === 'unknown') return row.amount === 0 ? null : 'the gateway was not queried'
    const { paymentReference, amount, currency, changes } = dispute
    if (row.reference !== paymentReference || row.amount !== amount || row.currency !== currency)
      return 'it differs from the gateway’s dispute'
    if (row.deducted !== (row.status === 'lost' ? amount : 0)) return 'the deduction is wrong'
    const index = changes.findLastIndex(({ status }) => status === row.status)
    if (index < (latestIndexById.get(dispute.id) ?? 0))
      return 'an earlier status replaced a later one'
    // "Open" and "under review" can alternate, so a repeated status does not show how far the dispute has progressed.
    const isRepeated = changes.filter(({ status }) => status === row.status).length > 1
    if (!isRepeated) latestIndexById.set(dispute.id, index)
    return index === -1 ? 'the gateway never reported this status' : null
  }
  const findRecordingMistake = (recordedLosses: readonly RecordedLoss[]): string | null => {
    for (const { dispute } of listDisputes()) {
      const disputeLosses = listRecordedLosses(recordedLosses, dispute)
      if (disputeLosses.length === 0) continue
      // If a loss is spread over several payments, one decision records a row for each of them.
      if (new Set(disputeLosses.map(({ why }) => why)).size > 1)
        return `${dispute.id} more than once`
      const recordedSum = sumRecordedLosses(recordedLosses, dispute)
      if (!isLost(dispute)) return `${dispute.id} is ${getStatus(dispute)}`
      if (recordedSum > dispute.amount) return `${dispute.id}: ${recordedSum} of ${dispute.amount}`
    }
    return null
  }
  /**
   * Returns the ids of registrations that, according to the gateway, have a lost dispute that staff have not fully
   * recorded.
   */
  const listQueuedRegistrationIds = async (rows: readonly Row[]): Promise<readonly number[]> => {
    const recordedLosses = await sql()<RecordedLoss>(RECORDED_LOSSES_SQL).all()
    const notes = await sql()<{ registration_id: number; at: number }>(NOTES_SQL).all()
    const manualRefunds = await sql()<ManualRefundRow>(MANUAL_REFUNDS_SQL).all()
    /**
     * Returns true if the manual refunds since the payment's first loss cover all its losses, whatever the refunds'
     * references are.
     */
    const isCovered = (row: Row): boolean => {
      const losses = rows.filter(
        (other) =>
          other.status === 'lost' &&
          other.registration_id === row.registration_id &&
          other.reference === row.reference,
      )
      const firstLossAt = Math.min(...losses.map(({ status_at: at }) => at))
      const refunds = manualRefunds.filter(
        (refund) =>
          refund.registration_id === row.registration_id &&
          refund.payment === row.reference &&
          refund.at >= firstLossAt,
      )
      const sumAmounts = (amounts: readonly { readonly amount: number }[]): number =>
        amounts.reduce((total, { amount }) => total + amount, 0)
      return sumAmounts(refunds) >= sumAmounts(losses)
    }
    const queuedRows = rows.filter((row) => {
      const disputedOrder = listDisputes().find(({ dispute }) => dispute.id === row.dispute_id)
      const hasNote = notes.some(
        ({ registration_id: id, at }) => id === row.registration_id && at >= row.status_at,
      )
      return (
        disputedOrder !== undefined &&
        row.status === 'lost' &&
        sumRecordedLosses(recordedLosses, disputedOrder.dispute) < disputedOrder.dispute.amount &&
        !hasNote &&
        !isCovered(row)
      )
    })
    return [...new Set(queuedRows.map(({ registration_id: id }) => id))]
  }
  const checkQueue = async (rows: readonly Row[], now: number): Promise<Violation | null> => {
    const queue = { is: 'dispute_lost', at: instant(now) } as const
    const shownIds: number[] = []
    for (const event of RAZORPAY_EVENTS)
      shownIds.push(...(await readWaitingIds(serverSql(), event, queue, 100)))
    const expectedIds = await listQueuedRegistrationIds(rows)
    return shownIds.toSorted().join() === expectedIds.toSorted().join()
      ? null
      : {
          invariant: 'a lost dispute stays in the work queue until its whole amount is recorded',
          cause: `seen ${shownIds.join()}, expected ${expectedIds.join()}: ${JSON.stringify(rows)}`,
        }
  }
  return {
    find: (reference) =>
      listDisputes().find(({ dispute }) => dispute.id === reference)?.dispute ?? null,
    afterWrite: async () => {
      if (listDisputes().length === 0) return null
      for (const row of await sql()<Row>(DISPUTES_SQL).all()) {
        const mismatch = findStorageMismatch(row)
        if (mismatch !== null)
          return {
            invariant: 'a stored dispute equals the gateway’s dispute',
            cause: `${mismatch}: ${JSON.stringify(row)}`,
          }
      }
      const mistake = findRecordingMistake(await sql()<RecordedLoss>(RECORDED_LOSSES_SQL).all())
      return mistake === null
        ? null
        : { invariant: 'a dispute is recorded once, and only if it is lost', cause: mistake }
    },
    whenIdle: async (now) => {
      if (listDisputes().length === 0) return null
      const rows = await sql()<Row>(DISPUTES_SQL).all()
      for (const { order, dispute } of listDisputes()) {
        const changedAt = dispute.changes.at(-1)?.at ?? now
        if (!dispute.isNamed || now - changedAt < QUERIED_WITHIN_MS) continue
        const row = rows.find(({ dispute_id: id }) => id === dispute.id)
        if (row?.status !== getStatus(dispute))
          return {
            invariant: 'the final status of every dispute is stored',
            cause: `${order.orderId}: ${JSON.stringify(dispute)}, ${JSON.stringify(row ?? null)}`,
          }
      }
      return checkQueue(rows, now)
    },
  }
}

const listRecordedLosses = (
  recordedLosses: readonly RecordedLoss[],
  { id }: Dispute,
): readonly RecordedLoss[] => recordedLosses.filter(({ reference }) => reference === id)
const sumRecordedLosses = (recordedLosses: readonly RecordedLoss[], dispute: Dispute): number =>
  listRecordedLosses(recordedLosses, dispute).reduce((sum, { amount }) => sum + amount, 0)
