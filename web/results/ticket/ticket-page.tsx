/** The ticket of a paid registration: its number, and the rows defined in the event file. */
import {
  fillKnownPlaceholders,
  formatMoney,
  fromMajorUnits,
  getLabel,
} from '../../../engine/index.ts'
import {
  formatMessage,
  RESULT_MESSAGES,
  buildResultRows,
  getResultValues,
} from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import type { ResultRow } from '../../../engine/messages.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import type { DetailsRow } from '../../ui/details-list.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { listBillRows } from '../bill-details.tsx'
import { ResultButtons } from '../result-page-buttons.tsx'
import type { ResultPageParams, Registration } from '../result-page-data.ts'
import { ConfirmationAddress } from './resend-confirmation.tsx'
import { GroupedNumber, NumberWithCopyButton } from '../registration-number.tsx'
import { TicketLinks } from './calendar-directions-share-links.tsx'
import './ticket-page.css'
import { getBalanceTitle } from '../unpaid/balance-due-notice.tsx'
import { TicketQrCode } from './ticket-qr-code.tsx'

type TicketProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly query: ResultPageParams
  /** True on the page that an email links to. */
  readonly isSelfService?: boolean
}

/** Rows about money, shown separately from rows about the delegate and the event. */
const MONEY_ROWS = new Set([
  'base',
  'gst',
  'total',
  'amount',
  'payment_date',
  'date',
  'payment_status',
  'order_id',
  'payment_id',
  'period',
  'lines',
])
/** Rows that the bill already contains. */
const BILL_ROWS = new Set(['base', 'gst', 'total', 'lines'])

/** Shows a paid registration as a ticket: the number in large type, then name and amounts. */
export function Ticket({ event, registration, query, isSelfService = false }: TicketProps) {
  const page = event.results.success
  const hasBalance = getBalanceTitle(registration) !== null
  const allRows = buildResultRows(event, 'success', registration, query)
  const name = allRows.find((row) => row.id === event.roles.fullName)
  const rows = allRows.filter((row) => row.id !== 'reg_no' && row.id !== event.roles.fullName)
  const isMoneyRow = (row: ResultRow) => MONEY_ROWS.has(row.id) || isStateRow(row)
  const delegateRows = rows.filter((row) => !isMoneyRow(row))
  const bill = listBillRows(event, registration)
  // If only the registration was sold, the totals are sufficient.
  const isInBill = (row: ResultRow) =>
    bill.length === 0 ? row.id === 'lines' : BILL_ROWS.has(row.id)
  const values = getResultValues(event, registration, query)
  const intro = page.intro === undefined ? null : fillKnownPlaceholders(page.intro, values)
  const notes = page.notes.flatMap((note) => fillKnownPlaceholders(note, values) ?? [])
  return (
    <>
      <article className="ticket" aria-labelledby="confirmed">
        <div className="up">
          <div className="ok">
            {!hasBalance && (
              <svg viewBox="0 0 52 52" fill="none" aria-hidden="true">
                <circle cx="24" cy="28" r="20" stroke="var(--good)" strokeWidth="2" />
                <path
                  className="draw"
                  d="m13 27 10 11L48 7"
                  stroke="var(--good)"
                  strokeWidth="5.5"
                  strokeLinecap="round"
                  strokeLinejoin="round"
                  pathLength="1"
                />
              </svg>
            )}
            <h2 className="disp" id="confirmed">
              {hasBalance ? RESULT_MESSAGES.ticket.titleWithBalance : page.title}
            </h2>
          </div>
          {intro !== null && <p className="intro">{intro}</p>}
          {name && (
            <dl className="who">
              <dt className="vh">{name.label}</dt>
              <dd>{name.value}</dd>
            </dl>
          )}
          <div className="number-and-qr-code">
            <div>
              <NumberWithCopyButton
                event={event}
                number={registration.reg_no}
                label={getLabel(event, 'reg_no')}
              />
            </div>
            <TicketQrCode number={registration.reg_no} />
          </div>
          <TicketLinks event={event} />
        </div>
        <div className="perforation" />
        <div className="dn">
          {delegateRows.length > 0 && (
            <div>
              <h3>{getLabel(event, 'delegate')}</h3>
              <DetailsList rows={delegateRows.map((row) => toDetailsRow(event, row))} />
            </div>
          )}
          <div>
            <h3>{RESULT_MESSAGES.ticket.payment}</h3>
            <DetailsList
              rows={[
                ...bill,
                ...rows
                  .filter((row) => isMoneyRow(row) && !isInBill(row))
                  .map((row) =>
                    hasBalance && isStateRow(row)
                      ? toDetailsRow(
                          event,
                          { ...row, value: RESULT_MESSAGES.ticket.statusWithBalance },
                          'wait',
                        )
                      : toDetailsRow(event, row),
                  ),
              ]}
              hasAmounts
            />
            {listOtherPaymentNotes(registration).map((line) => (
              <p className="other-payment" key={line}>
                {line}
              </p>
            ))}
          </div>
        </div>
      </article>
      <ConfirmationAddress {...{ event, registration, isSelfService }} />
      <div className="actions wide">
        <ResultButtons
          event={event}
          buttons={page.buttons}
          registration={registration}
          query={query}
        />
      </div>
      {notes.length > 0 && (
        <section aria-labelledby="notes">
          <h2 className="disp notes-h" id="notes">
            {page.notesTitle ?? RESULT_MESSAGES.ticket.notes}
          </h2>
          <ul className="notes">
            {notes.map((note) => (
              <li key={note}>
                <Icon name="tick" />
                <span>{note}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** Returns notes about a partial refund and a second payment, neither of which affects the ticket. */
function listOtherPaymentNotes(registration: Registration): readonly string[] {
  const currency = readResponseCurrency(registration)
  const refunded = fromMajorUnits(registration.refunded_amount, currency)
  return [
    ...(refunded !== null && refunded > 0
      ? [
          formatMessage(RESULT_MESSAGES.ticket.refundedPart, {
            amount: formatMoney(refunded, currency),
          }),
        ]
      : []),
    ...(registration.second_payment ? [RESULT_MESSAGES.ticket.secondPayment] : []),
  ]
}

/** Returns true if the row shows the payment state as fixed text from the event file. */
const isStateRow = (row: ResultRow): boolean => row.id.startsWith('text-') && row.label === 'Status'

const STATE_ICONS = { good: 'tick', wait: 'clock', bad: 'cross' } as const

/** Converts a detail to a row: emphasises the total, groups the digits of numbers, and shows a state as a badge. */
export function toDetailsRow(
  event: PublicEvent,
  row: ResultRow,
  tone: keyof typeof STATE_ICONS = 'good',
): DetailsRow {
  if (isStateRow(row))
    return {
      ...row,
      value: (
        <Badge tone={tone} icon={STATE_ICONS[tone]}>
          {row.value}
        </Badge>
      ),
    }
  if (row.id === 'order_id' || row.id === 'reg_no')
    return { ...row, value: <GroupedNumber event={event} number={row.value} /> }
  if (row.id === 'payment_date' || row.id === 'date')
    return { ...row, value: <DateAndTime text={row.value} /> }
  return row.id === 'total' ? { ...row, isTotal: true } : row
}

/** Shows a date and time. The line may break between the two, but not inside either. */
function DateAndTime({ text }: { readonly text: string }) {
  const [day = '', ...time] = text.split(', ')
  return (
    <>
      <span className="nb">
        {day}
        {time.length > 0 && ','}
      </span>
      {time.length > 0 && (
        <>
          {' '}
          <span className="nb">{time.join(', ')}</span>
        </>
      )}
    </>
  )
}
