/** Assigns bank references to the payments of older versions. */
import type { NotNull } from 'kysely'
import { bankKey, isSlipNumber, MANUAL_METHOD_IDS, referenceKeys } from '../../../engine/index.ts'
import type { ManualMethod } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { assignReference, keysOf, nameImport, paymentsUnder } from './bank-references.ts'
import { reportTwice } from './references-in-review.ts'

const manualPaymentsWithoutReference = statement(
  (builder, { sources }: { sources: string }, dialect) =>
    builder
      .selectFrom('captures as c')
      .leftJoin('registrations as r', 'r.id', 'c.registration_id')
      .select(({ fn, ref }) => [
        'c.id',
        ref('c.source').$castTo<ManualMethod>().as('way'),
        'c.reference',
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
  builder.selectFrom('tellings').select(['id', 'reference', 'folded']).orderBy('id'),
)
const closedClaims = statement((builder) =>
  builder
    .selectFrom('tellings')
    .select(['id', 'reference', 'folded'])
    .where('ended_as', 'in', ['again', 'not_found'])
    .orderBy('id'),
)
const otherClaimUnder = statement((builder, { key, id }: { key: string; id: number }) =>
  builder
    .selectFrom('tellings')
    .select('id')
    .where('folded', '=', key)
    .where('id', '<>', id)
    .where(({ eb, or }) => or([eb('ended_as', 'is', null), eb('ended_as', '=', 'found')])),
)
const respellClaim = statement((builder, { key, id }: { key: string; id: number }) =>
  builder.updateTable('tellings').set({ folded: key }).where('id', '=', id),
)
const importsWithoutReference = statement((builder) =>
  builder
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.payment_id')
    .innerJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ eb, lit }) => [
      'c.id',
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
 * Assigns references to payments recorded by older versions. Of two payments under one reference, the first gets
 * it; the second stays unchanged and needs review. From then on claims are compared in the same spelling.
 */
export async function nameOlder(sql: Sql): Promise<void> {
  const sources = JSON.stringify(MANUAL_METHOD_IDS)
  const older = await manualPaymentsWithoutReference.all(sql, { sources })
  for (const { id, way, reference, state, eventId, regNo } of older) {
    const named = { way, reference, eventId: eventId ?? '', regNo }
    const keys = keysOf(named)
    const [first] = await paymentsUnder(sql, keys)
    if (first === undefined)
      for (const key of keys) assignReference.run(sql, { key, captureId: id })
    else if (state !== 'refused')
      await reportTwice(sql, id, { reference, eventId: named.eventId }, first[1])
  }
  for (const { id, reference, folded } of await claims.all(sql)) {
    const key = bankKey(reference)
    const isTaken = (await otherClaimUnder.get(sql, { key, id })) !== undefined
    if (key !== '' && key !== folded && !isTaken) respellClaim.run(sql, { key, id })
  }
}

/** Normalises claims that older versions had closed: they stay known too. */
export async function nameOlderReports(sql: Sql): Promise<void> {
  for (const { id, reference, folded } of await closedClaims.all(sql)) {
    const key = bankKey(reference)
    if (key !== '' && key !== folded) respellClaim.run(sql, { key, id })
  }
}

/**
 * Assigns references to payments imported by older versions. Of two payments under one reference, the import
 * needs review.
 */
export async function nameOlderImports(sql: Sql): Promise<void> {
  const older = await importsWithoutReference.all(sql)
  for (const { id, is_refunded: isRefunded, ...named } of older) {
    const { reference } = named
    const [first] = isSlipNumber(bankKey(reference))
      ? []
      : await paymentsUnder(sql, referenceKeys(reference))
    if (first === undefined) nameImport(sql, id, named)
    else if (isRefunded === 0) await reportTwice(sql, id, named, first[1])
  }
}
