/** A document's frozen facts as the words and amounts that are printed; nothing is worked out but their looks. */
import {
  formatDay,
  formatInstant,
  formatMoney,
  dayOf,
  paise,
  type DocumentBody,
  type DocumentKind,
  type Paise,
} from '../../engine/index.ts'

type Pair = readonly [name: string, value: string]

/** What `document.typ` reads. */
export type Printed = {
  readonly title: string
  readonly serial: string
  readonly event: string
  readonly colour: string
  readonly head: readonly Pair[]
  readonly from_title: string
  readonly from: readonly string[]
  readonly to_title: string
  readonly to: readonly string[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly sums: readonly Pair[]
  readonly total: Pair
  readonly in_words: string
  readonly notes: readonly Pair[]
  readonly foot: string
}

const TITLES: Readonly<Record<DocumentKind, string>> = {
  receipt: 'Receipt',
  invoice: 'Tax invoice',
  credit: 'Credit note',
}

/** The name of a document's file, for a download or an attachment. */
export function fileOf({ kind, serial }: Pick<DocumentBody, 'kind' | 'serial'>): string {
  return `${TITLES[kind].replace(' ', '-')}-${serial.replaceAll('/', '-')}.pdf`
}

export function printed(body: DocumentBody): Printed {
  const { kind, serial, event, buyer, supplier, placeOfSupply, heads, lines, paid, of } = body
  const hasTax = body.gst > 0
  const sums: Pair[] = !hasTax
    ? []
    : [
        ['Taxable value', formatMoney(body.base)],
        ...(heads === null
          ? ([[body.tax?.name ?? 'Tax', formatMoney(body.gst)]] as const)
          : taxSums(body, heads)),
      ]
  const [total, paidHow] =
    kind === 'credit' ? ['Credited', 'Paid back'] : [kind === 'invoice' ? 'Total' : 'Paid', 'Paid']
  const came = paid?.amount ?? body.total
  const isOther = came !== body.total
  const paidWith = isOther && kind === 'invoice' ? `${formatMoney(came)}, ` : ''
  return {
    title: TITLES[kind],
    serial,
    event: `${event.title} · ${event.days} · ${event.venue}`,
    colour: event.colour,
    head: [
      [kind === 'receipt' ? 'Order' : 'Number', serial],
      ['Date', formatDay(dayOf(body.at))],
      ['Registration', body.regNo],
    ],
    from_title: supplier === null ? 'From' : 'Supplier',
    from:
      supplier === null
        ? [event.title, event.support]
        : [
            supplier.supplier,
            ...supplier.address.split('\n').map((line) => line.trim()),
            `GSTIN ${supplier.gstin}`,
          ],
    to_title: kind === 'receipt' ? 'Received from' : 'Recipient',
    to: [
      buyer.name,
      ...(buyer.address ?? '').split('\n').map((line) => line.trim()),
      ...(buyer.gstin === null ? [] : [`GSTIN ${buyer.gstin}`]),
      buyer.email,
    ].filter((line) => line !== ''),
    columns: hasTax
      ? ['Description', 'Quantity', 'Rate', 'Taxable value', body.tax?.name ?? 'Tax', 'Amount']
      : ['Description', 'Quantity', 'Rate', 'Amount'],
    rows: lines.map(({ label, quantity, unit, base, gst, total: amount }) => [
      label,
      String(quantity),
      formatMoney(unit),
      ...(hasTax ? [formatMoney(base), formatMoney(gst)] : []),
      formatMoney(amount),
    ]),
    sums: isOther && kind === 'receipt' ? [...sums, ...besides(body.total, came)] : sums,
    total: [total, formatMoney(kind === 'receipt' ? came : body.total)],
    in_words: body.inWords,
    notes: [
      ...(of === null
        ? []
        : ([['Against invoice', `${of.serial} of ${formatDay(dayOf(of.at))}`]] as const)),
      ...(paid === null
        ? []
        : ([
            [paidHow, `${paidWith}${formatInstant(paid.at)}, reference ${paid.reference}`],
          ] as const)),
      ...(supplier === null || placeOfSupply === null
        ? []
        : ([
            ['Place of supply', `${placeOfSupply.name} (${placeOfSupply.code})`],
            ['Service (SAC)', supplier.sac],
            ['Tax payable on reverse charge', 'No'],
          ] as const)),
    ],
    foot: `Made by computer, valid without a signature. Questions: ${event.support}`,
  }
}

/** A person has counted another amount as the price. */
function besides(price: Paise, came: Paise): readonly Pair[] {
  return [
    ['Price', formatMoney(price)],
    came < price
      ? ['Let go by the organisers', formatMoney(paise(came - price))]
      : ['Paid beyond the price', formatMoney(paise(came - price))],
  ]
}

/** Whether every line has the event's own rate: an item may have one of its own. */
const isOneRate = ({ lines, tax }: DocumentBody): boolean =>
  tax !== null &&
  lines.every(({ base, gst }) => Math.abs(gst - (base * tax.percent) / 100) <= ROUNDED_PAISE_MAX)
/** A tax may be rounded to whole rupees. */
const ROUNDED_PAISE_MAX = 100

function taxSums(
  body: DocumentBody,
  { cgst, sgst, igst, roundOff, second }: NonNullable<DocumentBody['heads']>,
): readonly Pair[] {
  const percent = body.tax?.percent ?? 0
  const at = (share: number): string => (isOneRate(body) ? ` ${share}%` : '')
  return [
    ...(igst > 0
      ? ([[`IGST${at(percent)}`, formatMoney(igst)]] as const)
      : ([
          [`CGST${at(percent / 2)}`, formatMoney(cgst)],
          [`${second}${at(percent / 2)}`, formatMoney(sgst)],
        ] as const)),
    ...(roundOff === 0 ? [] : ([['Round-off', formatMoney(roundOff)]] as const)),
  ]
}
