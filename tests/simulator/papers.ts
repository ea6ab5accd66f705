/**
 * What is promised of documents, looked at after every write: whatever is paid has its receipt, and where tax was
 * charged its invoice, what went back its credit note; series have no gap; and nothing that was issued changes.
 */
import type { Sql } from '../../server/store/database.ts'
import type { Violation } from './promises.ts'

type Document = {
  id: number
  payment_id: number
  kind: 'receipt' | 'invoice' | 'credit'
  account: string
  year: string
  serial: string
  body: string
  total: number
}
const DOCUMENTS = `SELECT id, payment_id, kind, account, year, serial, body, json_extract(body, '$.total') AS total
  FROM documents ORDER BY id`
type Paid = {
  id: number
  order_id: string
  amount: number
  came: number
  back: number
  invoices: 0 | 1
}
/** What was paid, how much came for it, and how much of that has gone back by now. */
const PAID = `SELECT p.id, p.order_id, p.amount, e.issuer ->> '$.invoice' IS NOT NULL AS invoices,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id
    WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted') AND f.state = 'done') AS back,
  (SELECT coalesce(sum(c.amount), 0) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')) AS came
  FROM payments p JOIN registrations r ON r.id = p.registration_id JOIN event_issuers e ON e.event_id = r.event_id
  WHERE p.status IN ('success', 'refunded') AND p.amount > 0`

/** The words of a receipt go with the person; what it states of money stays, and all of an invoice. */
function statedBy(one: Document): Document {
  const body = JSON.parse(one.body) as { buyer: unknown }
  return one.kind === 'receipt' ? { ...one, body: JSON.stringify({ ...body, buyer: null }) } : one
}

export function paperPromisesOf(sql: () => Sql): { afterWrite(): Violation | null } {
  const issued = new Map<number, string>()
  /** Those that were paid while the event had invoices: what its file says later changes nothing of it. */
  const invoiced = new Map<number, boolean>()

  const unchanged = (all: readonly Document[]): Violation | null => {
    const now = new Map(all.map((one) => [one.id, JSON.stringify(statedBy(one))]))
    for (const [id, text] of issued)
      if (now.get(id) !== text)
        return { promise: 'a document never changes', by: `${text} → ${now.get(id) ?? 'nothing'}` }
    for (const [id, text] of now) issued.set(id, text)
    return null
  }
  const series = (all: readonly Document[]): Violation | null => {
    const counted = new Map<string, number>()
    for (const { kind, account, year, serial } of all) {
      if (kind === 'receipt') continue
      const of = `${kind} ${account} ${year}`
      const next = (counted.get(of) ?? 0) + 1
      counted.set(of, next)
      if (!serial.endsWith(`/${next}`))
        return { promise: 'numbers of documents have no gap', by: `${of}: ${serial}, not ${next}` }
    }
    return null
  }
  const complete = (all: readonly Document[]): Violation | null => {
    for (const paid of sql()<Paid>(PAID).all()) {
      const isTaxed = invoiced.get(paid.id) ?? paid.invoices === 1
      invoiced.set(paid.id, isTaxed)
      const theirs = all.filter(({ payment_id: id }) => id === paid.id)
      const of = (kind: Document['kind']): readonly Document[] =>
        theirs.filter((one) => one.kind === kind)
      const by = `${JSON.stringify(paid)}: ${theirs.map(({ kind, total }) => `${kind} ${total}`).join(', ')}`
      if (of('receipt').length !== 1 || of('receipt')[0]?.total !== paid.amount)
        return { promise: 'whoever pays has one receipt, of what was paid', by }
      if (of('invoice').length !== (isTaxed ? 1 : 0))
        return { promise: 'tax that was charged is invoiced once', by }
      const credited = of('credit').reduce((sum, { total }) => sum + total, 0)
      // What came beyond the price was never charged, and goes back first.
      const beyond = Math.max(0, paid.came - paid.amount)
      const charged = Math.min(Math.max(0, paid.back - beyond), paid.amount)
      if (isTaxed && credited !== charged)
        return { promise: 'what goes back of an invoice is credited', by }
    }
    return null
  }
  return {
    afterWrite: () => {
      const all = sql()<Document>(DOCUMENTS).all()
      return unchanged(all) ?? series(all) ?? complete(all)
    },
  }
}
