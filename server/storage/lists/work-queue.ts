/**
 * Finds the registrations for each work queue condition of the engine.
 * Each query starts from an index that contains only the waiting rows, so that its cost does not depend on the total
 * number of rows. EXISTS checks a registration's event: with a join, SQLite would scan all registrations of the
 * event.
 */
import { expressionBuilder } from 'kysely'
import type { Expression, Kysely } from 'kysely'
import { flatMapInOrder } from '../database/in-order.ts'
import { instant, SETTLED_WITHIN_DAYS, startOfDay, WORK_QUEUE_IDS } from '../../../engine/index.ts'
import type { Day, Instant, Amount, RegNo, WorkQueueId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { isUnhandledLoss } from '../reconciliation/disputes.ts'
import { openSecondPayments } from '../payments/find-duplicate-payments.ts'
import {
  isGatewayRefund,
  isRefundPending,
  isRefusedRefundOpen,
} from '../refunds/refund-states-and-channels.ts'
import type { WaitingCount } from '../index.ts'
import { isNotUndone } from '../registrations/undone-notes.ts'

/** After a day, a delegate who pays by card has either paid or left. */
const PENDING_MS = 24 * 60 * 60 * 1000

const eb = expressionBuilder<Tables>()
type EventParam = { readonly eventId: string }
type QueueParams = EventParam & { readonly pendingSince: Instant; readonly limit: number }
type Builder = Kysely<Tables>

const belongsToEvent = (registrationId: Expression<number | null>, eventId: string) =>
  eb.exists(
    eb
      .selectFrom('registrations as r')
      .select('r.id')
      .where('r.id', '=', registrationId)
      .where('r.event_id', '=', eventId),
  )
const selectRefunds = (builder: Builder, eventId: string) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .select(({ ref }) => ref('c.registration_id').$notNull().as('id'))
    .where(({ ref }) => belongsToEvent(ref('c.registration_id'), eventId))
const selectDisputes = (builder: Builder, eventId: string) =>
  builder
    .selectFrom('disputes as d')
    .select('d.registration_id as id')
    .distinct()
    .where(({ ref }) => belongsToEvent(ref('d.registration_id'), eventId))
const selectRegistrations = (builder: Builder, eventId: string) =>
  builder.selectFrom('registrations').select('id').where('event_id', '=', eventId)

/** Lists all states of the partial index in the condition. Otherwise the database would not use the index. */
const selectRegistrationsInState = (state: 'told' | 'to_approve') =>
  statement((builder, { eventId, limit }: QueueParams, dialect) =>
    selectRegistrations(builder, eventId)
      .where('state', '=', state)
      .where('state', 'in', ['to_approve', 'told'])
      .orderBy('created_at', 'desc')
      .limit(dialect.limit(limit)),
  )

/**
 * The query for each condition. Some queries repeat the condition of their partial index, because the database would
 * not use the index otherwise.
 */
const QUEUE_QUERIES = {
  // The same staff decide on refunds that were refused or have an unknown result.
  review: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    selectRegistrations(builder, eventId)
      .where(({ ref }) => dialect.isSet(ref('in_review')))
      .union(selectRefunds(builder, eventId).where('f.state', '=', 'unsure').where(isRefundPending))
      .union(selectRefunds(builder, eventId).where(isRefusedRefundOpen))
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  dispute: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    selectDisputes(builder, eventId)
      .where('d.status', 'in', ['unknown', 'open'])
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  // The bank took the money. Staff record it as a refund with the dispute as its reference, or add a note.
  dispute_lost: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    selectDisputes(builder, eventId)
      .where('d.status', '=', 'lost')
      .where(isUnhandledLoss)
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  told: selectRegistrationsInState('told'),
  to_approve: selectRegistrationsInState('to_approve'),
  // Staff carry out the request, or add a note with the reason for refusing it.
  cancel_asked: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    builder
      .selectFrom('acts as a')
      .select('a.registration_id as id')
      .distinct()
      .where('a.act', '=', 'ask_cancel')
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('registrations as r')
            .select('r.id')
            .whereRef('r.id', '=', 'a.registration_id')
            .where('r.event_id', '=', eventId)
            .where('r.state', 'not in', ['cancelled', 'refused']),
        ),
      )
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('acts as b')
              .select('b.id')
              .whereRef('b.registration_id', '=', 'a.registration_id')
              .whereRef('b.id', '>', 'a.id')
              .where('b.act', 'in', ['note', 'cancel', 'refund', 'transfer'])
              .where(isNotUndone('b')),
          ),
        ),
      )
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  pay_back: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    selectRegistrations(builder, eventId)
      .where('due', '<>', 0 as Amount)
      .where('due', '<', 0 as Amount)
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  rate_missing: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    builder
      .selectFrom('waiting_invoices')
      .select('registration_id as id')
      .where('event_id', '=', eventId)
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  mail_failed: statement((builder, { eventId, limit }: QueueParams, dialect) =>
    builder
      .selectFrom('mail_queue as m')
      .select(({ ref }) => ref('m.registration_id').$notNull().as('id'))
      .distinct()
      .where('m.status', '=', 'failed')
      // Excludes emails that were not sent because the delegate's data was erased.
      .where('m.recipient', '<>', '')
      .where(({ ref }) => belongsToEvent(ref('m.registration_id'), eventId))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('mail_queue as n')
              .select('n.id')
              .whereRef('n.registration_id', '=', 'm.registration_id')
              .whereRef('n.id', '>', 'm.id')
              .where('n.status', '=', 'sent'),
          ),
        ),
      )
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('acts as b')
              .select('b.id')
              .whereRef('b.registration_id', '=', 'm.registration_id')
              .whereRef('b.at', '>', 'm.created_at')
              .where('b.act', '=', 'note')
              .where(isNotUndone('b')),
          ),
        ),
      )
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
  ),
  pending: statement((builder, { eventId, pendingSince, limit }: QueueParams, dialect) =>
    selectRegistrations(builder, eventId)
      .where('payment_status', '=', 'pending')
      .where('state', '=', 'to_pay')
      .where('in_review', '=', 0)
      .where('created_at', '<', pendingSince)
      .orderBy('created_at', 'desc')
      .limit(dialect.limit(limit)),
  ),
}

const SETTLED_WITHIN_MS = SETTLED_WITHIN_DAYS * 24 * 60 * 60 * 1000
type UnsettledParams = EventParam & {
  readonly source: string
  readonly account: string
  readonly doneBefore: Instant
  readonly limit: number
}
/**
 * Selects refunds of one account that were completed before `doneBefore` and that no stored settlement line covers.
 * Refunds are matched in the same way as report lines: by reference, payment or order, and amount. Two equal refunds
 * of one payment need two lines. If an event has changed its account, the order identifies the refund in a report of
 * the other account. The action `handle_refund` removes a refund from the queue.
 */
const selectUnsettled = (
  builder: Builder,
  { eventId, source, account, doneBefore, limit }: UnsettledParams,
  dialect: Dialect,
) =>
  selectRefunds(builder, eventId)
    .distinct()
    .where(isGatewayRefund('f'))
    .where('f.done_at', '<', doneBefore)
    .where(({ eb, or }) => or([eb('c.kind', '=', 'sale'), eb('c.state', '=', 'accepted')]))
    .where('c.source', '=', source)
    .where('c.account', 'in', [account, ''])
    .where(({ eb, selectFrom }) =>
      eb(
        selectFrom('settlement_lines as l')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .whereRef('l.source', '=', 'c.source')
          .where('l.kind', '=', 'refund')
          .whereRef('l.amount', '=', 'f.amount')
          .where(({ exists, not, selectFrom }) =>
            not(
              exists(
                selectFrom('captures as t')
                  .innerJoin('bank_references as b', 'b.capture_id', 't.id')
                  .select('t.id')
                  .whereRef('t.registration_id', '=', 'c.registration_id')
                  .whereRef('t.source', '<>', 'c.source')
                  .whereRef('b.key', '=', 'l.reference'),
              ),
            ),
          )
          // Separate conditions use the indexes. With OR, PostgreSQL would read all lines for each refund.
          .where(({ eb, selectFrom }) => {
            const linesOfAccount = selectFrom('settlement_lines as n')
              .select('n.id')
              .where('n.account', '=', account)
            return eb(
              'l.id',
              'in',
              selectFrom('settlement_lines as o')
                .innerJoin('payments as p', 'p.order_id', 'o.order_id')
                .select('o.id')
                .whereRef('p.id', '=', 'c.payment_id')
                .union(linesOfAccount.whereRef('n.reference', '=', 'c.reference'))
                .union(
                  linesOfAccount.where(
                    'n.reference',
                    'in',
                    selectFrom('captures as d')
                      .innerJoin('refunds as g', 'g.capture_id', 'd.id')
                      .select(({ ref }) => ref('g.reference').$notNull().as('reference'))
                      .whereRef('d.payment_id', '=', 'c.payment_id'),
                  ),
                ),
            )
          }),
        '<',
        selectFrom('captures as d')
          .innerJoin('refunds as g', 'g.capture_id', 'd.id')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .whereRef('d.payment_id', '=', 'c.payment_id')
          .where(isGatewayRefund('g'))
          .whereRef('g.amount', '=', 'f.amount')
          .whereRef('g.id', '<=', 'f.id'),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('acts as b')
            .select('b.id')
            .whereRef('b.registration_id', '=', 'c.registration_id')
            .where('b.act', '=', 'handle_refund')
            .whereRef('b.at', '>=', 'f.done_at'),
        ),
      ),
    )
    .orderBy('id', 'desc')
    .limit(dialect.limit(limit))
const unsettledRefundsOfAccount = statement(selectUnsettled)
const unsettledRefundsOfRegistration = statement(
  (builder, params: UnsettledParams & { registrationId: number }, dialect) =>
    selectUnsettled(builder, params, dialect).where(
      'c.registration_id',
      '=',
      params.registrationId,
    ),
)
const settledAccounts = statement((builder) =>
  builder
    .selectFrom(builder.selectFrom('settlements').select(['source', 'account']).distinct().as('s'))
    .select(({ selectFrom }) => [
      's.source',
      's.account',
      selectFrom('settlement_lines as l')
        .select(({ fn }) => fn.max<Day | null>('l.day').as('day'))
        .whereRef('l.source', '=', 's.source')
        .whereRef('l.account', '=', 's.account')
        .as('day'),
    ]),
)
/** Selects the registration only if it has a refund, because settlements are read only for these few. */
const registrationWithRefund = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('registrations as r')
    .select(['r.id', 'r.event_id'])
    .where('r.reg_no', '=', regNo)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('refunds as f')
          .innerJoin('captures as c', 'c.id', 'f.capture_id')
          .select('f.id')
          .whereRef('c.registration_id', '=', 'r.id')
          .where(isGatewayRefund('f')),
      ),
    ),
)

/**
 * Checks only accounts with stored settlements, up to the latest date that the settlements cover. Otherwise every
 * refund would be listed.
 */
async function readUnsettledRefunds(
  sql: Sql,
  { eventId, registrationId = null }: { eventId: string; registrationId?: number | null },
  at: Instant,
  limit: number,
): Promise<readonly { id: number }[]> {
  const accounts = await settledAccounts.all(sql)
  const rows = await flatMapInOrder(accounts, ({ source, account, day }) => {
    if (day === null) return Promise.resolve([])
    const doneBefore = instant(Math.min(startOfDay(day), at - SETTLED_WITHIN_MS))
    const params = { eventId, source, account, doneBefore, limit }
    return registrationId === null
      ? unsettledRefundsOfAccount.all(sql, params)
      : unsettledRefundsOfRegistration.all(sql, { ...params, registrationId })
  })
  return [...new Map(rows.map((row) => [row.id, row])).values()]
    .toSorted((a, b) => b.id - a.id)
    .slice(0, limit)
}

/** Returns true if a refund of this registration is not in any settlement report and is not marked as handled. */
export async function isRefundUnsettled(sql: Sql, regNo: RegNo, at: Instant): Promise<boolean> {
  const row = await registrationWithRefund.get(sql, { regNo })
  if (row === undefined) return false
  const { id: registrationId, event_id: eventId } = row
  return (await readUnsettledRefunds(sql, { eventId, registrationId }, at, 1)).length > 0
}

function runQueueQuery(
  sql: Sql,
  condition: WorkQueueId,
  { eventId, at, limit }: EventParam & { readonly at: Instant; readonly limit: number },
): Promise<readonly { readonly id: number }[]> {
  if (condition === 'refund_unsettled') return readUnsettledRefunds(sql, { eventId }, at, limit)
  if (condition === 'second_payment') return openSecondPayments.all(sql, { eventId, limit })
  return QUEUE_QUERIES[condition].all(sql, {
    eventId,
    limit,
    pendingSince: instant(at - PENDING_MS),
  })
}

/** Returns at most `limit` registrations. */
export async function readWaitingIds(
  sql: Sql,
  eventId: string,
  { is: condition, at }: { readonly is: WorkQueueId; readonly at: Instant },
  limit: number,
): Promise<readonly number[]> {
  const rows = await runQueueQuery(sql, condition, { eventId, at, limit })
  return rows.map(({ id }) => id)
}

/** The dashboard counts up to this number, because the exact number above it does not matter. */
const MAX_COUNT = 999

/** Returns counts by condition and event, without zeros. */
export function countWorkQueue(
  sql: Sql,
  eventIds: readonly string[],
  at: Instant,
): Promise<readonly WaitingCount[]> {
  return flatMapInOrder(eventIds, async (eventId) =>
    flatMapInOrder(WORK_QUEUE_IDS, async (condition) => {
      const count = (await readWaitingIds(sql, eventId, { is: condition, at }, MAX_COUNT + 1))
        .length
      return count === 0
        ? []
        : [{ eventId, is: condition, count: Math.min(count, MAX_COUNT), more: count > MAX_COUNT }]
    }),
  )
}
