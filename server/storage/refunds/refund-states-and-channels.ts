/** Tells refunds under way from others, and refunds through the gateway from those outside it. */
import { isUtr, referenceKeys } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

/** A refund that staff wanted and that may still happen: not sent, sent, or of unknown result. */
export const UNDER_WAY = (refund: string): string =>
  `${refund}.state IN ('wanted', 'asked', 'unsure')`

/** A refund that went through the gateway: it was asked for there, or the gateway reported it. */
export const BY_GATEWAY = (refund: string): string =>
  `${refund}.state = 'done' AND (${refund}.asked_at IS NOT NULL OR ${refund}.who = 'gateway')`

/** A refund that staff recorded, made outside the gateway. */
export const BY_HAND = (refund: string): string =>
  `${refund}.state = 'done' AND ${refund}.asked_at IS NULL AND ${refund}.who NOT IN ('gateway', 'import', 'migration')`

/** Returns true if a refund outside the gateway was recorded under one of these bank references. */
export async function isRefundReference(sql: Sql, keys: readonly string[]): Promise<boolean> {
  const utrs = new Set(keys.filter(isUtr))
  return (
    utrs.size > 0 &&
    (
      await sql<{ reference: string }>(
        `SELECT f.reference FROM refunds f WHERE f.reference IS NOT NULL AND ${BY_HAND('f')}`,
      ).all()
    ).some(({ reference }) => referenceKeys(reference).some((key) => utrs.has(key)))
  )
}
