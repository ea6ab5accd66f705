/**
 * Invariants for printed CGST and SGST. On an invoice and on its credit notes, the two halves of the tax are equal and,
 * together with any odd paisa, add up to the tax on the lines. After a full credit, no CGST or SGST remains.
 */
import type { DocumentBody } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'

type Row = { readonly id: number; readonly kind: string; readonly body: string }
const NEWER_DOCUMENTS_SQL = `SELECT id, kind, body FROM documents WHERE kind <> 'receipt' AND id > ? ORDER BY id`

/** The tax at one rate that remains on an invoice after its credit notes, and the remaining halves. */
type RemainingTax = { tax: number; cgst: number; sgst: number; igst: number }

const buildInvoiceKey = ({ serial, at }: Pick<DocumentBody, 'serial' | 'at'>): string =>
  `${serial} ${at}`

/** Adds up the tax on the lines at each rate. */
function sumTax({ lines }: DocumentBody): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const { rate, gst } of lines)
    if (rate !== null && rate !== undefined && gst !== 0)
      sums.set(rate, (sums.get(rate) ?? 0) + gst)
  return sums
}

export function createTaxHalfInvariants(sql: () => Sql): {
  afterWrite(): Promise<Violation | null>
} {
  let lastId = 0
  const remainingByRate = new Map<string, RemainingTax>()

  const findProblem = (body: DocumentBody): string | null => {
    const invoiceKey = body.of === null ? buildInvoiceKey(body) : buildInvoiceKey(body.of)
    const printedRows = new Map((body.byRate ?? []).map((row) => [row.rate, row]))
    for (const [rate, tax] of sumTax(body)) {
      const row = printedRows.get(rate)
      if (row === undefined) return `${rate}% is not printed`
      const { cgst, sgst, igst, roundOff } = row
      if (cgst + sgst + igst + roundOff !== tax)
        return `the printed parts do not add up to ${tax} at ${rate}%`
      if (cgst !== sgst) return `the halves of ${rate}% differ`
      if (igst !== 0 && cgst !== 0) return `both IGST and CGST are charged at ${rate}%`
      const sign = body.of === null ? 1 : -1
      const taxBefore = remainingByRate.get(`${invoiceKey} ${rate}`) ?? {
        tax: 0,
        cgst: 0,
        sgst: 0,
        igst: 0,
      }
      const remainingTax = {
        tax: taxBefore.tax + sign * tax,
        cgst: taxBefore.cgst + sign * cgst,
        sgst: taxBefore.sgst + sign * sgst,
        igst: taxBefore.igst + sign * igst,
      }
      remainingByRate.set(`${invoiceKey} ${rate}`, remainingTax)
      // If the remaining amount is odd, one paisa is left over. This holds for the invoice and its credit notes
      // together.
      const oddPaisa = remainingTax.tax - remainingTax.cgst - remainingTax.sgst - remainingTax.igst
      if (remainingTax.tax === 0 && Object.values(remainingTax).some((amount) => amount !== 0))
        return `no tax remains at ${rate}%, but its parts are not zero: ${JSON.stringify(remainingTax)}`
      if (Math.abs(oddPaisa) > 1) return `${JSON.stringify(remainingTax)} remains at ${rate}%`
    }
    return null
  }
  return {
    afterWrite: async () => {
      for (const { id, kind, body } of await sql()<Row>(NEWER_DOCUMENTS_SQL).all(lastId)) {
        lastId = id
        const taxProblem = findProblem(JSON.parse(body) as DocumentBody)
        if (taxProblem !== null)
          return {
            invariant: 'the printed halves of the tax add up, to the paisa',
            cause: `${taxProblem}: ${kind} ${body}`,
          }
      }
      return null
    },
  }
}
