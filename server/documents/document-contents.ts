/** Formats a document's frozen data as the text and amounts to print, without computing amounts. */
import {
  INR,
  getDocumentTitle,
  formatDay,
  formatPaidAt,
  formatMoney,
  dayOf,
  toAmount,
  getStatedAmount,
  STATES_OF_INDIA,
  TAX_FORMS,
  removeForeignLinks,
  collectEventWords,
  type DocumentBody,
  type Amount,
  type RateSummary,
} from '../../engine/index.ts'
import { DOCUMENT_MESSAGES, formatMessage } from '../../engine/messages.ts'
import { buildRupeeNotes, type Pair } from './rupee-notes.ts'

/** The input to `document-layout.typ`. */
export type PrintedDocument = {
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
  /** Each cell has one or more lines. */
  readonly rows: readonly (readonly string[])[]
  /** The tax at each rate; null if the document shows no rates. */
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

/** Returns a document's file name, for a download or an attachment. */
export function getFileName(body: Pick<DocumentBody, 'kind' | 'form' | 'serial'>): string {
  return `${getDocumentTitle(body).replaceAll(' ', '-')}-${body.serial.replaceAll('/', '-')}.pdf`
}

const text = DOCUMENT_MESSAGES
const { columns } = text

/**
 * Formats a document for printing. Many PDF viewers turn words into links. Words that a delegate typed must not become
 * links, except their own email address; words from the event file may. `servedEvent` is null if the event is not
 * served.
 */
export function formatDocument(
  body: DocumentBody,
  servedEvent: object | null = null,
): PrintedDocument {
  const { kind, serial, event, buyer, supplier, paid, of } = body
  // An address with a slash could contain the path of another site before its @.
  const ownAddresses = new Set(buyer.email.includes('/') ? [] : [buyer.email])
  const removeLinks = (typed: string): string =>
    removeForeignLinks(typed, collectEventWords(servedEvent ?? event), ownAddresses)
  const formatAmount = createAmountFormatter(body)
  const sums = formatSums(body)
  const [total, paymentLabel] =
    kind === 'credit'
      ? [text.credited, text.refunded]
      : [kind === 'invoice' ? text.total : text.paid, text.paid]
  const amountPaid = paid?.amount ?? body.total
  const isAmountDifferent = amountPaid !== body.total
  const isAmountShown = isAmountDifferent && kind === 'invoice'
  return {
    title: getDocumentTitle(body),
    serial,
    event: formatMessage(text.event, {
      event: event.title,
      days: event.days,
      venue: event.venue,
    }),
    colour: event.colour,
    head: [
      [kind === 'receipt' ? text.order : text.number, serial],
      [text.date, formatDay(dayOf(body.at))],
      [text.registration, body.regNo],
    ],
    from_title: supplier === null ? text.from : text.supplier,
    from:
      supplier === null
        ? [event.title, event.support]
        : [supplier.supplier, ...splitLines(supplier.address), formatGstin(supplier.gstin)],
    to_title: kind === 'receipt' ? text.receivedFrom : text.recipient,
    to: [
      removeLinks(buyer.name),
      ...splitLines(buyer.address ?? '').map(removeLinks),
      ...(buyer.state == null || kind === 'receipt' ? [] : [formatState(buyer.state)]),
      ...(buyer.gstin === null ? [] : [formatGstin(buyer.gstin)]),
      removeLinks(buyer.email),
    ].filter((line) => line !== ''),
    ...(body.byRate === undefined
      ? buildTablesWithoutRates(body, removeLinks)
      : buildTablesWithRates(body, body.byRate, removeLinks)),
    sums:
      isAmountDifferent && kind === 'receipt'
        ? [...sums, ...formatDifference(body, amountPaid)]
        : sums,
    total: [total, formatAmount(getStatedAmount(body))],
    in_words: body.inWords,
    notes: [
      ...(of === null
        ? []
        : ([
            [
              formatMessage(text.against, {
                document: TAX_FORMS[of.form ?? 'tax-invoice'].title.toLowerCase(),
              }),
              formatMessage(text.dated, { serial: of.serial, day: formatDay(dayOf(of.at)) }),
            ],
          ] as const)),
      ...(paid === null
        ? []
        : ([
            [
              paymentLabel,
              formatMessage(isAmountShown ? text.paidAmountAt : text.paidAt, {
                amount: formatAmount(amountPaid),
                time: formatPaidAt(paid.at),
                reference: removeLinks(paid.reference),
              }),
            ],
          ] as const)),
      ...buildRupeeNotes(body),
      ...buildSupplyNotes(body),
    ],
    foot: `${selectSignatureText(body)} ${formatMessage(text.questions, { support: event.support })}`,
  }
}

const splitLines = (lines: string): readonly string[] =>
  lines.split('\n').map((line) => line.trim())
const formatState = ({ code, name }: { readonly code: string; readonly name: string }): string =>
  formatMessage(text.state, { name, code })
const formatGstin = (number: string): string => formatMessage(text.gstin, { number })

/**
 * Returns the note about the signature. Under rule 46 (fifth proviso) and rule 49 (third), an electronic document needs
 * no signature; rule 53 has no such proviso.
 */
function selectSignatureText({ kind, supplier }: DocumentBody): string {
  return kind === 'invoice' && supplier !== null ? text.electronic : text.computerGenerated
}

function buildSupplyNotes({
  supplier,
  placeOfSupply,
  byRate: taxByRate,
  lines,
}: DocumentBody): readonly Pair[] {
  if (supplier === null) return []
  const statesOfSupply =
    taxByRate === undefined
      ? placeOfSupply === null
        ? []
        : [placeOfSupply]
      : [...new Set(lines.flatMap(({ place }) => place ?? []))].map((code) => ({
          code,
          name: STATES_OF_INDIA[code],
        }))
  const isTaxed = taxByRate === undefined || taxByRate.length > 0
  return [
    ...(statesOfSupply.length === 0
      ? []
      : ([[text.placeOfSupply, statesOfSupply.map(formatState).join(', ')]] as const)),
    ...(taxByRate === undefined ? ([[text.service, supplier.sac]] as const) : []),
    ...(isTaxed ? ([[text.reverseCharge, text.no]] as const) : []),
    ...(supplier.declaration === undefined
      ? []
      : ([[text.declaration, supplier.declaration]] as const)),
  ]
}

/** Returns a function that formats amounts. Documents issued in rupees do not state their currency. */
const createAmountFormatter =
  ({ currency = INR }: DocumentBody) =>
  (amount: Amount): string =>
    formatMoney(amount, currency)

/** Removes links from a string, because a line's label may repeat an answer. */
type RemoveLinks = (text: string) => string
type Tables = Pick<PrintedDocument, 'columns' | 'rows' | 'rates'>

/** Builds the tables of receipts, and of documents issued before lines had separate rates. */
function buildTablesWithoutRates(body: DocumentBody, removeLinks: RemoveLinks): Tables {
  const { gst, tax, lines, untaxed } = body
  const formatAmount = createAmountFormatter(body)
  const hasTax = gst > 0
  const valueLabel = untaxed === undefined ? columns.taxableValue : columns.value
  return {
    columns: hasTax
      ? [
          columns.description,
          columns.quantity,
          columns.price,
          valueLabel,
          tax?.name ?? columns.tax,
          columns.amount,
        ]
      : [columns.description, columns.quantity, columns.price, columns.amount],
    rows: lines.map(({ label, quantity, unit, base, gst: lineTax, total }) => [
      removeLinks(label),
      String(quantity),
      formatAmount(unit),
      ...(hasTax ? [formatAmount(base), formatAmount(lineTax)] : []),
      formatAmount(total),
    ]),
    rates: null,
  }
}

const RATE_COLUMNS = [
  columns.description,
  columns.sac,
  columns.quantity,
  columns.price,
  columns.value,
]

/** Lists each line with code, value, rate and tax; below them, the tax components of each rate. */
function buildTablesWithRates(
  body: DocumentBody,
  taxByRate: readonly RateSummary[],
  removeLinks: RemoveLinks,
): Tables {
  const { lines } = body
  const formatAmount = createAmountFormatter(body)
  const statesOfSupply = new Set(taxByRate.map(({ place }) => place))
  const hasInterStateTax = taxByRate.some(({ isInterState }) => isInterState)
  const hasIntraStateTax = taxByRate.some(({ isInterState }) => !isInterState)
  const secondTaxName = taxByRate.find(({ isInterState }) => !isInterState)?.second ?? text.sgst
  const formatTaxComponent = (isCharged: boolean, percent: number, amount: Amount): string =>
    isCharged ? formatMessage(text.taxPart, { percent, amount: formatAmount(amount) }) : '–'
  return {
    columns:
      taxByRate.length === 0
        ? RATE_COLUMNS
        : [...RATE_COLUMNS, columns.rateOfTax, columns.tax, columns.amount],
    rows: lines.map(({ label, sac, quantity, unit, base, rate, gst, total, adjusted }) => [
      [
        removeLinks(label),
        ...(adjusted ?? []).map((adjustment) =>
          formatMessage(text.adjustment, {
            label: adjustment.label,
            amount: formatAmount(adjustment.base),
          }),
        ),
      ].join('\n'),
      sac ?? '',
      String(quantity),
      formatAmount(unit),
      formatAmount(base),
      ...(taxByRate.length === 0
        ? []
        : [(rate ?? 0) > 0 ? `${rate}%` : text.untaxed, formatAmount(gst), formatAmount(total)]),
    ]),
    rates:
      taxByRate.length === 0
        ? null
        : {
            columns: [
              columns.rateOfTax,
              ...(statesOfSupply.size > 1 ? [text.placeOfSupply] : []),
              columns.taxableValue,
              ...(hasIntraStateTax ? [text.cgst, secondTaxName] : []),
              ...(hasInterStateTax ? [text.igst] : []),
            ],
            rows: taxByRate.map((row) => [
              `${row.rate}%`,
              ...(statesOfSupply.size > 1
                ? [
                    formatMessage(text.placeWithCode, {
                      name: STATES_OF_INDIA[row.place],
                      code: row.place,
                    }),
                  ]
                : []),
              formatAmount(row.taxable),
              ...(hasIntraStateTax
                ? [
                    formatTaxComponent(!row.isInterState, row.rate / 2, row.cgst),
                    formatTaxComponent(!row.isInterState, row.rate / 2, row.sgst),
                  ]
                : []),
              ...(hasInterStateTax
                ? [formatTaxComponent(row.isInterState, row.rate, row.igst)]
                : []),
            ]),
          },
  }
}

function formatSums(body: DocumentBody): readonly Pair[] {
  const { byRate: taxByRate, heads, base, gst, tax } = body
  const formatAmount = createAmountFormatter(body)
  if (taxByRate !== undefined) {
    if (taxByRate.length === 0) return []
    const addUp = (select: (row: RateSummary) => number): Amount =>
      toAmount(taxByRate.reduce((sumSoFar, row) => sumSoFar + select(row), 0))
    const taxable = addUp((row) => row.taxable)
    const parts: readonly (readonly [string, Amount])[] = [
      [text.cgst, addUp((row) => row.cgst)],
      [
        taxByRate.find(({ isInterState }) => !isInterState)?.second ?? text.sgst,
        addUp((row) => row.sgst),
      ],
      [text.igst, addUp((row) => row.igst)],
      [text.roundOff, addUp((row) => row.roundOff)],
      [text.untaxedItems, toAmount(base - taxable)],
    ]
    return [
      [columns.taxableValue, formatAmount(taxable)],
      ...parts
        .filter(([, amount]) => amount !== 0)
        .map(([name, amount]): Pair => [name, formatAmount(amount)]),
    ]
  }
  if (gst <= 0) return []
  const { untaxed = toAmount(0) } = body
  return [
    [columns.taxableValue, formatAmount(toAmount(base - untaxed))],
    ...(untaxed === 0 ? [] : ([[text.untaxedItems, formatAmount(untaxed)]] as const)),
    ...(heads === null
      ? ([[tax?.name ?? columns.tax, formatAmount(gst)]] as const)
      : formatTaxSums(body, heads)),
  ]
}

/** Returns the rows for a payment that staff accepted although its amount differs from the price. */
function formatDifference(body: DocumentBody, amountPaid: Amount): readonly Pair[] {
  const formatAmount = createAmountFormatter(body)
  const { total: price } = body
  return [
    [text.priceRow, formatAmount(price)],
    amountPaid < price
      ? [text.waived, formatAmount(toAmount(amountPaid - price))]
      : [text.overpaid, formatAmount(toAmount(amountPaid - price))],
  ]
}

/** Returns true if every line has the event's rate; an item may have a separate one. */
const hasOneRate = ({ lines, tax }: DocumentBody): boolean =>
  tax !== null &&
  lines.every(({ base, gst }) => Math.abs(gst - (base * tax.percent) / 100) <= MAX_ROUNDING_PAISE)
/** Tax may be rounded to whole rupees. */
const MAX_ROUNDING_PAISE = 100

function formatTaxSums(
  body: DocumentBody,
  { cgst, sgst, igst, roundOff, second }: NonNullable<DocumentBody['heads']>,
): readonly Pair[] {
  const formatAmount = createAmountFormatter(body)
  const totalPercent = body.tax?.percent ?? 0
  const formatLabelWithRate = (name: string, percent: number): string =>
    hasOneRate(body) ? formatMessage(text.taxWithRate, { tax: name, percent }) : name
  return [
    ...(igst > 0
      ? ([[formatLabelWithRate(text.igst, totalPercent), formatAmount(igst)]] as const)
      : ([
          [formatLabelWithRate(text.cgst, totalPercent / 2), formatAmount(cgst)],
          [formatLabelWithRate(second, totalPercent / 2), formatAmount(sgst)],
        ] as const)),
    ...(roundOff === 0 ? [] : ([[text.roundOff, formatAmount(roundOff)]] as const)),
  ]
}
