/** Writes the self-service actions of a new event: cancel, and change answers. */
import { addDays, type Day } from '../../../../lib/time.ts'
import type { SampleOptions } from '../sample-options.ts'

/** Placeholder days before the first day of the event. */
const FULL_REFUND_DAYS = 60
const PART_REFUND_DAYS = 30
const EDIT_DAYS = 7

/** Returns the sections. A free event has no refunds. `from` is the first day of the event. */
export function formatAfterRegistration(
  from: Day,
  { free = false, refund, editUntil }: Pick<SampleOptions, 'free' | 'refund' | 'editUntil'>,
): string {
  const steps = refund ?? [
    { until: addDays(from, -FULL_REFUND_DAYS), percent: 75 },
    { until: addDays(from, -PART_REFUND_DAYS), percent: 50 },
  ]
  const cancellation = `cancellation:                           # the percentage of a payment that is refunded, by cancellation date
  steps:
${steps.map(({ until, percent }) => `    - {until: ${until}, refund: ${percent}%}\n`).join('')}    - {otherwise: none}

`
  return `# ── After registering ───────────────────────────────────────────────────────────
# Every email has a link to the delegate's own page, with these actions.

${free ? '' : cancellation}edit:
  until: ${editUntil ?? addDays(from, -EDIT_DAYS)}                     # such as the date on which badges are printed
  fields: [phone_number, institution, food_preference]
  # Add full_name if a delegate may send a colleague, and accept the finding that warns of it:
  #   allow:
  #     - code: EV487
  #       because: A delegate who cannot come may send a colleague. The price stays.
`
}
