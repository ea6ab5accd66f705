/**
 * What is promised of the printed halves of the tax: CGST and SGST of an invoice and of its credit notes are equal, with the paisa
 * that does not halve they are the tax of the lines, and credit notes that take all of a rate back leave no paisa of either.
 */
import type { DocumentBody } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'

type Row = { readonly id: number; readonly kind: string; readonly body: string }
const NEWER = `SELECT id, kind, body FROM documents WHERE kind <> 'receipt' AND id > ? ORDER BY id`

/** What is left of the tax of an invoice at a rate, and of each half. */
type Left = { tax: number; cgst: number; sgst: number; igst: number }

const nameOf = ({ serial, at }: Pick<DocumentBody, 'serial' | 'at'>): string => `${serial} ${at}`

/** By percent, as the lines have it. */
function taxIn({ lines }: DocumentBody): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const { rate, gst } of lines)
    if (rate !== null && rate !== undefined && gst !== 0)
      sums.set(rate, (sums.get(rate) ?? 0) + gst)
  return sums
}

export function halfPromisesOf(sql: () => Sql): { afterWrite(): Violation | null } {
  let last = 0
  const open = new Map<string, Left>()

  const judge = (body: DocumentBody): string | null => {
    const of = body.of === null ? nameOf(body) : nameOf(body.of)
    const printed = new Map((body.byRate ?? []).map((row) => [row.rate, row]))
    for (const [rate, tax] of taxIn(body)) {
      const row = printed.get(rate)
      if (row === undefined) return `nothing is printed of ${rate}%`
      const { cgst, sgst, igst, roundOff } = row
      if (cgst + sgst + igst + roundOff !== tax) return `${tax} at ${rate}% are printed otherwise`
      if (cgst !== sgst) return `the halves of ${rate}% differ`
      if (igst !== 0 && cgst !== 0) return `${rate}% is taxed twice`
      const sign = body.of === null ? 1 : -1
      const before = open.get(`${of} ${rate}`) ?? { tax: 0, cgst: 0, sgst: 0, igst: 0 }
      const left = {
        tax: before.tax + sign * tax,
        cgst: before.cgst + sign * cgst,
        sgst: before.sgst + sign * sgst,
        igst: before.igst + sign * igst,
      }
      open.set(`${of} ${rate}`, left)
      // An odd amount halves into all but one paisa, on the invoice as on the notes together.
      const odd = left.tax - left.cgst - left.sgst - left.igst
      if (left.tax === 0 && Object.values(left).some((amount) => amount !== 0))
        return `nothing is left of ${rate}% but ${JSON.stringify(left)}`
      if (Math.abs(odd) > 1) return `${JSON.stringify(left)} is left of ${rate}%`
    }
    return null
  }
  return {
    afterWrite: () => {
      for (const { id, kind, body } of sql()<Row>(NEWER).all(last)) {
        last = id
        const wrong = judge(JSON.parse(body) as DocumentBody)
        if (wrong !== null)
          return {
            promise: 'printed halves of the tax add up, to the paisa',
            by: `${wrong}: ${kind} ${body}`,
          }
      }
      return null
    },
  }
}
