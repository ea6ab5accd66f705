/** Assigns bank references to payments recorded by older versions. */
import type { NotNull } from 'kysely'
import {
  toBankKey,
  isSlipNumber,
  MANUAL_METHOD_IDS,
  listReferenceKeys,
} from '../../../engine/index.ts'
import type { ManualMethod } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { assignReferences } from './assign-many-references.ts'
import { getReferenceKeys } from './bank-references.ts'
import { reviewDuplicateReference } from './references-in-review.ts'

const manualPaymentsWithoutReference = statement(
  (builder, { sources }: { sources: string }, dialect) =>
    builder
      .selectFrom('captures as c')
      .leftJoin('registrations as r', 'r.id', 'c.registration_id')
      .select(({ fn, ref }) => [
        'c.id',
        ref('c.source').$castTo<ManualMethod>().as('way'),
        'c.reference',
        'c.amount',
        'c.state',
        fn.coalesce('r.event_id', 'c.found_for', 'c.account').as('eventId'),
        'r.reg_no as regNo',
      ])
      .where(({ ref }) => dialect.isIn(ref('c.source'), sources))
      .where(({ eb, selectFrom }) =>
        eb('c.id', 'not in', selectFrom('bank_references').select('capture_id')),
      )
      .orderBy('c.id'),
)
const claims = statement((builder) =>
  builder.selectFrom('tellings').select(['id', 'reference', 'folded', 'ended_as']).orderBy('id'),
)
const closedClaims = statement((builder) =>
  builder
    .selectFrom('tellings')
    .select(['id', 'reference', 'folded'])
    .where('ended_as', 'in', ['again', 'not_found'])
    .orderBy('id'),
)
const updateClaimKey = statement((builder, { key, id }: { key: string; id: number }) =>
  builder.updateTable('tellings').set({ folded: key }).where('id', '=', id),
)
const importsWithoutReference = statement((builder) =>
  builder
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.payment_id')
    .innerJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ eb, lit }) => [
      'c.id',
      'c.amount',
      'p.reference',
      'r.event_id as eventId',
      'r.reg_no as regNo',
      eb.case().when('p.status', '=', 'refunded').then(lit(1)).else(lit(0)).end().as('is_refunded'),
    ])
    .where('c.source', '=', 'import')
    .where('p.reference', 'is not', null)
    .$narrowType<{ reference: NotNull }>()
    .where(({ eb, selectFrom }) =>
      eb('c.id', 'not in', selectFrom('bank_references').select('capture_id')),
    )
    .orderBy('c.id'),
)

/**
 * Assigns references to payments recorded by older versions. If two payments have the same reference, the first
 * payment gets the reference; the second gets none and needs review. Also normalises open claims, so that claims are
 * compared by their normalised spelling from then on.
 */
export async function assignOlderReferences(sql: Sql): Promise<void> {
  const sources = JSON.stringify(MANUAL_METHOD_IDS)
  const payments = (await manualPaymentsWithoutReference.all(sql, { sources })).map((payment) => ({
    payment,
    keys: getReferenceKeys({ ...payment, method: payment.way, eventId: payment.eventId ?? '' }),
  }))
  for (const [{ id, reference, state, eventId }, first] of await assignReferences(sql, payments))
    if (state !== 'refused')
      await reviewDuplicateReference(sql, id, { reference, eventId: eventId ?? '' }, first)
  await normaliseOpenClaims(sql)
}

/**
 * Normalises claims. A claim keeps its spelling if another open or confirmed claim already has the normalised
 * spelling.
 */
async function normaliseOpenClaims(sql: Sql): Promise<void> {
  const allClaims = await claims.all(sql)
  const blockingCounts = new Map<string, number>()
  const changeCount = (key: string, change: number): void =>
    void blockingCounts.set(key, (blockingCounts.get(key) ?? 0) + change)
  const isBlocking = ({ ended_as: endedAs }: (typeof allClaims)[number]): boolean =>
    endedAs === null || endedAs === 'found'
  for (const claim of allClaims) if (isBlocking(claim)) changeCount(claim.folded, 1)
  for (const claim of allClaims) {
    const key = toBankKey(claim.reference)
    if (key === '' || key === claim.folded || (blockingCounts.get(key) ?? 0) > 0) continue
    updateClaimKey.run(sql, { key, id: claim.id })
    if (!isBlocking(claim)) continue
    changeCount(claim.folded, -1)
    changeCount(key, 1)
  }
}

/** Normalises claims that older versions closed, because their references also stay reserved. */
export async function normaliseOlderClaims(sql: Sql): Promise<void> {
  for (const { id, reference, folded } of await closedClaims.all(sql)) {
    const key = toBankKey(reference)
    if (key !== '' && key !== folded) updateClaimKey.run(sql, { key, id })
  }
}

/**
 * Assigns references to payments imported by older versions. If two payments have the same reference, the imported
 * payment needs review.
 */
export async function assignOlderImportReferences(sql: Sql): Promise<void> {
  const importedPayments = (await importsWithoutReference.all(sql)).flatMap((payment) => {
    const { reference } = payment
    return isSlipNumber(toBankKey(reference))
      ? []
      : [{ payment, keys: listReferenceKeys(reference) }]
  })
  for (const [payment, first] of await assignReferences(sql, importedPayments))
    if (payment.is_refunded === 0) await reviewDuplicateReference(sql, payment.id, payment, first)
}
