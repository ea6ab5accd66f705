/** Formats a document's frozen data as the text and amounts to print; computes nothing else. */
import {
  documentTitle,
  formatDay,
  formatInstant,
  formatMoney,
  dayOf,
  paise,
  statedAmount,
  STATES_OF_INDIA,
  TAX_FORMS,
  withoutForeignLinks,
  wordsOfEvent,
  type DocumentBody,
  type Paise,
  type RateSummary,
} from '../../engine/index.ts'

type Pair = readonly [name: string, value: string]

/** The input of `document.typ`. */
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
  /** Each cell has one or several lines. */
  readonly rows: readonly (readonly string[])[]
  /** Tax by rate; null: the document states none. */
  readonly rates: {
    readonly columns: readonly string[]
    readonly rows: readonly (readonly string[])[]
  } | null
  readonly sums: readonly Pair[]
  readonly total: Pair
  readonly in_words: string
  readonly notes: readonly Pair[]
  readonly foot: string
}

/** Returns the file name of a document, for a download or an attachment. */
export function fileOf(body: Pick<DocumentBody, 'kind' | 'form' | 'serial'>): string {
  return `${documentTitle(body).replaceAll(' ', '-')}-${body.serial.replaceAll('/', '-')}.pdf`
}

/**
 * Many PDF viewers turn words into links. No word that a delegate typed may become one, except their own email
 * address; words of the event file stay. `file`: the served event; null: it is not served.
 */
export function printed(body: DocumentBody, file: object | null = null): Printed {
  const { kind, serial, event, buyer, supplier, paid, of } = body
  // A path of another site may come before the @ of an address.
  const ours = new Set(buyer.email.includes('/') ? [] : [buyer.email])
  const safe = (text: string): string =>
    withoutForeignLinks(text, wordsOfEvent(file ?? event), ours)
  const sums = sumsOf(body)
  const [total, paidHow] =
    kind === 'credit' ? ['Credited', 'Paid back'] : [kind === 'invoice' ? 'Total' : 'Paid', 'Paid']
  const came = paid?.amount ?? body.total
  const isOther = came !== body.total
  const paidWith = isOther && kind === 'invoice' ? `${formatMoney(came)}, ` : ''
  return {
    title: documentTitle(body),
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
        : [supplier.supplier, ...linesIn(supplier.address), `GSTIN ${supplier.gstin}`],
    to_title: kind === 'receipt' ? 'Received from' : 'Recipient',
    to: [
      safe(buyer.name),
      ...linesIn(buyer.address ?? '').map(safe),
      ...(buyer.state == null || kind === 'receipt' ? [] : [stateText(buyer.state)]),
      ...(buyer.gstin === null ? [] : [`GSTIN ${buyer.gstin}`]),
      safe(buyer.email),
    ].filter((line) => line !== ''),
    ...(body.byRate === undefined ? withoutRates(body, safe) : withRates(body, body.byRate, safe)),
    sums: isOther && kind === 'receipt' ? [...sums, ...besides(body.total, came)] : sums,
    total: [total, formatMoney(statedAmount(body))],
    in_words: body.inWords,
    notes: [
      ...(of === null
        ? []
        : ([
            [
              `Against ${TAX_FORMS[of.form ?? 'tax-invoice'].title.toLowerCase()}`,
              `${of.serial} of ${formatDay(dayOf(of.at))}`,
            ],
          ] as const)),
      ...(paid === null
        ? []
        : ([
            [paidHow, `${paidWith}${formatInstant(paid.at)}, reference ${safe(paid.reference)}`],
          ] as const)),
      ...supplyNotes(body),
    ],
    foot: `${signatureText(body)} Questions: ${event.support}`,
  }
}

const linesIn = (text: string): readonly string[] => text.split('\n').map((line) => line.trim())
const stateText = ({ code, name }: { readonly code: string; readonly name: string }): string =>
  `${name} (state code ${code})`

/**
 * Rule 46, fifth proviso, and rule 49, third: an electronic document needs no signature. Rule 53 has no such
 * proviso.
 */
function signatureText({ kind, supplier }: DocumentBody): string {
  return kind === 'invoice' && supplier !== null
    ? 'Electronic document (Information Technology Act, 2000): no signature is required.'
    : 'Computer-generated document.'
}

function supplyNotes({ supplier, placeOfSupply, byRate, lines }: DocumentBody): readonly Pair[] {
  if (supplier === null) return []
  const places =
    byRate === undefined
      ? placeOfSupply === null
        ? []
        : [placeOfSupply]
      : [...new Set(lines.flatMap(({ place }) => place ?? []))].map((code) => ({
          code,
          name: STATES_OF_INDIA[code],
        }))
  const isTaxed = byRate === undefined || byRate.length > 0
  return [
    ...(places.length === 0
      ? []
      : ([['Place of supply', places.map(stateText).join(', ')]] as const)),
    ...(byRate === undefined ? ([['Service (SAC)', supplier.sac]] as const) : []),
    ...(isTaxed ? ([['Tax payable on reverse charge', 'No']] as const) : []),
    ...(supplier.declaration === undefined
      ? []
      : ([['Declaration', supplier.declaration]] as const)),
  ]
}

/** The label of a line may repeat an answer. */
type Safe = (text: string) => string
type Tables = Pick<Printed, 'columns' | 'rows' | 'rates'>

/** For a receipt, and for documents issued before lines had their own rates. */
function withoutRates({ gst, tax, lines, untaxed }: DocumentBody, safe: Safe): Tables {
  const hasTax = gst > 0
  const value = untaxed === undefined ? 'Taxable value' : 'Value'
  return {
    columns: hasTax
      ? ['Description', 'Quantity', 'Rate', value, tax?.name ?? 'Tax', 'Amount']
      : ['Description', 'Quantity', 'Rate', 'Amount'],
    rows: lines.map(({ label, quantity, unit, base, gst: taxed, total }) => [
      safe(label),
      String(quantity),
      formatMoney(unit),
      ...(hasTax ? [formatMoney(base), formatMoney(taxed)] : []),
      formatMoney(total),
    ]),
    rates: null,
  }
}

/** Lists each line with code, value, rate and tax; below them, the tax components of each rate. */
function withRates({ lines }: DocumentBody, byRate: readonly RateSummary[], safe: Safe): Tables {
  const places = new Set(byRate.map(({ place }) => place))
  const isInter = byRate.some(({ isInterState }) => isInterState)
  const isIntra = byRate.some(({ isInterState }) => !isInterState)
  const second = byRate.find(({ isInterState }) => !isInterState)?.second ?? 'SGST'
  const part = (isHere: boolean, percent: number, amount: Paise): string =>
    isHere ? `${percent}%: ${formatMoney(amount)}` : '–'
  return {
    columns:
      byRate.length === 0
        ? ['Description', 'SAC', 'Quantity', 'Price', 'Value']
        : ['Description', 'SAC', 'Quantity', 'Price', 'Value', 'Rate of tax', 'Tax', 'Amount'],
    rows: lines.map(({ label, sac, quantity, unit, base, rate, gst, total, adjusted }) => [
      [
        safe(label),
        ...(adjusted ?? []).map((one) => `${one.label}: ${formatMoney(one.base)}`),
      ].join('\n'),
      sac ?? '',
      String(quantity),
      formatMoney(unit),
      formatMoney(base),
      ...(byRate.length === 0
        ? []
        : [(rate ?? 0) > 0 ? `${rate}%` : 'untaxed', formatMoney(gst), formatMoney(total)]),
    ]),
    rates:
      byRate.length === 0
        ? null
        : {
            columns: [
              'Rate of tax',
              ...(places.size > 1 ? ['Place of supply'] : []),
              'Taxable value',
              ...(isIntra ? ['CGST', second] : []),
              ...(isInter ? ['IGST'] : []),
            ],
            rows: byRate.map((row) => [
              `${row.rate}%`,
              ...(places.size > 1 ? [`${STATES_OF_INDIA[row.place]} (${row.place})`] : []),
              formatMoney(row.taxable),
              ...(isIntra
                ? [
                    part(!row.isInterState, row.rate / 2, row.cgst),
                    part(!row.isInterState, row.rate / 2, row.sgst),
                  ]
                : []),
              ...(isInter ? [part(row.isInterState, row.rate, row.igst)] : []),
            ]),
          },
  }
}

function sumsOf(body: DocumentBody): readonly Pair[] {
  const { byRate, heads, base, gst, tax } = body
  if (byRate !== undefined) {
    if (byRate.length === 0) return []
    const sum = (of: (row: RateSummary) => number): Paise =>
      paise(byRate.reduce((so, row) => so + of(row), 0))
    const taxable = sum((row) => row.taxable)
    const parts: readonly (readonly [string, Paise])[] = [
      ['CGST', sum((row) => row.cgst)],
      [byRate.find(({ isInterState }) => !isInterState)?.second ?? 'SGST', sum((row) => row.sgst)],
      ['IGST', sum((row) => row.igst)],
      ['Round-off', sum((row) => row.roundOff)],
      ['Untaxed items', paise(base - taxable)],
    ]
    return [
      ['Taxable value', formatMoney(taxable)],
      ...parts
        .filter(([, amount]) => amount !== 0)
        .map(([name, amount]): Pair => [name, formatMoney(amount)]),
    ]
  }
  if (gst <= 0) return []
  const { untaxed = paise(0) } = body
  return [
    ['Taxable value', formatMoney(paise(base - untaxed))],
    ...(untaxed === 0 ? [] : ([['Untaxed items', formatMoney(untaxed)]] as const)),
    ...(heads === null
      ? ([[tax?.name ?? 'Tax', formatMoney(gst)]] as const)
      : taxSums(body, heads)),
  ]
}

/** A user has accepted another amount as the price. */
function besides(price: Paise, came: Paise): readonly Pair[] {
  return [
    ['Price', formatMoney(price)],
    came < price
      ? ['Let go by the organisers', formatMoney(paise(came - price))]
      : ['Paid beyond the price', formatMoney(paise(came - price))],
  ]
}

/** Returns true if every line has the event's own rate; an item may have a separate one. */
const isOneRate = ({ lines, tax }: DocumentBody): boolean =>
  tax !== null &&
  lines.every(({ base, gst }) => Math.abs(gst - (base * tax.percent) / 100) <= ROUNDED_PAISE_MAX)
/** Tax may be rounded to whole rupees. */
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
