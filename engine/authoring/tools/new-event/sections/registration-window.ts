/** Writes the days of registration: when the form opens and closes, and those of the front desk. */
import { formatDay, formatDays, type Day } from '../../../../lib/time.ts'
import type { FilePeriod, PeriodGap, RegistrationWindow } from '../price-periods.ts'
import { appendComment } from '../yaml-text.ts'

/** Returns the lines of the section; none if registration is open from now until the conference ends. */
export function formatRegistrationWindow(
  opens: Day | undefined,
  { closes, desk }: RegistrationWindow,
  /** The last day on which a bank transfer can begin. Null if none is needed. */
  transfersUntil: Day | null,
): readonly string[] {
  const lines = [
    ...(opens === undefined ? [] : [`  opens: ${opens}`]),
    ...(transfersUntil !== null
      ? [
          closes === null || transfersUntil < closes
            ? appendComment(
                `  closes: ${transfersUntil}`,
                'a later transfer would not arrive in time',
              )
            : `  closes: ${transfersUntil}`,
        ]
      : closes === null
        ? []
        : [`  closes: ${closes}`]),
    ...(desk === null
      ? []
      : [
          appendComment(
            `  desk: {opens: ${desk.first}, closes: ${desk.last}}`,
            'on these days, staff register delegates',
          ),
        ]),
  ]
  return lines.length === 0 ? [] : ['', 'registration:', ...lines]
}

/**
 * Returns what delegates read while registration is closed. With days without registration between periods, the text
 * states all days of registration.
 */
export function formatClosedText(
  title: string,
  periods: readonly FilePeriod[],
  gaps: readonly PeriodGap[],
  { desk }: RegistrationWindow,
  /** The last day of the form. */
  lastDay: Day,
): string {
  const atDesk =
    desk === null
      ? ''
      : ` You can register at the front desk on ${formatDays(desk.first, desk.last)}.`
  if (gaps.length === 0)
    return desk === null
      ? `Registration for ${title} is closed. Please write to us.`
      : `Online registration for ${title} is closed.${atDesk}`
  const starts = [0, ...gaps.map(({ after }) => after)]
  const ranges = starts.flatMap((at, index): readonly string[] => {
    const first = periods[at]?.from ?? null
    const end = periods[(starts[index + 1] ?? periods.length) - 1]?.to ?? lastDay
    const last = end < lastDay ? end : lastDay
    if (first === null) return [`until ${formatDay(last)}`]
    return first > last ? [] : [`on ${formatDays(first, last)}`]
  })
  const days =
    ranges.length === 1 ? ranges.join('') : `${ranges.slice(0, -1).join(', ')} and ${ranges.at(-1)}`
  return `${desk === null ? 'Registration' : 'Online registration'} for ${title} is closed today. It is open ${days}.${atDesk}`
}
