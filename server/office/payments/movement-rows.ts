/** Formats payments and refunds for the API, and as rows in a file. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { WireMovement, WireMovementTotals } from '../../../engine/api.ts'
import {
  getDecimals,
  formatDayShort,
  formatTime,
  dayOf,
  INR,
  formatIsoIndia,
  formatMethod,
  isDayOnly,
  STATEMENT_METHODS,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Movement, MovementSum } from '../../storage/index.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'

/** Returns an event's title; its id if it is not served, '' for a payment without an event. */
export const getEventTitle = ({ events }: Pick<Deps, 'events'>, id: string | null): string =>
  id === null ? '' : (events.findById(id)?.config.title ?? id)

const COUNTS = {
  fits: 'received',
  accepted: 'received',
  review: 'review',
  unmatched: 'review',
  refused: 'not_counted',
} as const satisfies Readonly<Record<Movement['state'], WireMovement['counts']>>

const getCounts = ({ state, isMovedAway }: Movement): WireMovement['counts'] =>
  isMovedAway === true ? 'moved_away' : COUNTS[state]

export function toWireMovement(deps: Pick<Deps, 'events'>, movement: Movement): WireMovement {
  const { id, is, at, recordedAt, eventId, regNo, name, method, reference } = movement
  const { amount, currency, fee, isUnreconciled, due, priceCurrency, documents } = movement
  return {
    id,
    kind: is,
    at: formatIsoIndia(at),
    recorded_at: formatIsoIndia(recordedAt),
    event_id: eventId,
    event: getEventTitle(deps, eventId),
    reg_no: regNo,
    name,
    method: formatMethod(method),
    reference,
    amount: toMajorUnits(amount, currency),
    ...toWireCurrency(currency),
    counts: getCounts(movement),
    fee: fee === null ? null : toMajorUnits(fee, INR),
    unreconciled: isUnreconciled,
    due:
      due > 0
        ? { amount: toMajorUnits(due, priceCurrency), ...toWireCurrency(priceCurrency) }
        : null,
    documents: documents.map((document) => ({ ...document })),
  }
}

export function toWireTotals(deps: Pick<Deps, 'events'>, sum: MovementSum): WireMovementTotals {
  const { currency } = sum
  const toMajor = (amount: Amount): number => toMajorUnits(amount, currency)
  return {
    event_id: sum.eventId,
    event: getEventTitle(deps, sum.eventId),
    method: formatMethod(sum.method),
    ...toWireCurrency(currency),
    payments: sum.payments,
    received: toMajor(sum.received),
    in_review: toMajor(sum.inReview),
    not_counted: toMajor(sum.notCounted),
    refunds: sum.refunds,
    refunded: toMajor(sum.refunded),
    refunded_not_counted: toMajor(sum.refundedNotCounted),
    fee: toMajorUnits(sum.fee, INR),
  }
}

const KINDS = { payment: 'Payment', refund: 'Refund', dispute: 'Dispute' } as const
const COUNT_LABELS = {
  received: 'Received',
  review: 'Needs review',
  not_counted: 'Not applied',
  moved_away: 'Moved to another event',
} as const satisfies Readonly<Record<WireMovement['counts'], string>>
/** As in the summary, a refund of a payment that counts reduces the amount received. */
const REFUND_LABELS = { refund: 'Refunded', dispute: 'Withdrawn by the bank' } as const

function formatCounts(movement: Movement): string {
  const counts = getCounts(movement)
  if (movement.is === 'payment') return COUNT_LABELS[counts]
  return counts === 'received' ? REFUND_LABELS[movement.is] : 'Refund of a payment not applied'
}

/** Empty for a row that no bank statement shows individually, such as a card payment, and for a refused payment. */
function formatStatementMatch({ is, method, state, isUnreconciled }: Movement): string {
  const methods: readonly string[] = STATEMENT_METHODS
  if (is !== 'payment' || state === 'refused' || !methods.includes(method)) return ''
  return isUnreconciled ? 'Not found' : 'Found'
}

/** Builds the cell of a computed amount, which a spreadsheet can add up. */
export const buildAmountCell = (amount: Amount | null, currency: Currency): CsvCell =>
  amount === null ? '' : { amount: toMajorUnits(amount, currency), decimals: getDecimals(currency) }

export const MOVEMENT_HEADER: readonly string[] = [
  'Date',
  'Time',
  'Event',
  'Registration',
  'Name',
  'Kind',
  'Counts as',
  'Method',
  'Reference',
  'Amount received',
  'Amount refunded',
  'Currency',
  'Gateway fee with tax (INR)',
  'Invoice or credit note',
  'Recorded on',
  'Bank statement',
]

/** Returns the cells of a payment or refund, in the order of MOVEMENT_HEADER. */
export function buildMovementCells(
  deps: Pick<Deps, 'events'>,
  movement: Movement,
): readonly CsvCell[] {
  const { is, at, recordedAt, eventId, regNo, name, method, reference } = movement
  const { amount, currency, fee, documents } = movement
  return [
    dayOf(at),
    isDayOnly(at) ? '' : formatTime(at),
    getEventTitle(deps, eventId),
    regNo,
    name,
    KINDS[is],
    formatCounts(movement),
    formatMethod(method),
    reference,
    // For a payment that was moved away, only the row of the receiving event states the amount.
    is === 'payment' && movement.isMovedAway !== true ? buildAmountCell(amount, currency) : '',
    is === 'payment' ? '' : buildAmountCell(amount, currency),
    currency,
    buildAmountCell(fee, INR),
    documents.map(({ serial }) => serial).join(', '),
    `${formatDayShort(dayOf(recordedAt))}, ${formatTime(recordedAt)}`,
    formatStatementMatch(movement),
  ]
}
