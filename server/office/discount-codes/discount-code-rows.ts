/** Reads an event's discount codes, and formats them for the office pages, the CSV file and the command. */
import { getDecimals, formatIsoIndia, toAmount, toMajorUnits } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { toWireCurrency } from '../../../engine/api.ts'
import type { WireCode } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { CodePage, StoredCode } from '../../storage/index.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'

/** The number of codes shown on an office page, or read at a time for a file. */
const CODE_PAGE_ROWS = 200

/** Reads a page of codes. `before`: the `next` of the previous page, or null for the newest codes. */
export const readCodePage = (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { id, holdSeatsMs, codeKinds }: EventConfig,
  before: number | null,
): Promise<CodePage> =>
  store.discountCodes({
    eventId: id,
    adjustments: codeKinds.flatMap(({ id: kind, gives }) =>
      'category' in gives ? [] : [{ kind, adjustment: gives.adjustment }],
    ),
    holdMs: holdSeatsMs,
    at: clock(),
    before,
    limit: CODE_PAGE_ROWS,
  })

/** Reads all of an event's codes in chunks, newest first. */
export async function* readCodes(
  deps: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
): AsyncGenerator<readonly StoredCode[]> {
  for (let before: number | null = null, isLast = false; !isLast;) {
    const page: CodePage = await readCodePage(deps, event, before)
    yield page.codes
    before = page.next
    isLast = before === null
  }
}

/** Returns false for a kind that assigns a category, and for a kind that the event file no longer has. */
const givesDiscount = ({ codeKinds }: EventConfig, { kind }: StoredCode): boolean =>
  codeKinds.some(({ id, gives }) => id === kind && 'adjustment' in gives)

/** Converts a code for the office pages and for `rollcall event discount-codes --json`. */
export function toWireCode(event: EventConfig, code: StoredCode): WireCode {
  return {
    code: code.code,
    kind: code.kind,
    uses: code.uses,
    uses_max: code.usesMax,
    paid: code.paid,
    discounts: givesDiscount(event, code)
      ? code.discounts.map(({ currency, discount, paidDiscount }) => ({
          ...toWireCurrency(currency),
          amount: toMajorUnits(discount, currency),
          paid: toMajorUnits(paidDiscount, currency),
        }))
      : null,
    until: code.lastDay,
    note: code.note,
    made_at: formatIsoIndia(code.madeAt),
    made_by: code.madeBy,
    withdrawn_at: code.withdrawnAt === null ? null : formatIsoIndia(code.withdrawnAt),
  }
}

export const CODE_HEADER: readonly string[] = [
  'Code',
  'Kind',
  'Maximum uses',
  'Used',
  'Paid',
  'Pending',
  'Currency',
  'Discount',
  'Discount (paid)',
  'Valid until',
  'Note',
  'Created',
  'Created by',
  'Withdrawn',
]
/** Builds one row for each currency in which the code was used, so that no column mixes two currencies. */
function buildCodeRows(event: EventConfig, code: StoredCode): readonly CsvCell[][] {
  const noUses = { uses: 0, paid: 0, discount: toAmount(0), paidDiscount: toAmount(0) }
  const sums =
    code.discounts.length > 0 ? code.discounts : [{ currency: event.currency, ...noUses }]
  const hasDiscount = givesDiscount(event, code)
  return sums.map(({ currency, uses, paid, discount, paidDiscount }) => {
    const [discountCell, paidDiscountCell] = [discount, paidDiscount].map((amount) =>
      hasDiscount
        ? { amount: toMajorUnits(amount, currency), decimals: getDecimals(currency) }
        : null,
    )
    return [
      code.code,
      event.codeKinds.find(({ id }) => id === code.kind)?.label ?? code.kind,
      code.usesMax,
      uses,
      paid,
      uses - paid,
      currency,
      discountCell,
      paidDiscountCell,
      code.lastDay,
      code.note,
      formatIsoIndia(code.madeAt),
      code.madeBy,
      code.withdrawnAt === null ? '' : formatIsoIndia(code.withdrawnAt),
    ]
  })
}

/** Reads the rows of the CSV file in chunks. */
export async function* readCodeRows(
  deps: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  for await (const codes of readCodes(deps, event))
    yield codes.flatMap((code) => buildCodeRows(event, code))
}
