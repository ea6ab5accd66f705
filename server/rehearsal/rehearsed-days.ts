/** Defines the calendar that a rehearsal produces: steps with their times. */
import { dayOf, formatDay, formatTime } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { WireRehearsedDay } from '../../engine/api.ts'

/** One step of the rehearsal. `change` is a change to the event itself at the start of a day. */
export type RehearsedStep = {
  readonly at: Instant
  readonly is: 'change' | 'delegate' | 'staff' | 'state' | 'email'
  readonly text: string
}

/** Groups the steps by day and formats their times. Changes to the event itself have no time. */
export function groupByDay(steps: readonly RehearsedStep[]): WireRehearsedDay[] {
  return [...Map.groupBy(steps, ({ at }) => dayOf(at))].map(([day, daySteps]) => ({
    day: formatDay(day),
    steps: daySteps.map(({ at, is, text }) => ({
      time: is === 'change' ? '' : formatTime(at),
      text,
    })),
  }))
}
