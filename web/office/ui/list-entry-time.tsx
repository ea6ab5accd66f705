/** The time of a list entry. Entries older than a day show the date, and the time on hover. */
import { useState } from 'react'
import { dayOf, formatDayShort, readInstant } from '../../../engine/index.ts'
import { formatDateTime } from './format-date-time.ts'

const DAY_MS = 86_400_000

export function EntryTime({ at }: { readonly at: string }) {
  const instant = readInstant(at)
  const fullText = formatDateTime(at)
  const [now] = useState(() => Date.now())
  const isOld = instant !== null && now - instant > DAY_MS
  return (
    <time dateTime={at} title={fullText}>
      {isOld ? formatDayShort(dayOf(instant)) : fullText}
    </time>
  )
}
