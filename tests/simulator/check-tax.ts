/**
 * Tax invariants, checked after every write: at each rate, invoices minus credit notes equal the taxable value of the
 * registered items and the tax on them, and zero after a full refund. The checks use their own prices and rates, and
 * read the items from the answers.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { TAX_RATES_EVENT } from './events.ts'
import type { ItemId } from './events.ts'
import type { Violation } from './check-payments.ts'

/** Taxable value and tax, in paise, by percentage. Untaxed amounts are under "none". */
type RateTotals = Readonly<Record<string, readonly [base: number, tax: number]>>
type Line = { readonly rate: string; readonly base: number; readonly tax: number }

const ITEMS: Readonly<Record<ItemId, Line>> = {
  room: { rate: '5', base: 300_000, tax: 15_000 },
  companion: { rate: '18', base: 77_777, tax: 14_000 },
  workshop: { rate: '18', base: 100_000, tax: 18_000 },
  donation: { rate: 'none', base: 118_000, tax: 0 },
}
/** Prices by category and period. A member's early price differs in the higher-priced event file. */
const ADMISSION_PRICES: Readonly<Record<string, readonly number[]>> = {
  'member early': [100_000, 150_000],
  'member late': [200_000],
  'non-member early': [300_000],
  'non-member late': [400_000],
}

type Row = {
  readonly id: number
  readonly reg_no: string
  readonly category: string
  readonly period: string
  readonly answers: string
  readonly total: number
  readonly due: number
  readonly kept: number
}
/** Registrations for which every order was paid in full, regardless of later corrections and refunds. */
const PAID_SQL = `SELECT r.id, r.reg_no, r.category, r.period, r.answers, r.total, r.due, sum(p.kept) AS kept FROM (
    SELECT p.registration_id, p.amount,
      (SELECT coalesce(sum(c.amount), 0) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')) AS came,
      (SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0)
        FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')) AS kept
    FROM payments p WHERE p.status IN ('success', 'refunded') AND p.amount > 0) p
  JOIN registrations r ON r.id = p.registration_id
  WHERE r.event_id = '${TAX_RATES_EVENT}' AND r.erased_at IS NULL
  GROUP BY r.id HAVING min(iif(p.came >= p.amount, 1, 0)) = 1`
type InvoicedRow = {
  readonly id: number
  readonly kind: string
  readonly rate: number | string | null
  readonly base: number
  readonly tax: number
}
const INVOICED_SQL = `SELECT d.registration_id AS id, d.kind, line.value ->> '$.rate' AS rate,
    CAST(line.value ->> '$.base' AS BIGINT) AS base, CAST(line.value ->> '$.gst' AS BIGINT) AS tax
  FROM documents d JOIN registrations r ON r.id = d.registration_id CROSS JOIN json_each(d.body, '$.lines') line
  WHERE d.kind <> 'receipt' AND r.event_id = '${TAX_RATES_EVENT}'`

export function createTaxInvariants(sql: () => Sql): { afterWrite(): Promise<Violation | null> } {
  return {
    afterWrite: async () => {
      const rows = await sql()<Row>(PAID_SQL).all()
      if (rows.length === 0) return null
      const invoicedLines = Map.groupBy(
        await sql()<InvoicedRow>(INVOICED_SQL).all(),
        ({ id }) => id,
      )
      for (const row of rows) {
        const invoicedByRate = sumByRate(
          (invoicedLines.get(row.id) ?? []).map(({ kind, rate, base, tax }) => ({
            rate: rate === null || Number(rate) === 0 ? 'none' : String(rate),
            base: kind === 'credit' ? -base : base,
            tax: kind === 'credit' ? -tax : tax,
          })),
        )
        const isFullyPaid = row.kept + row.due === row.total && row.kept > 0
        const isFullyRefunded = row.kept === 0 && row.due <= 0
        if (!isFullyPaid && !isFullyRefunded) continue
        const expectedBills = isFullyPaid ? listPossibleBills(row) : [{}]
        if (
          !expectedBills.some(
            (expectedBill) => JSON.stringify(expectedBill) === JSON.stringify(invoicedByRate),
          )
        )
          return {
            invariant: 'invoices minus credit notes equal the registered items at each rate',
            cause: `${JSON.stringify(row)}: ${JSON.stringify(invoicedByRate)}, not ${JSON.stringify(expectedBills)}`,
          }
      }
      return null
    },
  }
}

/** Lists the possible bills for the answers, one per version of the event file with the stored total. */
function listPossibleBills({ category, period, answers, total }: Row): readonly RateTotals[] {
  const parsedAnswers = JSON.parse(answers) as Readonly<Record<string, unknown>>
  const items = Object.entries(ITEMS).flatMap(([id, line]) =>
    isYes(parsedAnswers[id]) ? [line] : [],
  )
  return (ADMISSION_PRICES[`${category} ${period}`] ?? [])
    .map((base) => [{ rate: '18', base, tax: (base * 18) / 100 }, ...items])
    .filter((lines) => lines.reduce((sum, { base, tax }) => sum + base + tax, 0) === total)
    .map(sumByRate)
}

const isYes = (answer: unknown): boolean => answer === true || answer === 'true' || answer === 'yes'

function sumByRate(lines: readonly Line[]): RateTotals {
  const sums = new Map<string, readonly [number, number]>()
  for (const { rate, base, tax } of lines) {
    const [baseBefore, taxBefore] = sums.get(rate) ?? [0, 0]
    sums.set(rate, [baseBefore + base, taxBefore + tax])
  }
  return Object.fromEntries(
    [...sums].filter(([, [base, tax]]) => base !== 0 || tax !== 0).toSorted(),
  )
}
