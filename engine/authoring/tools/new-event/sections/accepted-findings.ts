/** Writes the findings that the organiser has confirmed: gaps between periods, and falling prices. */
import { formatDays } from '../../../../lib/time.ts'
import type { PeriodGap } from '../price-periods.ts'
import type { PricesByPeriod } from '../sample-options.ts'

/** A row of prices in the file. `at`: the path of the row, such as `fees.prices.member`. */
export type FileRow = { readonly at: string; readonly prices: PricesByPeriod }

type AcceptedFinding = { readonly code: string; readonly at: string; readonly because: string }

const listFallingPrices = ({ at, prices }: FileRow): readonly AcceptedFinding[] =>
  prices.flatMap((price, column): readonly AcceptedFinding[] => {
    const earlierPrice = prices.slice(0, column).findLast((other) => (other ?? 0) > 0)
    return price === null || earlierPrice == null || price === 0 || price >= earlierPrice
      ? []
      : [
          {
            code: 'EV412',
            at: `${at}.${column}`,
            because: 'The organisers confirmed that this price is lower than the one before it.',
          },
        ]
  })

/** Returns the lines of the section, followed by an empty line. Returns no lines if there is nothing to accept. */
export function formatAcceptedFindings(
  gaps: readonly PeriodGap[],
  rows: readonly FileRow[],
): readonly string[] {
  const acceptedFindings = [
    ...gaps.map(({ nextPeriodIndex, first, last }): AcceptedFinding => ({
      code: 'EV405',
      at: `fees.periods.${nextPeriodIndex}`,
      because: `The organisers confirmed that registration is closed on ${formatDays(first, last)}.`,
    })),
    ...rows.flatMap(listFallingPrices),
  ]
  return acceptedFindings.length === 0
    ? []
    : [
        '# ── Accepted findings ───────────────────────────────────────────────────────────',
        '# The checker would report these values, but they are correct.',
        '',
        'allow:',
        ...acceptedFindings.flatMap(({ code, at, because }) => [
          `  - code: ${code}`,
          `    at: ${at}`,
          `    because: ${because}`,
        ]),
        '',
      ]
}
