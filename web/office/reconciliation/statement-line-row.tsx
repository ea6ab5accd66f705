/** One line of a bank statement: the bank's text, the payer, and the possible decisions. */
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { formatDayShort, INR, isDay } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { OfficeEvent, WireProposal, WireStatementLine } from '../../../engine/api.ts'
import { buildRegistrationUrl } from '../office-api-and-urls.ts'
import { formatDateTime } from '../ui/format-date-time.ts'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'
import { FindPayer } from './find-payer.tsx'
import { SplitLine } from './split-line.tsx'
import type { Part } from './split-line.tsx'

export type LineActions = {
  readonly assign: (line: WireStatementLine, parts: readonly Part[]) => void
  readonly decide: (line: WireStatementLine, decision: 'review' | 'not_ours' | 'undone') => void
}
type RowProps = LineActions & {
  readonly line: WireStatementLine
  readonly currency: Currency
  readonly events: readonly OfficeEvent[]
  readonly isBusy: boolean
  /** Why the latest decision on this line was refused. Null if it was not refused. */
  readonly problem: string | null
}

export function StatementLineRow(props: RowProps) {
  const { line, currency, problem } = props
  const { amount, left, day, narration, reference, why } = line
  return (
    <li>
      <div className="bank-line" id={`bank-line-${line.id}`}>
        <b>{formatResponseMoney(amount, currency)}</b>{' '}
        <span className="mute">
          {isDay(day) ? formatDayShort(day) : day} · line {line.line}
        </span>
        <p>
          {narration}
          {reference !== '' && !narration.includes(reference) && <small>{reference}</small>}
        </p>
        {line.state === 'left' && left !== amount && (
          <p className="care">
            {left > 0
              ? `${formatSignedMoney(left, currency)} of this line is not recorded.`
              : `${formatSignedMoney(-left, currency)} more is recorded than this line states.`}
          </p>
        )}
        {line.state === 'left' && why !== null && <small className="care">{why}</small>}
      </div>
      <div className="payer">
        {problem !== null && (
          <p role="alert" className="failed">
            {problem}
          </p>
        )}
        <Payments {...props} />
        {line.state === 'left' && left > 0 && <OpenLine {...props} />}
        {line.decision !== null && line.state !== 'left' && (
          <small className="mute">
            {line.decision.who}, {formatDateTime(line.decision.at)}
          </small>
        )}
        {((line.state === 'not_ours' && line.payments.length === 0) ||
          line.payout?.by_amount === true) && (
          <div className="row-actions">
            <button
              type="button"
              className="btn line sm"
              disabled={props.isBusy}
              onClick={() => props.decide(line, 'undone')}
            >
              {line.state === 'not_ours' ? (
                <>
                  Undo<span className="vh"> “not ours” of line {line.line}</span>
                </>
              ) : (
                <>
                  Not this payout<span className="vh"> in line {line.line}</span>
                </>
              )}
            </button>
          </div>
        )}
      </div>
    </li>
  )
}

const STATE_TEXTS = {
  left: null,
  review: 'Needs review',
  not_ours: 'Not ours',
  other_event: 'Another event',
  assigned: null,
} as const

function Payments({ line, currency, events }: RowProps) {
  const { payments, payout, state } = line
  return (
    <>
      {STATE_TEXTS[state] !== null && <p>{STATE_TEXTS[state]}</p>}
      {payout !== null && (
        <p>
          Gateway payout {payout.utr}: {formatResponseMoney(payout.net, INR)} for {payout.lines}{' '}
          {payout.lines === 1 ? 'line' : 'lines'}
          {payout.by_amount && <small className="mute">Matched by amount and date</small>}
        </p>
      )}
      {payments.map(({ reg_no: regNo, name, event: eventId, amount, refunded }, index) => (
        <p key={index}>
          {regNo === null ? null : (
            <PayerName regNo={regNo} name={name} eventId={eventId ?? ''} events={events} />
          )}{' '}
          {payments.length > 1 && formatResponseMoney(amount, currency)} {refunded && 'Refunded'}
        </p>
      ))}
    </>
  )
}

/** Shows the payer, and the name of the event if there are several events. */
function PayerName({
  regNo,
  name,
  eventId,
  events,
}: {
  readonly regNo: string
  readonly name: string
  readonly eventId: string
  readonly events: readonly OfficeEvent[]
}) {
  const event = events.find(({ id }) => id === eventId)
  const text = name === '' ? regNo : name
  return (
    <>
      {event === undefined ? (
        <b>{text}</b>
      ) : (
        <Link to={buildRegistrationUrl(event, regNo)}>
          <b>{text}</b>
        </Link>
      )}
      {event !== undefined && events.length > 1 && <span className="mute"> {event.title}</span>}
    </>
  )
}

const BASIS_TEXTS = {
  number: 'Registration number in the narration',
  reported_reference: 'Reference reported by the delegate',
  amount_and_name: 'Amount and name',
  amount_and_date: 'Amount and date of the reported payment',
  amount: 'Amount only',
  name: 'Name only',
} as const satisfies Readonly<Record<WireProposal['basis'], string>>

function OpenLine({ line, currency, events, isBusy, assign, decide }: RowProps) {
  const [isSplitting, setSplitting] = useState(false)
  const [takesFocus, setTakesFocus] = useState(false)
  // An exact match is rarely wrong, and showing its other choices would make the list three times as long.
  const [isOpen, setOpen] = useState(!line.is_exact || line.proposals.length === 0)
  const assignTo = (regNo: string) => assign(line, [{ reg_no: regNo, amount: line.left }])
  if (isSplitting)
    return (
      <SplitLine
        line={line}
        currency={currency}
        isBusy={isBusy}
        onAssign={(parts) => assign(line, parts)}
        onCancel={() => {
          setSplitting(false)
          setTakesFocus(true)
        }}
      />
    )
  const isUntouched = line.payments.length === 0
  return (
    <>
      {line.proposals.map(({ reg_no: regNo, name, event, due, basis }, index) => (
        <div className="proposal" key={regNo}>
          <span>
            <PayerName regNo={regNo} name={name} eventId={event} events={events} />
            <small>
              {BASIS_TEXTS[basis]} · {formatResponseMoney(due, currency)} due
              {due !== line.left && '. The amount differs, so the payment will be sent for review.'}
            </small>
          </span>
          <span className="row-actions">
            <button
              type="button"
              className="btn line sm"
              disabled={isBusy}
              aria-describedby={`bank-line-${line.id}`}
              onClick={() => assignTo(regNo)}
            >
              Assign<span className="vh"> to {name === '' ? regNo : name}</span>
            </button>
            {!isOpen && index === line.proposals.length - 1 && (
              <button
                type="button"
                className="btn line sm"
                onClick={() => {
                  setOpen(true)
                  setTakesFocus(true)
                }}
              >
                More options<span className="vh"> for line {line.line}</span>
              </button>
            )}
          </span>
        </div>
      ))}
      {isOpen && (
        <>
          <FindPayer
            label={`Assign line ${line.line} to`}
            isDisabled={isBusy}
            hasFocus={takesFocus}
            onSelect={({ reg_no: regNo }) => assignTo(regNo)}
          />
          <div className="row-actions">
            <button type="button" className="btn line sm" onClick={() => setSplitting(true)}>
              Split<span className="vh"> line {line.line}</span>
            </button>
            {isUntouched && (
              <>
                <button
                  type="button"
                  className="btn line sm"
                  disabled={isBusy}
                  onClick={() => decide(line, 'review')}
                >
                  Send for review<span className="vh"> line {line.line}</span>
                </button>
                <button
                  type="button"
                  className="btn line sm"
                  disabled={isBusy}
                  onClick={() => decide(line, 'not_ours')}
                >
                  Not ours<span className="vh"> line {line.line}</span>
                </button>
              </>
            )}
          </div>
        </>
      )}
    </>
  )
}
