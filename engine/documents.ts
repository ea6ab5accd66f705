/**
 * What somebody who paid gets to keep: a receipt, or where the file says who supplies a tax invoice, and a
 * credit note for what goes back. A document is frozen facts; what draws it reads nothing else.
 */
import type { Answers } from './answer.ts'
import type { EventConfig } from './config.ts'
import { delegateOf } from './roles.ts'
import {
  readGstin,
  stateNamed,
  stateOfGstin,
  STATES_OF_INDIA,
  taxHeads,
  type Invoice,
  type StateCode,
  type TaxHeads,
} from './gst.ts'
import { amountInWords } from './in-words.ts'
import type { Line } from './lines.ts'
import { paise, type Paise } from './money.ts'
import { own } from './outcome.ts'
import { formatDays, type Instant } from './time.ts'

export const DOCUMENT_KINDS = ['receipt', 'invoice', 'credit'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** What of an event documents need, kept beside the registrations, so that the paying transaction can issue them. */
export type Issuer = {
  readonly event: {
    readonly id: string
    readonly title: string
    readonly days: string
    readonly venue: string
    readonly support: string
    readonly colour: string
  }
  readonly roles: EventConfig['roles']
  readonly tax: { readonly name: string; readonly percent: number } | null
  readonly invoice: Invoice | null
  /** Labels of what a select offers, by field and option: invoices are read by people. */
  readonly states: Readonly<Record<string, string>>
}

export function issuerOf(config: EventConfig): Issuer {
  const { id, title, from, to, venue, support, look, roles, fees, invoice } = config
  const place = invoice?.placeOfSupply
  const field =
    place !== undefined && 'field' in place
      ? config.fields.find((one) => one.id === place.field)
      : undefined
  return {
    event: { id, title, days: formatDays(from, to), venue, support, colour: look.colour },
    roles,
    tax: fees.tax === null ? null : { name: fees.tax.name, percent: fees.tax.percent },
    invoice,
    states: Object.fromEntries((field?.options ?? []).map((one) => [one.id, one.label])),
  }
}

/** A line of a document: of a bill, or all of it in one. */
export type DocumentLine = Pick<Line, 'label' | 'quantity' | 'unit' | 'base' | 'gst' | 'total'>

export type DocumentBody = {
  readonly kind: DocumentKind
  /** Of a receipt the order's id. */
  readonly serial: string
  readonly at: Instant
  readonly event: Issuer['event']
  readonly regNo: string
  readonly buyer: {
    readonly name: string
    readonly email: string
    readonly gstin: string | null
    readonly address: string | null
  }
  readonly supplier: Pick<Invoice, 'supplier' | 'address' | 'gstin' | 'sac'> | null
  readonly placeOfSupply: { readonly code: StateCode; readonly name: string } | null
  readonly lines: readonly DocumentLine[]
  readonly tax: Issuer['tax']
  /** Null: no tax invoice. */
  readonly heads: TaxHeads | null
  readonly base: Paise
  readonly gst: Paise
  readonly total: Paise
  /** Of a receipt what came, of the others the total. */
  readonly inWords: string
  /** `amount`: what came, where a person has accepted another amount; left out: the total. */
  readonly paid: {
    readonly reference: string
    readonly at: Instant
    readonly amount?: Paise
  } | null
  /** Of a credit note: the invoice it takes back from. */
  readonly of: { readonly serial: string; readonly at: Instant } | null
}

/** What was paid for: the lines of the bill where they make up the amount, else one line. */
export type Sold = {
  readonly regNo: string
  readonly answers: Answers
  readonly fullName: string
  readonly email: string
  readonly amount: Paise
  readonly base: Paise
  readonly gst: Paise
  readonly lines: readonly DocumentLine[]
  readonly reference: string
  readonly paidAt: Instant
  /** What came, which may be another amount where a person has accepted it. */
  readonly came: Paise
}

/** A receipt where the issuer has no invoices or nothing was taxed by it. `amount` above 0. */
export function documentOf(
  issuer: Issuer,
  sold: Sold,
  { kind, serial, at }: { kind: 'receipt' | 'invoice'; serial: string; at: Instant },
): DocumentBody {
  const { invoice, event, tax } = issuer
  const supplied = kind === 'invoice' ? invoice : null
  const place = supplied === null ? null : placeOf(issuer, supplied, sold.answers)
  return {
    kind,
    serial,
    at,
    event,
    regNo: sold.regNo,
    buyer: buyerOf(issuer, sold),
    supplier:
      supplied === null
        ? null
        : {
            supplier: supplied.supplier,
            address: supplied.address,
            gstin: supplied.gstin,
            sac: supplied.sac,
          },
    placeOfSupply: place === null ? null : { code: place, name: STATES_OF_INDIA[place] },
    lines: sold.lines,
    tax: sold.gst === 0 ? null : tax,
    heads:
      supplied === null || place === null
        ? null
        : taxHeads(
            [{ base: sold.base, gst: sold.gst, total: sold.amount }],
            stateOfGstin(supplied.gstin),
            place,
          ),
    base: sold.base,
    gst: sold.gst,
    total: sold.amount,
    inWords: amountInWords(kind === 'receipt' ? sold.came : sold.amount),
    paid: {
      reference: sold.reference,
      at: sold.paidAt,
      ...(sold.came === sold.amount ? {} : { amount: sold.came }),
    },
    of: null,
  }
}

/** What goes back of an invoice, taken apart as the invoice was: its tax is the same share of it, half up. */
export function creditOf(
  invoice: DocumentBody,
  back: { readonly amount: Paise; readonly reference: string },
  { serial, at }: { serial: string; at: Instant },
): DocumentBody {
  const { amount, reference } = back
  const gst =
    invoice.total === 0
      ? paise(0)
      : paise(
          Number(
            (2n * BigInt(amount) * BigInt(invoice.gst) + BigInt(invoice.total)) /
              (2n * BigInt(invoice.total)),
          ),
        )
  const base = paise(amount - gst)
  const { supplier, placeOfSupply } = invoice
  return {
    ...invoice,
    kind: 'credit',
    serial,
    at,
    lines: [
      {
        label: `Refund of what invoice ${invoice.serial} charged`,
        quantity: 1,
        unit: base,
        base,
        gst,
        total: amount,
      },
    ],
    heads:
      supplier === null || placeOfSupply === null
        ? null
        : taxHeads(
            [{ base, gst, total: amount }],
            stateOfGstin(supplier.gstin),
            placeOfSupply.code,
          ),
    base,
    gst,
    total: amount,
    inWords: amountInWords(amount),
    paid: { reference, at },
    of: { serial: invoice.serial, at: invoice.at },
  }
}

/** Where nobody named a state the supply is where the supplier is: IGST Act, section 12(2)(b). */
function placeOf(issuer: Issuer, { gstin, placeOfSupply }: Invoice, answers: Answers): StateCode {
  if ('state' in placeOfSupply) return placeOfSupply.state
  const said = own(answers, placeOfSupply.field)
  const text = typeof said === 'string' ? said : ''
  return stateNamed(text) ?? stateNamed(own(issuer.states, text) ?? '') ?? stateOfGstin(gstin)
}

function buyerOf(
  { invoice, roles }: Issuer,
  { answers, fullName, email }: Sold,
): DocumentBody['buyer'] {
  const answered = (id: string | undefined): string => {
    const answer = id === undefined ? undefined : own(answers, id)
    return answer === undefined || typeof answer === 'object' ? '' : String(answer).trim()
  }
  const delegate = delegateOf({ roles }, answers)
  const name = answered(invoice?.buyer.name)
  return {
    name: [name, fullName, delegate.fullName].find((one) => one !== '') ?? '',
    email: email === '' ? delegate.email : email,
    gstin: readGstin(answered(invoice?.buyer.gstin)),
    address: answered(invoice?.buyer.address) || null,
  }
}

/** GET /admin/registrations/{reg_no}/documents/; each is a PDF below its id. */
export type DocumentsAnswer = {
  status: 'success'
  documents: { id: number; kind: DocumentKind; serial: string; at: string; total: number }[]
}
