/** Tax of one document: place of supply, document type, tax by rate (IGST Act 10–12, CGST Rules 46–53). */
import { DOCUMENT_MESSAGES } from '../text-catalogue/documents.ts'
import { UNION_TERRITORIES, type StateCode } from '../event/gstin.ts'
import type { Line } from './bill-lines.ts'
import {
  getDecimals,
  INR,
  toAmount,
  toMajorUnits,
  type Amount,
  type Currency,
} from '../lib/money.ts'

/**
 * Kinds of services. Each has its own rule for the place of supply in section 12 of the IGST Act.
 */
export type SupplyKind = 'admission' | 'accommodation' | 'sponsorship'

/** Sponsorship services (heading 9983). */
const SPONSORSHIP_SAC = '998397'
/** Heading 9963, groups 99631 and 99632: lodging; 99633 is food and drink. */
const LODGING_SAC = /^9963[12]/

/** Returns the kind of service for a service accounting code. */
export function getSupplyKind(sac: string): SupplyKind {
  if (LODGING_SAC.test(sac)) return 'accommodation'
  return sac === SPONSORSHIP_SAC ? 'sponsorship' : 'admission'
}

/** The data that determines where an item is supplied: its code, and the state of its building or venue. */
export type SupplyTerms = { readonly sac: string; readonly site: StateCode }

/**
 * Returns the place of supply, for a supplier in India. Admission and ancillary services: the venue, even for a
 * registered recipient (section 12(6)); lodging: the building (12(3)); sponsorship: the recipient's state if
 * registered, otherwise the venue (12(7)).
 */
export function getPlaceOfSupply(
  { sac, site }: SupplyTerms,
  recipientState: StateCode | null,
): StateCode {
  return getSupplyKind(sac) === 'sponsorship' ? (recipientState ?? site) : site
}

/** A line with its rate (percent; null or 0 if no tax is charged) and its place of supply. */
export type PlacedLine = {
  readonly rate: number | null
  readonly place: StateCode
  readonly base: Amount
  readonly gst: Amount
}

/** Returns true if the line is taxed. A line with an amount of zero is not, regardless of its rate. */
export const isTaxed = ({ rate, base, gst }: TaxedAmount): boolean =>
  (rate ?? 0) > 0 && (base !== 0 || gst !== 0)
type TaxedAmount = { readonly rate?: number | null; readonly base: Amount; readonly gst: Amount }

/**
 * The tax of all lines with one rate and one place of supply. IGST if the supplier's state and the place of supply
 * differ (IGST Act, sections 7 and 8); otherwise two equal halves. `roundOff` is the paisa that cannot be halved. It
 * is negative if an earlier credit note had such a paisa, which the halves of the two notes together include. cgst +
 * sgst + igst + roundOff = the tax of the lines, exactly.
 */
export type RateSummary = {
  readonly rate: number
  readonly place: StateCode
  readonly isInterState: boolean
  readonly taxable: Amount
  readonly cgst: Amount
  readonly sgst: Amount
  readonly igst: Amount
  readonly roundOff: Amount
  /** The name of the state's half of the tax. */
  readonly second: 'SGST' | 'UTGST'
}

/** Groups tax by rate, highest first, then by place of supply. Omits untaxed lines. */
export function summariseByRate(
  lines: readonly PlacedLine[],
  supplier: StateCode,
): readonly RateSummary[] {
  const groups = Map.groupBy(lines.filter(isTaxed), ({ rate, place }) => `${rate} ${place}`)
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group
      return first === undefined ? [] : [summarise(first.rate ?? 0, first.place, group, supplier)]
    })
    .sort((a, b) => b.rate - a.rate || a.place.localeCompare(b.place))
}

/**
 * Groups the tax of a credit note. The halves are computed for all credit notes of an invoice together, and those of
 * the earlier credit notes are deducted. An invoice credited in parts therefore leaves no paisa of CGST or SGST.
 */
export function summariseCreditByRate(
  lines: readonly PlacedLine[],
  supplier: StateCode,
  earlierSummaries: readonly RateSummary[],
): readonly RateSummary[] {
  return summariseByRate(lines, supplier).map((row) => {
    if (row.isInterState) return row
    const matchingSummaries = earlierSummaries.filter(
      ({ rate, place }) => rate === row.rate && place === row.place,
    )
    const taxBefore = matchingSummaries.reduce((sum, entry) => sum + sumTax(entry), 0)
    const halfBefore = matchingSummaries.reduce((sum, entry) => sum + entry.cgst, 0)
    const half = toAmount(Math.floor((taxBefore + sumTax(row)) / 2) - halfBefore)
    return { ...row, cgst: half, sgst: half, roundOff: toAmount(sumTax(row) - 2 * half) }
  })
}

const sumTax = ({ cgst, sgst, igst, roundOff }: RateSummary): number =>
  cgst + sgst + igst + roundOff

function summarise(
  rate: number,
  place: StateCode,
  lines: readonly PlacedLine[],
  supplier: StateCode,
): RateSummary {
  const taxable = toAmount(lines.reduce((sum, line) => sum + line.base, 0))
  const gst = lines.reduce((sum, line) => sum + line.gst, 0)
  const isInterState = supplier !== place
  const half = toAmount(isInterState ? 0 : Math.floor(gst / 2))
  return {
    rate,
    place,
    isInterState,
    taxable,
    cgst: half,
    sgst: half,
    igst: toAmount(isInterState ? gst : 0),
    roundOff: toAmount(isInterState ? 0 : gst - 2 * half),
    second: UNION_TERRITORIES.includes(place) ? 'UTGST' : 'SGST',
  }
}

const { forms } = DOCUMENT_MESSAGES

/**
 * The document types in the CGST Rules, with the rules that define them. `docs/tax.md` explains when each is issued.
 */
export const TAX_FORMS = {
  'tax-invoice': { title: forms.taxInvoice, rule: '46' },
  'invoice-cum-bill': { title: forms.invoiceCumBill, rule: '46A' },
  'bill-of-supply': { title: forms.billOfSupply, rule: '49' },
  'credit-note': { title: forms.creditNote, rule: '53' },
} as const
export type TaxForm = keyof typeof TAX_FORMS

/**
 * Returns the document type for a sale. A tax invoice if any line is taxed (rule 46), otherwise a bill of supply
 * (rule 49); if an unregistered recipient buys taxed and untaxed items, an invoice-cum-bill of supply (rule 46A).
 */
export function chooseTaxForm(
  lines: readonly TaxedAmount[],
  isRegistered: boolean,
): Extract<TaxForm, 'tax-invoice' | 'invoice-cum-bill' | 'bill-of-supply'> {
  if (!lines.some(isTaxed)) return 'bill-of-supply'
  return isRegistered || lines.every(isTaxed) ? 'tax-invoice' : 'invoice-cum-bill'
}

/**
 * Rule 46(e): from this taxable value upwards, an invoice to an unregistered recipient requires the
 * address and state.
 */
export const MIN_TAXABLE_FOR_ADDRESS = toAmount(50_000_00)

/**
 * Rupees per unit of a currency with that many decimal places (yen, dollar, dinar), more than any such currency is
 * worth. The exchange rate on the payment date is unknown when the form is filled in, and an unnecessary address does
 * no harm.
 */
const MAX_RUPEES_PER_UNIT: Readonly<Record<number, number>> = { 0: 1, 2: 150, 3: 500 }

/**
 * Returns true if the law may require the recipient's address on an invoice with this taxable
 * value.
 */
export function requiresAddress(
  taxable: Amount,
  isRegistered: boolean,
  currency: Currency = INR,
): boolean {
  const rupees = currency === INR ? 1 : (MAX_RUPEES_PER_UNIT[getDecimals(currency)] ?? 1)
  return !isRegistered && toMajorUnits(taxable, currency) * rupees >= MIN_TAXABLE_FOR_ADDRESS / 100
}

/** Returns the sum of the taxable lines of a bill, after adjustments. */
export function sumTaxableValue(lines: readonly Line[]): Amount {
  const parts = lines.flatMap((line) => line.parts ?? [])
  return toAmount(
    lines.reduce((sum, line, index) => {
      if (!isTaxed(line)) return sum
      const changes = parts.filter((part) => part.line === index)
      return changes.reduce<number>((total, { base }) => total + base, sum + line.base)
    }, 0),
  )
}

/** The tax of a document issued before rates were summed separately (`RateSummary`). */
export type TaxHeads = {
  readonly taxable: Amount
  readonly cgst: Amount
  readonly sgst: Amount
  readonly igst: Amount
  readonly roundOff: Amount
  readonly total: Amount
  /** The name of the state's half of the tax. */
  readonly second: 'SGST' | 'UTGST'
}
