/**
 * Invariants for printed CGST and SGST: the halves of an invoice and of its credit notes are equal, with the odd paisa
 * they are the tax of the lines, and a full credit leaves no paisa of either.
 */
import type { DocumentBody } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'

type Row = { readonly id: number; readonly kind: string; readonly body: string }
const NEWER = `SELECT id, kind, body FROM documents WHERE kind <> 'receipt' AND id > ? ORDER BY id`

/** The remaining tax of an invoice at a rate, and the remaining halves. */
type RemainingTax = { tax: number; cgst: number; sgst: number; igst: number }

const nameOf = ({ serial, at }: Pick<DocumentBody, 'serial' | 'at'>): string => `${serial} ${at}`

/** By percentage, as the lines state it. */
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
  let last = 0
  const open = new Map<string, RemainingTax>()

  const findProblem = (body: DocumentBody): string | null => {
    const invoiceName = body.of === null ? nameOf(body) : nameOf(body.of)
    const printed = new Map((body.byRate ?? []).map((row) => [row.rate, row]))
    for (const [rate, tax] of sumTax(body)) {
      const row = printed.get(rate)
      if (row === undefined) return `${rate}% is not printed`
      const { cgst, sgst, igst, roundOff } = row
      if (cgst + sgst + igst + roundOff !== tax) return `${tax} at ${rate}% is printed differently`
      if (cgst !== sgst) return `the halves of ${rate}% differ`
      if (igst !== 0 && cgst !== 0) return `${rate}% is taxed twice`
      const sign = body.of === null ? 1 : -1
      const before = open.get(`${invoiceName} ${rate}`) ?? { tax: 0, cgst: 0, sgst: 0, igst: 0 }
      const left = {
        tax: before.tax + sign * tax,
        cgst: before.cgst + sign * cgst,
        sgst: before.sgst + sign * sgst,
        igst: before.igst + sign * igst,
      }
      open.set(`${invoiceName} ${rate}`, left)
      // An odd amount is halved except for one paisa, on the invoice as on all its notes together.
      const oddPaisa = left.tax - left.cgst - left.sgst - left.igst
      if (left.tax === 0 && Object.values(left).some((amount) => amount !== 0))
        return `nothing remains at ${rate}% but ${JSON.stringify(left)}`
      if (Math.abs(oddPaisa) > 1) return `${JSON.stringify(left)} remains at ${rate}%`
    }
    return null
  }
  return {
    afterWrite: async () => {
      for (const { id, kind, body } of await sql()<Row>(NEWER).all(last)) {
        last = id
        const wrong = findProblem(JSON.parse(body) as DocumentBody)
        if (wrong !== null)
          return {
            invariant: 'printed halves of the tax add up, to the paisa',
            cause: `${wrong}: ${kind} ${body}`,
          }
      }
      return null
    },
  }
}
