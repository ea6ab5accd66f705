/**
 * The reconciliation page matches a bank statement or settlement report to the payments of an
 * event.
 * Staff review the matches, then confirm them or send them to review in one step.
 */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeEvent, ReconcileResponse } from '../../../engine/api.ts'
import { toSpreadsheet, callApi, registrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readBulkResult, readReconciliation } from './bank-statement-api-responses.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney } from '../ui/format-amount.ts'
import { SavedSettlements, SettlementReport } from './settlements.tsx'
import { ColumnMapping } from './column-mapping.tsx'
import '../registration/registration-details-page.css'
import { ExchangeRates } from './exchange-rates.tsx'
import '../discount-codes/discount-codes-page.css'
import '../registration/actions-and-timeline.css'
import './bank-statement-page.css'

type MatchResult = Extract<ReconcileResponse, { header: null }>
type Line = MatchResult['lines'][number]
export function ReconciliationPage({ event }: { readonly event: OfficeEvent }) {
  const [file, setFile] = useState<File | null>(null)
  const [currency, setCurrency] = useState(event.currencies?.[0] ?? null)
  const matchMutation = useMutation({
    mutationFn: (upload: { readonly file: File; readonly columns: string }) =>
      callApi(
        `/api/admin/reconcile/?event=${encodeURIComponent(event.id)}${currency === null ? '' : `&statement_currency=${currency}`}${upload.columns}`,
        readReconciliation,
        { method: 'POST', form: toSpreadsheet(upload.file) },
      ),
  })
  const matchError = useSignInOn401(matchMutation.error)
  const { data } = matchMutation
  const matchFile = (columns = matchMutation.variables?.columns ?? '') => {
    if (file !== null) matchMutation.mutate({ file, columns })
  }
  return (
    <main className="main" id="main" aria-busy={matchMutation.isPending}>
      <PageHeading title="Bank statements and settlements">
        <p className="mute">{event.title}</p>
      </PageHeading>
      <section className="pan" aria-labelledby="statement-load">
        <h2 id="statement-load">Upload a bank statement or settlement</h2>
        <p className="mute">
          Upload a CSV or Excel file from your bank (HDFC, SBI, ICICI, Axis, Kotak and others) or
          gateway. Nothing is confirmed or saved until you confirm it. Transfers that the bank
          returned go to review immediately.
        </p>
        {matchError && <Banner text={matchError.message} onDismiss={() => matchMutation.reset()} />}
        <form
          className="making"
          onSubmit={(event) => {
            event.preventDefault()
            matchFile('')
          }}
        >
          <label>
            Statement or settlement (CSV or Excel)
            <input
              type="file"
              accept=".csv,.xlsx,text/csv"
              required
              onChange={({ target }) => {
                matchMutation.reset()
                setFile(target.files?.[0] ?? null)
              }}
            />
          </label>
          {event.currencies !== undefined && (
            <label>
              Currency of the account
              <select
                value={currency ?? ''}
                onChange={({ target }) => {
                  matchMutation.reset()
                  setCurrency(target.value)
                }}
              >
                {event.currencies.map((code) => (
                  <option key={code}>{code}</option>
                ))}
              </select>
            </label>
          )}
          <button type="submit" className="btn" disabled={matchMutation.isPending}>
            Match payments
          </button>
        </form>
        {data !== undefined && 'header' in data && data.header !== null && (
          <ColumnMapping
            headings={data.header}
            onMapped={matchFile}
            isBusy={matchMutation.isPending}
          />
        )}
      </section>
      {data !== undefined && 'settlement' in data && file !== null && (
        <SettlementReport
          key={matchMutation.submittedAt}
          event={event}
          settlement={data.settlement}
          file={file}
          columns={matchMutation.variables.columns}
        />
      )}
      {data !== undefined && 'header' in data && data.header === null && (
        <MatchedLines
          key={matchMutation.submittedAt}
          event={event}
          result={data}
          reload={() => matchFile()}
        />
      )}
      {data === undefined && <SavedSettlements event={event} />}
      {event.rate_currencies !== undefined && (
        <ExchangeRates event={event} currencies={event.rate_currencies} />
      )}
    </main>
  )
}

type MatchedLinesProps = {
  readonly event: OfficeEvent
  readonly result: MatchResult
  readonly reload: () => void
}

function MatchedLines({
  event,
  result: { lines, waiting: unmatchedClaims, unread: unreadLines, repeated: repeatedLines },
  reload,
}: MatchedLinesProps) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(
    () => new Set(lines.filter(({ as }) => as === 'matched').map(({ line }) => line)),
  )
  const [choices, setChoices] = useState<Readonly<Record<number, string>>>({})
  const findRegNo = ({ line, as, of: candidates }: Line): string | undefined =>
    as === 'ambiguous' ? choices[line] : candidates[0]?.reg_no
  const toConfirm = lines.filter(
    (entry) => selected.has(entry.line) && canConfirm(entry) && findRegNo(entry) !== undefined,
  )
  const toReview = lines.filter((entry) => selected.has(entry.line) && entry.as === 'unmatched')
  const confirmMutation = useMutation({
    mutationFn: () =>
      callApi('/api/admin/reconcile/confirm/', readBulkResult, {
        method: 'POST',
        json: {
          event: event.id,
          keep: toReview.map(({ reference, also, amount, currency, day, narration }) => ({
            reference,
            also,
            amount,
            currency,
            day,
            narration,
          })),
          lines: toConfirm.map((entry) => ({
            reg_no: findRegNo(entry),
            reference: entry.reference,
            also: entry.also,
            amount: entry.amount,
            currency: readResponseCurrency(entry),
            day: entry.day,
          })),
        },
      }),
  })
  const confirmError = useSignInOn401(confirmMutation.error)
  const renderRegNo = (regNo: string) => <Link to={registrationUrl(event, regNo)}>{regNo}</Link>
  const setLineSelected = (line: number, isSelected: boolean) => {
    const next = new Set(selected)
    if (isSelected) next.add(line)
    else next.delete(line)
    setSelected(next)
  }
  const isConfirmed = confirmMutation.data !== undefined
  return (
    <>
      {GROUPS.map(([matchKind, title, description]) => {
        const groupLines = lines.filter((entry) => entry.as === matchKind)
        return (
          groupLines.length > 0 && (
            <section className="pan" key={matchKind} aria-labelledby={`lines-${matchKind}`}>
              <h2 id={`lines-${matchKind}`}>
                {title} ({groupLines.length})
              </h2>
              <p className="mute">{description}</p>
              <ul className="log stmt">
                {groupLines.map((entry) => (
                  <li key={entry.line}>
                    <span>
                      <b>
                        {entry.amount === 0
                          ? 'Amount not stated'
                          : formatResponseMoney(entry.amount, readResponseCurrency(entry))}
                      </b>{' '}
                      on {isDay(entry.day) ? formatDayShort(entry.day) : entry.day}
                      <small>{entry.narration}</small>
                      {entry.why !== null && <small className="care">{entry.why}</small>}
                      {entry.payout !== null && (
                        <small className={entry.payout.net === entry.amount ? '' : 'bad'}>
                          Settlement:{' '}
                          {formatResponseMoney(entry.payout.net, readResponseCurrency(entry))} for{' '}
                          {entry.payout.lines} {entry.payout.lines === 1 ? 'line' : 'lines'}
                          {entry.payout.net === entry.amount
                            ? ', equal to this amount'
                            : ', not equal to this amount'}
                        </small>
                      )}
                      {entry.of.map(({ reg_no: regNo, name, due, reference, ...candidate }) => (
                        <small key={regNo}>
                          {renderRegNo(regNo)} {name}
                          {due > 0 &&
                            `, ${formatResponseMoney(due, readResponseCurrency(candidate))} due`}
                          {reference !== null && `, reported by delegate: ${reference}`}
                        </small>
                      ))}
                    </span>
                    <span className="r">
                      {entry.as === 'ambiguous' && (
                        <label className="confirms">
                          <span className="vh">Registration for line {entry.line}</span>
                          <select
                            value={choices[entry.line] ?? ''}
                            disabled={isConfirmed}
                            onChange={({ target }) => {
                              setChoices({ ...choices, [entry.line]: target.value })
                              setLineSelected(entry.line, target.value !== '')
                            }}
                          >
                            <option value="">None of these</option>
                            {entry.of.map(({ reg_no: regNo, name }) => (
                              <option key={regNo} value={regNo}>
                                {name === '' ? regNo : name}
                              </option>
                            ))}
                          </select>
                        </label>
                      )}
                      {(entry.as === 'matched' ||
                        entry.as === 'differs' ||
                        entry.as === 'unmatched') && (
                        <label className="confirms">
                          <input
                            type="checkbox"
                            checked={selected.has(entry.line)}
                            disabled={isConfirmed}
                            onChange={({ target }) => setLineSelected(entry.line, target.checked)}
                          />
                          <span>
                            {entry.as === 'unmatched' ? 'Send to review' : 'Confirm'}
                            <span className="vh"> line {entry.line}</span>
                          </span>
                        </label>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )
        )
      })}
      {lines.length === 0 && <p className="mute">No incoming payments in this file.</p>}
      {repeatedLines.length > 0 && (
        <p className="care">
          {repeatedLines.length === 1 ? '1 line repeats' : `${repeatedLines.length} lines repeat`}{' '}
          an earlier line, counted once:{' '}
          {repeatedLines.map(({ line, first }) => `line ${line} (same as ${first})`).join(', ')}.
        </p>
      )}
      {unreadLines.length > 0 && (
        <p className="mute">
          {unreadLines.length === 1
            ? `Line ${unreadLines.join()} could not be read: its amount, currency or date is unclear. It is not in the list above.`
            : `Lines ${unreadLines.join(', ')} could not be read: their amount, currency or date is unclear. They are not in the list above.`}
        </p>
      )}
      {unmatchedClaims.length > 0 && (
        <section className="pan" aria-labelledby="statement-waiting">
          <h2 id="statement-waiting">
            Reported by delegate, not in this statement ({unmatchedClaims.length})
          </h2>
          <ul className="log">
            {unmatchedClaims.map(({ reg_no: regNo, name, due, reference, ...claim }) => (
              <li key={regNo}>
                <span>
                  {renderRegNo(regNo)} {name}
                  <small>
                    {formatResponseMoney(due, readResponseCurrency(claim))}, reported by delegate:{' '}
                    {reference}
                  </small>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="pan" aria-labelledby="statement-confirm">
        <h2 id="statement-confirm">Confirm</h2>
        {confirmError && (
          <Banner text={confirmError.message} onDismiss={() => confirmMutation.reset()} />
        )}
        <p role="status" className="done">
          {confirmMutation.data?.message ?? ''}
        </p>
        {confirmMutation.data !== undefined && confirmMutation.data.refused.length > 0 && (
          <ul className="log">
            {confirmMutation.data.refused.map(({ reg_no: regNo, message }) => (
              <li key={regNo}>
                <span>
                  {renderRegNo(regNo)}
                  <small className="bad">{message}</small>
                </span>
              </li>
            ))}
          </ul>
        )}
        {isConfirmed ? (
          <button type="button" className="btn line" onClick={reload}>
            Refresh
          </button>
        ) : (
          <button
            type="button"
            className="btn"
            disabled={toConfirm.length + toReview.length === 0 || confirmMutation.isPending}
            onClick={() => confirmMutation.mutate()}
          >
            {confirmLabel(toConfirm.length, toReview.length)}
          </button>
        )}
      </section>
    </>
  )
}

function confirmLabel(confirmCount: number, reviewCount: number): string {
  if (confirmCount === 0 && reviewCount > 0) return `Send ${reviewCount} to review`
  const payments = `Confirm ${confirmCount} ${confirmCount === 1 ? 'payment' : 'payments'}`
  return reviewCount === 0 ? payments : `${payments}, send ${reviewCount} to review`
}

const canConfirm = ({ as }: Line): boolean =>
  as === 'matched' || as === 'differs' || as === 'ambiguous'

const GROUPS = [
  ['matched', 'Matched', 'One registration owes exactly this amount.'],
  [
    'differs',
    'Amount differs',
    'One registration matches, but its balance differs. If you confirm, it goes to review.',
  ],
  [
    'ambiguous',
    'Several possible matches',
    'Choose the registration that this payment is for, or skip the line.',
  ],
  [
    'unmatched',
    'Not matched',
    'No registration of this event matches. Send payments for this conference to review.',
  ],
  [
    'elsewhere',
    'Belongs to another event',
    'Staff of that event decide on it. You cannot confirm it here.',
  ],
  ['payout', 'Gateway payout', 'One transfer for many card payments, listed in a settlement.'],
  [
    'returned',
    'May have been returned by the bank',
    'A withdrawal that names a payment. Recorded payments are listed under Needs review.',
  ],
  ['known', 'Already recorded', 'This payment was recorded before.'],
] as const satisfies readonly (readonly [Line['as'], string, string])[]
