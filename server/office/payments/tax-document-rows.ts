/** Formats invoices and credit notes as rows for a tax return: one for each rate and place of supply. */
import { dayOf, getDocumentTitle, INR, STATES_OF_INDIA, toAmount } from '../../../engine/index.ts'
import type { DocumentBody } from '../../../engine/index.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { buildAmountCell } from './movement-rows.ts'

export const DOCUMENT_HEADER: readonly string[] = [
  'Document',
  'Number',
  'Date',
  'Against',
  'Event',
  'Registration',
  'Recipient',
  'GSTIN of recipient',
  'GSTIN of supplier',
  'Place of supply',
  'SAC',
  'Rate (%)',
  'Taxable value',
  'CGST',
  'SGST or UTGST',
  'IGST',
  'Round-off',
  'Not taxed',
  'Total',
  'Currency',
  'Rupees for one unit',
  'Total of the document (INR)',
]

/** One row of a document. The rows add up to the document's total. */
type Part = {
  readonly place: string
  readonly sac: string
  readonly rate: number | ''
  readonly taxable: number
  readonly cgst: number
  readonly sgst: number
  readonly igst: number
  readonly roundOff: number
  readonly untaxed: number
}
const NO_AMOUNTS = { taxable: 0, cgst: 0, sgst: 0, igst: 0, roundOff: 0, untaxed: 0 }

const formatState = (state: { readonly code: string; readonly name: string } | null): string =>
  state === null ? '' : `${state.code}-${state.name}`
const joinWords = (words: readonly (string | undefined)[]): string =>
  [...new Set(words.filter((word) => word !== undefined && word !== ''))].join(', ')

function listParts(body: DocumentBody): readonly Part[] {
  const { byRate, heads, base, gst, lines, supplier, tax } = body
  if (byRate === undefined) {
    // The document was issued before tax was summed by rate.
    const taxable = heads?.taxable ?? (gst > 0 ? base : 0)
    return [
      {
        ...NO_AMOUNTS,
        place: formatState(body.placeOfSupply),
        sac: supplier?.sac ?? '',
        rate: tax?.percent ?? '',
        taxable,
        cgst: heads?.cgst ?? 0,
        sgst: heads?.sgst ?? 0,
        igst: heads?.igst ?? 0,
        roundOff: heads === null ? gst : heads.roundOff,
        untaxed: base - taxable,
      },
    ]
  }
  const taxedParts = byRate.map((row): Part => ({
    ...NO_AMOUNTS,
    place: formatState({ code: row.place, name: STATES_OF_INDIA[row.place] }),
    sac: joinWords(
      lines
        .filter(({ rate, place }) => rate === row.rate && place === row.place)
        .map(({ sac }) => sac),
    ),
    rate: row.rate,
    taxable: row.taxable,
    cgst: row.cgst,
    sgst: row.sgst,
    igst: row.igst,
    roundOff: row.roundOff,
  }))
  const untaxedAmount = base - taxedParts.reduce((sum, { taxable }) => sum + taxable, 0)
  if (untaxedAmount === 0 && taxedParts.length > 0) return taxedParts
  const untaxedLines = lines.filter(({ gst: charged }) => charged === 0)
  return [
    ...taxedParts,
    {
      ...NO_AMOUNTS,
      place: joinWords(
        untaxedLines.map(({ place }) =>
          place === undefined ? '' : formatState({ code: place, name: STATES_OF_INDIA[place] }),
        ),
      ),
      sac: joinWords(untaxedLines.map(({ sac }) => sac)),
      rate: '',
      untaxed: untaxedAmount,
    },
  ]
}

export function buildDocumentRows(
  event: string,
  body: DocumentBody,
): readonly (readonly CsvCell[])[] {
  const { serial, at, of, regNo, buyer, supplier, currency = INR, rupees } = body
  const toCellAmount = (amount: number): CsvCell => buildAmountCell(toAmount(amount), currency)
  return listParts(body).map((part, index) => [
    getDocumentTitle(body),
    serial,
    dayOf(at),
    of?.serial ?? '',
    event,
    regNo,
    buyer.name,
    buyer.gstin ?? '',
    supplier?.gstin ?? '',
    part.place,
    part.sac,
    part.rate,
    toCellAmount(part.taxable),
    toCellAmount(part.cgst),
    toCellAmount(part.sgst),
    toCellAmount(part.igst),
    toCellAmount(part.roundOff),
    toCellAmount(part.untaxed),
    toCellAmount(part.taxable + part.cgst + part.sgst + part.igst + part.roundOff + part.untaxed),
    currency,
    rupees?.rate ?? '',
    // Stated only in the first row of each document, so that the column can be added up.
    index > 0 ? '' : buildAmountCell(currency === INR ? body.total : (rupees?.total ?? null), INR),
  ])
}
