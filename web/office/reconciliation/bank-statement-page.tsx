/**
 * The reconciliation page: loads a bank statement or settlement report and matches it to an event.
 * Staff review the matches, then confirm them or send them to review in one step.
 */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeEvent, ReconcileAnswer } from '../../../engine/api.ts'
import { toSpreadsheet, callApi, registrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readBulk, readReconciled } from './bank-statement-api-responses.ts'
import { formatRupees } from '../lists/list-table.tsx'
import { KeptSettlements, Report } from './settlements.tsx'
import { WhichColumn } from './column-mapping.tsx'
import '../registration/registration-details-page.css'
import '../discount-codes/discount-codes-page.css'
import '../registration/actions-and-timeline.css'
import './bank-statement-page.css'

type Laid = Extract<ReconcileAnswer, { header: null }>
type Line = Laid['lines'][number]
export function ReconcilePage({ event }: { readonly event: OfficeEvent }) {
  const [file, setFile] = useState<File | null>(null)
  const look = useMutation({
    mutationFn: (given: { readonly file: File; readonly columns: string }) =>
      callApi(
        `/api/admin/reconcile/?event=${encodeURIComponent(event.id)}${given.columns}`,
        readReconciled,
        { method: 'POST', form: toSpreadsheet(given.file) },
      ),
  })
  const refused = useSignInOn401(look.error)
  const { data } = look
  const load = (columns = look.variables?.columns ?? '') => {
    if (file !== null) look.mutate({ file, columns })
  }
  return (
    <main className="main" id="main" aria-busy={look.isPending}>
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
        {refused && <Banner text={refused.message} onDismiss={() => look.reset()} />}
        <form
          className="making"
          onSubmit={(submitted) => {
            submitted.preventDefault()
            load('')
          }}
        >
          <label>
            Statement or settlement (CSV or Excel)
            <input
              type="file"
              accept=".csv,.xlsx,text/csv"
              required
              onChange={({ target }) => {
                look.reset()
                setFile(target.files?.[0] ?? null)
              }}
            />
          </label>
          <button type="submit" className="btn" disabled={look.isPending}>
            Match payments
          </button>
        </form>
        {data !== undefined && 'header' in data && data.header !== null && (
          <WhichColumn header={data.header} onSaid={load} isBusy={look.isPending} />
        )}
      </section>
      {data !== undefined && 'settlement' in data && file !== null && (
        <Report
          key={look.submittedAt}
          event={event}
          settlement={data.settlement}
          file={file}
          columns={look.variables.columns}
        />
      )}
      {data !== undefined && 'header' in data && data.header === null && (
        <Found key={look.submittedAt} event={event} laid={data} again={() => load()} />
      )}
      {data === undefined && <KeptSettlements event={event} />}
    </main>
  )
}

type FoundProps = {
  readonly event: OfficeEvent
  readonly laid: Laid
  readonly again: () => void
}

function Found({ event, laid: { lines, waiting, unread, repeated }, again }: FoundProps) {
  const [ticked, setTicked] = useState<ReadonlySet<number>>(
    () => new Set(lines.filter(({ as }) => as === 'matched').map(({ line }) => line)),
  )
  const [picked, setPicked] = useState<Readonly<Record<number, string>>>({})
  const meant = ({ line, as, of }: Line): string | undefined =>
    as === 'ambiguous' ? picked[line] : of[0]?.reg_no
  const chosen = lines.filter(
    (one) => ticked.has(one.line) && mayConfirm(one) && meant(one) !== undefined,
  )
  const kept = lines.filter((one) => ticked.has(one.line) && one.as === 'unmatched')
  const confirm = useMutation({
    mutationFn: () =>
      callApi('/api/admin/reconcile/confirm/', readBulk, {
        method: 'POST',
        json: {
          event: event.id,
          keep: kept.map(({ reference, also, amount, day, narration }) => ({
            reference,
            also,
            amount,
            day,
            narration,
          })),
          lines: chosen.map((one) => ({
            reg_no: meant(one),
            reference: one.reference,
            also: one.also,
            amount: one.amount,
            day: one.day,
          })),
        },
      }),
  })
  const refused = useSignInOn401(confirm.error)
  const list = event.lists[0]
  const numberOf = (regNo: string) =>
    list === undefined ? regNo : <Link to={registrationUrl(list, regNo)}>{regNo}</Link>
  const tick = (line: number, is: boolean) => {
    const next = new Set(ticked)
    if (is) next.add(line)
    else next.delete(line)
    setTicked(next)
  }
  const isDone = confirm.data !== undefined
  return (
    <>
      {GROUPS.map(([as, title, about]) => {
        const those = lines.filter((one) => one.as === as)
        return (
          those.length > 0 && (
            <section className="pan" key={as} aria-labelledby={`lines-${as}`}>
              <h2 id={`lines-${as}`}>
                {title} ({those.length})
              </h2>
              <p className="mute">{about}</p>
              <ul className="log stmt">
                {those.map((one) => (
                  <li key={one.line}>
                    <span>
                      <b>
                        {one.amount === 0 ? 'Amount not stated' : formatRupees(one.amount, true)}
                      </b>{' '}
                      on {isDay(one.day) ? formatDayShort(one.day) : one.day}
                      <small>{one.narration}</small>
                      {one.why !== null && <small className="care">{one.why}</small>}
                      {one.payout !== null && (
                        <small className={one.payout.net === one.amount ? '' : 'bad'}>
                          Settlement: {formatRupees(one.payout.net, true)} for {one.payout.lines}{' '}
                          {one.payout.lines === 1 ? 'line' : 'lines'}
                          {one.payout.net === one.amount
                            ? ', equal to this amount'
                            : ', not equal to this amount'}
                        </small>
                      )}
                      {one.of.map(({ reg_no: regNo, name, due, reference }) => (
                        <small key={regNo}>
                          {numberOf(regNo)} {name}
                          {due > 0 && `, ${formatRupees(due, true)} due`}
                          {reference !== null && `, reported by delegate: ${reference}`}
                        </small>
                      ))}
                    </span>
                    <span className="r">
                      {one.as === 'ambiguous' && (
                        <label className="pick">
                          <span className="vh">Registration for line {one.line}</span>
                          <select
                            value={picked[one.line] ?? ''}
                            disabled={isDone}
                            onChange={({ target }) => {
                              setPicked({ ...picked, [one.line]: target.value })
                              tick(one.line, target.value !== '')
                            }}
                          >
                            <option value="">None of these</option>
                            {one.of.map(({ reg_no: regNo, name }) => (
                              <option key={regNo} value={regNo}>
                                {name === '' ? regNo : name}
                              </option>
                            ))}
                          </select>
                        </label>
                      )}
                      {(one.as === 'matched' || one.as === 'differs' || one.as === 'unmatched') && (
                        <label className="pick">
                          <input
                            type="checkbox"
                            checked={ticked.has(one.line)}
                            disabled={isDone}
                            onChange={({ target }) => tick(one.line, target.checked)}
                          />
                          <span>
                            {one.as === 'unmatched' ? 'Send to review' : 'Confirm'}
                            <span className="vh"> line {one.line}</span>
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
      {repeated.length > 0 && (
        <p className="care">
          {repeated.length === 1 ? '1 line repeats' : `${repeated.length} lines repeat`} an earlier
          line, counted once:{' '}
          {repeated.map(({ line, first }) => `line ${line} (same as ${first})`).join(', ')}.
        </p>
      )}
      {unread.length > 0 && (
        <p className="mute">
          {unread.length === 1
            ? `Line ${unread.join()} could not be read: its amount, currency or date is unclear. It is not in the list above.`
            : `Lines ${unread.join(', ')} could not be read: their amount, currency or date is unclear. They are not in the list above.`}
        </p>
      )}
      {waiting.length > 0 && (
        <section className="pan" aria-labelledby="statement-waiting">
          <h2 id="statement-waiting">
            Reported by delegate, not in this statement ({waiting.length})
          </h2>
          <ul className="log">
            {waiting.map(({ reg_no: regNo, name, due, reference }) => (
              <li key={regNo}>
                <span>
                  {numberOf(regNo)} {name}
                  <small>
                    {formatRupees(due, true)}, reported by delegate: {reference}
                  </small>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="pan" aria-labelledby="statement-confirm">
        <h2 id="statement-confirm">Confirm</h2>
        {refused && <Banner text={refused.message} onDismiss={() => confirm.reset()} />}
        <p role="status" className="done">
          {confirm.data?.message ?? ''}
        </p>
        {confirm.data !== undefined && confirm.data.refused.length > 0 && (
          <ul className="log">
            {confirm.data.refused.map(({ reg_no: regNo, message }) => (
              <li key={regNo}>
                <span>
                  {numberOf(regNo)}
                  <small className="bad">{message}</small>
                </span>
              </li>
            ))}
          </ul>
        )}
        {isDone ? (
          <button type="button" className="btn line" onClick={again}>
            Refresh
          </button>
        ) : (
          <button
            type="button"
            className="btn"
            disabled={chosen.length + kept.length === 0 || confirm.isPending}
            onClick={() => confirm.mutate()}
          >
            {whatFollows(chosen.length, kept.length)}
          </button>
        )}
      </section>
    </>
  )
}

function whatFollows(confirmed: number, kept: number): string {
  if (confirmed === 0 && kept > 0) return `Send ${kept} to review`
  const payments = `Confirm ${confirmed} ${confirmed === 1 ? 'payment' : 'payments'}`
  return kept === 0 ? payments : `${payments}, send ${kept} to review`
}

const mayConfirm = ({ as }: Line): boolean =>
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
