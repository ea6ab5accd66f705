/** The time of a list entry: older than a day only the day, with the time on hover. */
import { useState } from 'react'
import { dayOf, formatDayShort, readInstant } from '../../../engine/index.ts'
import { instantText } from './format-date-time.ts'

const DAY_MS = 86_400_000

export function When({ at }: { readonly at: string }) {
  const instant = readInstant(at)
  const full = instantText(at)
  const [now] = useState(() => Date.now())
  const isOld = instant !== null && now - instant > DAY_MS
  return (
    <time dateTime={at} title={full}>
      {isOld ? formatDayShort(dayOf(instant)) : full}
    </time>
  )
}
