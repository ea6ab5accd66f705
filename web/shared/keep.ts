/** Answers that outlive a page: kept in the tab until they are paid for. */
import type { PublicEvent, RawAnswers } from '../../engine/index.ts'

/**
 * Answers stay in this tab until they are paid for: coming back from a failed payment, or by the
 * browser's Back, one finds them, and with them the key under which they were sent, so that sending them
 * again pays the same registration. Files cannot be kept; the tab's end forgets everything.
 */
export type Kept = {
  readonly data: RawAnswers
  readonly key: string
  /** The number of the registration that they became; null: they were not sent, or became none. */
  readonly regNo: string | null
}

const nameOf = (event: PublicEvent): string => `answers of ${event.id}`
const isFile = (event: PublicEvent, id: string): boolean =>
  event.fields.some((field) => field.id === id && field.type === 'file')

/** The answers a fresh form starts with. */
export const startOf = (event: PublicEvent): RawAnswers =>
  Object.fromEntries(
    event.fields.flatMap((field) =>
      field.default === undefined ? [] : [[field.id, field.default]],
    ),
  )

export function recall(event: PublicEvent): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(event)) ?? 'null')
    if (typeof kept !== 'object' || kept === null || !('data' in kept) || !('key' in kept))
      return null
    if (typeof kept.data !== 'object' || kept.data === null || typeof kept.key !== 'string')
      return null
    const known = Object.entries(kept.data).filter(
      ([id]) => event.fields.some((field) => field.id === id) && !isFile(event, id),
    )
    const regNo = 'regNo' in kept && typeof kept.regNo === 'string' ? kept.regNo : null
    return { data: { ...startOf(event), ...Object.fromEntries(known) }, key: kept.key, regNo }
  } catch {
    return null
  }
}

export function keep(event: PublicEvent, { data, key, regNo }: Kept): void {
  const answers = Object.fromEntries(Object.entries(data).filter(([id]) => !isFile(event, id)))
  try {
    sessionStorage.setItem(nameOf(event), JSON.stringify({ data: answers, key, regNo }))
  } catch {
    // Storage is switched off or full: the form works as before, it only forgets.
  }
}

export function forget(event: PublicEvent): void {
  try {
    sessionStorage.removeItem(nameOf(event))
  } catch {
    // Nothing was kept.
  }
}
