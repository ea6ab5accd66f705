/** Describes the dates of an event in words. */
import { day, formatDays } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'

const DAY_MS = 86_400_000

/**
 * Describes the dates of an event: "7–9 March 2026 · in 45 days". Omits the second part until the server's time is
 * known.
 */
export function describeEventDays(
  { from, to }: Pick<OfficeEvent, 'from' | 'to'>,
  now: string | undefined,
): string {
  const days = formatDays(from, to)
  if (now === undefined) return days
  const today = day(now.slice(0, 10))
  const daysLeft = (Date.parse(from) - Date.parse(today)) / DAY_MS
  if (today > to) return `${days} · ended`
  if (daysLeft <= 0) return `${days} · now`
  return `${days} · ${daysLeft === 1 ? 'tomorrow' : `in ${daysLeft} days`}`
}
