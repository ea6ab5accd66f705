/** The rehearsal of an event file: emails, charges, rejected registrations and closing dates by day, to print and sign. */
import { useState } from 'react'
import type { RehearsalResponse } from '../../../engine/api.ts'
import { call } from '../../app/api-client.ts'
import type { ApiError, Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { getFileName } from './event-file-draft.ts'
import './rehearsal-panel.css'

/** The result of a rehearsal, with the text that was rehearsed. */
export type RehearsalResult = RehearsalResponse & { readonly text: string }

type RehearsalProps = {
  readonly path: string
  readonly text: string
  readonly rehearsal: RehearsalResult | null
  readonly onFinish: (rehearsal: RehearsalResult) => void
}

/** Runs the rehearsal on request only, because it takes the server several seconds. */
export function Rehearsal({ path, text, rehearsal, onFinish }: RehearsalProps) {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const runRehearsal = async () => {
    setRunning(true)
    setError(null)
    const response = await call('/api/admin/served-files/rehearse/', readRehearsal, {
      method: 'POST',
      json: { text },
    })
    setRunning(false)
    if (response.ok) onFinish({ ...response.value, text })
    else setError(response.error)
  }
  return (
    <div className="org-rehearsal">
      <div className="org-rehearsal-start">
        <h2 className="disp">Rehearsal</h2>
        <p>
          The server runs this file from its first day to its last, with a test clock and fictitious
          delegates: some pay, one does not complete the payment, one cancels, one registers at the
          registration desk. It lists every email, charge, rejected registration and closing date.
          No email is sent and no money is transferred.
        </p>
        <div className="org-rehearsal-actions">
          <button
            type="button"
            className="btn sm"
            disabled={isRunning}
            onClick={() => void runRehearsal()}
          >
            {rehearsal === null ? 'Run the rehearsal' : 'Run it again'}
          </button>
          {rehearsal !== null && (
            <button type="button" className="btn line sm" onClick={() => print()}>
              <Icon name="print" small />
              Print
            </button>
          )}
        </div>
        <p role="status">
          {isRunning
            ? 'The rehearsal is running. It takes up to a minute.'
            : rehearsal !== null && rehearsal.text !== text
              ? 'The file has changed since this rehearsal. Run it again.'
              : ''}
        </p>
        {error !== null && (
          <p className="org-problem" role="alert">
            <Icon name="bang" />
            <span>
              {error.status === 401 || error.status === 403 ? (
                <>
                  Only owners with access to all events can run the rehearsal.{' '}
                  <a href="/admin/login" target="_blank" rel="noreferrer">
                    Sign in to the office
                  </a>{' '}
                  in another tab, then run it here again. If you have no account, send the file to
                  the person who runs your server:{' '}
                  <code>rollcall event rehearse {getFileName(path)}</code> prints the same page.
                </>
              ) : (
                error.message
              )}
            </span>
          </p>
        )}
      </div>
      {rehearsal !== null && (
        <article className="org-rehearsed">
          <h2 className="disp">Rehearsal of {rehearsal.title}</h2>
          <p>All times are in Indian Standard Time.</p>
          {rehearsal.days.map(({ day, steps }) => (
            <section key={day}>
              <h3>{day}</h3>
              <ul>
                {steps.map((step, index) => (
                  // Two entries may have the same time and text.
                  // oxlint-disable-next-line react/no-array-index-key -- the list never changes
                  <li key={index}>
                    {step.time === '' ? (
                      step.text
                    ) : (
                      <>
                        <span>{step.time}</span> <span>{step.text}</span>
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </section>
          ))}
          <p className="org-sign">Checked by (name, date, signature)</p>
        </article>
      )}
    </div>
  )
}

const readRehearsal: Reader<RehearsalResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'title') && readArray(body['days'], readDay) !== null
    ? (body as RehearsalResponse)
    : null

const readDay = (value: unknown): object | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'day') &&
  readArray(value['steps'], (step) =>
    isRecord(step) && hasAll(step, 'string', 'time', 'text') ? step : null,
  ) !== null
    ? value
    : null
