/** Assigns references to many recorded payments with few statements. */
import type { KnownPayment } from '../../../engine/index.ts'
import { splitIntoBatches } from '../database/statements/in-batches.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery } from '../database/statements/statement.ts'
import { findPaymentsByKey } from './bank-references.ts'
import type { ReferenceKey } from './bank-references.ts'

type Referenced<Payment> = { readonly payment: Payment; readonly keys: readonly ReferenceKey[] }

/**
 * Assigns references to the payments, in order. Skips a payment if one of its references belongs to another payment.
 * Returns the skipped payments, each with the owner of the reference.
 */
export async function assignReferences<Payment extends KnownPayment>(
  sql: Sql,
  payments: readonly Referenced<Payment>[],
): Promise<readonly (readonly [payment: Payment, first: KnownPayment])[]> {
  const skippedPayments: (readonly [Payment, KnownPayment])[] = []
  for (const batch of splitIntoBatches(payments)) {
    const recorded = await findPaymentsByKey(
      sql,
      batch.flatMap(({ keys }) => keys),
    )
    const owners = new Map<ReferenceKey, KnownPayment>(recorded)
    const newRows: { key: ReferenceKey; capture_id: number }[] = []
    for (const { payment, keys } of batch) {
      const [owner] = keys.toSorted().flatMap((key) => owners.get(key) ?? [])
      if (owner !== undefined) skippedPayments.push([payment, owner])
      else
        for (const key of keys) {
          owners.set(key, payment)
          newRows.push({ key, capture_id: payment.id })
        }
    }
    for (const rows of splitIntoBatches(newRows))
      buildQuery(sql, (builder) =>
        builder
          .insertInto('bank_references')
          .values(rows)
          // A dismissed payment may still have a key.
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet(({ ref }) => ({ capture_id: ref('excluded.capture_id') })),
          ),
      ).run()
  }
  return skippedPayments
}
