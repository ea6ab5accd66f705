/** Notices about a registration already sent from this tab, with a link to check and pay for it. */
import { formatDay } from '../../engine/index.ts'
import type { Day, PublicEvent } from '../../engine/index.ts'
import type { Completed } from './draft-storage.ts'
import './previous-submission-notice.css'

/** URL of the result page, which shows the state of a registration. Only its number is passed. */
export const resultPageOf = ({ routes }: Pick<PublicEvent, 'routes'>, regNo: string): string =>
  `${routes.success}?orderId=${encodeURIComponent(regNo)}`

export function SentBefore({
  event,
  regNo,
  edited = false,
}: {
  readonly event: PublicEvent
  readonly regNo: string
  /** The answers have changed since they were sent. */
  readonly edited?: boolean
}) {
  return (
    <section className="sent" aria-label="Your registration">
      <p>
        You have already sent this form: your registration is <b>{regNo}</b>.
        {edited && ' If you change your answers, that makes a new registration.'}
      </p>
      <a className="btn line" href={resultPageOf(event, regNo)}>
        Check the payment, or pay now
      </a>
    </section>
  )
}

/**
 * Notice in a browser that has completed a registration before. `isSame`: the email address is the
 * same.
 */
export function RegisteredBefore({
  completed: { day, ending },
  isSame,
}: {
  readonly completed: Completed
  readonly isSame: boolean
}) {
  return (
    <section className="sent" aria-label="Registered before">
      <p>
        You registered on {formatDay(day as Day)}
        {isSame && ' with this email address'} (the number ends in <b>{ending}</b>). Register
        somebody else?
      </p>
    </section>
  )
}

/**
 * Notice that answers were restored, or that the form was cleared. Its button undoes the one or the
 * other.
 */
export function AnswersKept({
  cleared,
  act,
}: {
  readonly cleared: boolean
  readonly act: () => void
}) {
  return (
    <p className="recalled" role="status">
      {cleared ? 'The form is empty again.' : 'We kept your answers.'}{' '}
      <button type="button" className="link" onClick={act}>
        {cleared ? 'Undo' : 'Clear form'}
      </button>
    </p>
  )
}
