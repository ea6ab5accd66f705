/** Counts the differences since a restore. Runs on the reader thread, because it reads many rows. */
import type { Kysely } from 'kysely'
import type { HeldEmails, Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { newestRecovery } from './begin-and-end-recovery.ts'
import type { RecoveryFigures } from './recovery-types.ts'

/** The maximum number of emails that the page lists. The count includes all emails. */
const MAX_LISTED_EMAILS = 50

const selectNotedPayments = (builder: Kysely<Tables>, recoveryId: number) =>
  builder
    .selectFrom('recovery_payments as v')
    .innerJoin('payments as p', 'p.id', 'v.payment_id')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('v.recovery_id', '=', recoveryId)
const countNotedPayments = statement((builder, { recoveryId }: { recoveryId: number }) =>
  selectNotedPayments(builder, recoveryId),
)
const countQueriedPayments = statement(
  (builder, { recoveryId, since: beganAt }: { recoveryId: number; since: Instant }) =>
    selectNotedPayments(builder, recoveryId).where(({ eb, or }) =>
      or([
        eb('p.asked_at', '>=', beganAt),
        eb('p.status', '<>', 'pending'),
        eb('p.review', 'is not', null),
      ]),
    ),
)
const countEndedPayments = statement((builder, { recoveryId }: { recoveryId: number }) =>
  selectNotedPayments(builder, recoveryId).where(({ eb, or }) =>
    or([eb('p.status', '<>', 'pending'), eb('p.review', 'is not', null)]),
  ),
)
const countUnknownCaptures = statement((builder) =>
  builder
    .selectFrom('captures')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('unknown_order', 'is not', null)
    .where('state', '=', 'unmatched'),
)
const countUnknownOrders = statement((builder) =>
  builder.selectFrom('unknown_orders').select(({ fn }) => fn.countAll<number>().as('n')),
)
const selectQueuedEmailCount = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('mail_queue')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('status', '=', 'queued')
const countQueuedEmails = statement((builder) => selectQueuedEmailCount(builder))
const countHeldEmails = statement((builder) =>
  selectQueuedEmailCount(builder).where('next_at', 'is', null),
)
const countHeldEmailsSince = statement((builder, { since: beganAt }: { since: Instant }) =>
  selectQueuedEmailCount(builder).where('next_at', 'is', null).where('created_at', '>=', beganAt),
)
const countWantedRefunds = statement((builder) =>
  builder
    .selectFrom('refunds')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'wanted'),
)
const countUnerased = statement((builder, { eventIds }: { eventIds: string }, dialect) =>
  builder
    .selectFrom('registrations')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('erased_at', 'is', null)
    .where(({ ref }) => dialect.isIn(ref('event_id'), eventIds)),
)
const countPendingPayments = statement((builder) =>
  builder
    .selectFrom('payments')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('status', '=', 'pending')
    .where('gateway', 'is not', null),
)
const heldEmails = statement((builder) =>
  builder
    .selectFrom('mail_queue as m')
    .leftJoin('registrations as r', 'r.id', 'm.registration_id')
    .select(['m.id', 'm.recipient as to', 'm.subject', 'm.created_at as at'])
    .select(({ fn }) => fn.coalesce('m.event_id', 'r.event_id').as('eventId'))
    .where('m.status', '=', 'queued')
    .where('m.next_at', 'is', null)
    // An email belongs either to an event or to a registration.
    .$narrowType<{ eventId: string }>()
    .orderBy('m.id')
    .limit(MAX_LISTED_EMAILS),
)
const documentSeries = statement((builder) =>
  builder
    .selectFrom('document_series')
    .select(['pattern', 'year', 'last'])
    .orderBy('year')
    .orderBy('pattern'),
)
const endedRecoveries = statement((builder) =>
  builder
    .selectFrom('recoveries')
    .select(['code', 'begun_at as begunAt'])
    .select(['ended_at as endedAt', 'ended_by as endedBy', 'mails'])
    .where('ended_at', 'is not', null)
    .$narrowType<{ endedAt: Instant; endedBy: string; mails: HeldEmails }>()
    .orderBy('id', 'desc'),
)
const hashesOfFiles = statement((builder) =>
  builder
    .selectFrom('uploads')
    .select('sha256')
    .where('dropped_at', 'is', null)
    .union(builder.selectFrom('draft_proofs').select('sha256')),
)

export async function computeRecoveryFigures(
  sql: Sql,
  eventsDueForErasure: readonly string[],
): Promise<RecoveryFigures> {
  const lastRecovery = await newestRecovery.get(sql)
  const recoveryId = lastRecovery?.id ?? 0
  const beganAt = lastRecovery?.begun_at ?? (0 as Instant)
  return {
    pending: {
      all: await readNumber(countNotedPayments.get(sql, { recoveryId })),
      asked: await readNumber(countQueriedPayments.get(sql, { recoveryId, since: beganAt })),
      ended: await readNumber(countEndedPayments.get(sql, { recoveryId })),
    },
    unknown: {
      toDecide: await readNumber(countUnknownCaptures.get(sql)),
      toAsk: await readNumber(countUnknownOrders.get(sql)),
    },
    held: {
      mails: await readNumber(countHeldEmails.get(sql)),
      since: await readNumber(countHeldEmailsSince.get(sql, { since: beganAt })),
      refunds: await readNumber(countWantedRefunds.get(sql)),
      erasures: await readNumber(
        countUnerased.get(sql, { eventIds: JSON.stringify(eventsDueForErasure) }),
      ),
    },
    ahead: {
      mails: await readNumber(countQueuedEmails.get(sql)),
      pending: await readNumber(countPendingPayments.get(sql)),
    },
    mails: await heldEmails.all(sql),
    series: (await documentSeries.all(sql)).filter(
      ({ pattern }) => lastRecovery !== undefined && pattern.includes(lastRecovery.code),
    ),
    past: await endedRecoveries.all(sql),
  }
}

const readNumber = async (row: Promise<{ readonly n: number } | undefined>): Promise<number> =>
  (await row)?.n ?? 0

/** Returns the hashes of all stored files to which a registration or a draft refers. */
export async function listReferencedFiles(sql: Sql): Promise<readonly string[]> {
  return (await hashesOfFiles.all(sql)).map(({ sha256 }) => sha256)
}
