/** The registration that this tab has sent: how to see where it stands, and to pay for it without the form. */
import type { PublicEvent } from '../../engine/index.ts'
import '../styles/sent.css'

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
        You have sent this form: your registration is <b>{regNo}</b>.
        {edited && ' Changed answers make a new registration.'}
      </p>
      <a className="btn line" href={resultPageOf(event, regNo)}>
        See its payment or pay now
      </a>
    </section>
  )
}
