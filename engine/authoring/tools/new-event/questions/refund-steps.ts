/** Reads the refund rule for cancellations: "until 31 January 2027: 75%; until 28 February 2027: 50%". */
import { formatDay, type Day } from '../../../../lib/time.ts'
import type { NewEventAnswers, RefundStep } from '../sample-options.ts'
import { readDays } from './read-days.ts'

/** `step`: the index of the entry in the answer. */
export type RefundProblem = {
  readonly step: number
  readonly part: 'day' | 'percent'
  readonly message: string
}

const UNTIL_WORDS = /^(?:until|till?|up ?to|on or before|before|by)\b\s*/i
/** The percentage at the end of an entry, with the separator before it. */
const TRAILING_PERCENTAGE =
  /(?:\s*(?::|=|→|->)\s*|\s+)(\S*|\S+\s*(?:%|per ?cent))\s*(?:refund\w*)?$/i

/** Splits the answer into entries, each with the text of its date and of its percentage. */
export const splitRefundSteps = (
  answer: string,
): readonly { readonly day: string; readonly percent: string }[] =>
  answer
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const percentMatch = TRAILING_PERCENTAGE.exec(entry.startsWith(':') ? ` ${entry}` : entry)
      // An entry with only a date ends with the year, which is not a percentage.
      if (percentMatch === null || /^\d{4}$/.test(percentMatch[1] ?? ''))
        return { day: entry, percent: '' }
      return {
        day: entry.slice(0, percentMatch.index).trim(),
        percent: (percentMatch[1] ?? '').trim(),
      }
    })
    .map(({ day, percent }) => ({
      day: day.replace(UNTIL_WORDS, ''),
      percent: percent.replace(/\s*(?:%|per ?cent)$/i, ''),
    }))

/** Reads the steps. The dates must increase and the percentages must not, as the checker requires. */
export function readRefundSteps(
  answer: string,
  { from, to = from }: NewEventAnswers,
  today: Day,
): { readonly steps: readonly RefundStep[]; readonly problems: readonly RefundProblem[] } {
  const entries = splitRefundSteps(answer)
  const steps: RefundStep[] = []
  const problems: RefundProblem[] = []
  for (const [step, { day, percent }] of entries.entries()) {
    const previousStep = steps.at(-1)
    const until = day === '' ? null : readDays(day, today)
    const percentage = /^\d{1,3}$/.test(percent) ? Number(percent) : null
    const isValid = percentage !== null && percentage > 0 && percentage <= 100
    const dayProblem =
      until === null
        ? 'What is the last day for this refund?'
        : !until.ok
          ? until.error
          : until.value[1] < today
            ? `${formatDay(until.value[1])} is in the past. Is the year correct?`
            : to !== undefined && until.value[1] > to
              ? `${formatDay(until.value[1])} is after the conference.`
              : previousStep !== undefined && until.value[1] <= previousStep.until
                ? `${formatDay(until.value[1])} is not after ${formatDay(previousStep.until)}. Enter the dates in order.`
                : null
    const percentProblem =
      percent === ''
        ? 'What percentage of the payment is refunded up to this date? Write a number, such as 75%.'
        : !isValid
          ? `“${percent}” is not a valid percentage. Write a whole number from 1 to 100, such as 75%.`
          : // If the dates are not in order, neither are the percentages.
            dayProblem === null && previousStep !== undefined && percentage > previousStep.percent
            ? `A later cancellation would get more (${percentage}%) than an earlier one (${previousStep.percent}%).`
            : null
    if (dayProblem !== null) problems.push({ step, part: 'day', message: dayProblem })
    if (percentProblem !== null) problems.push({ step, part: 'percent', message: percentProblem })
    if (until?.ok === true && isValid) steps.push({ until: until.value[1], percent: percentage })
  }
  return { steps, problems }
}
