/** The registration that this tab has sent: how to see where it stands, and to pay for it without the form. */
import { formatDay } from '../../engine/index.ts'
import type { Day, PublicEvent } from '../../engine/index.ts'
import type { Completed } from './draft-storage.ts'
import './previous-submission-notice.css'

/** The page that says how a registration stands; nothing but its number is told to it. */
export const resultPageOf = ({ routes }: Pick<PublicEvent, 'routes'>, regNo: string): string =>
  `${routes.success}?orderId=${encodeURIComponent(regNo)}`

export function SentBefore({
  event,
  regNo,
  edited = false,
}: {
  readonly event: PublicEvent
  readonly regNo: string
  /** The answers are no longer those that were sent. */
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

/** What a browser is told that has completed a registration before. `isSame`: the address is the same now. */
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

/** Answers from before stand in the form, or were just cleared: the one button takes the one or the other back. */
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
