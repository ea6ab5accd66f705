/** Notices about a registration already sent from this tab, with a link to check and pay for it. */
import { formatDay } from '../../engine/index.ts'
import { EVENT_PAGE_MESSAGES } from '../../engine/messages.ts'
import type { Day, PublicEvent } from '../../engine/index.ts'
import { richMessage } from '../ui/rich-message.tsx'
import type { Completed } from './draft-storage.ts'
import './previous-submission-notice.css'

const { answersKept, formCleared, registeredBefore, sent } = EVENT_PAGE_MESSAGES

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
    <section className="sent" aria-label={sent.title}>
      <p>
        {richMessage(sent.explanation, { number: <b>{regNo}</b> })} {edited && sent.edited}
      </p>
      <a className="btn line" href={resultPageOf(event, regNo)}>
        {sent.open}
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
    <section className="sent" aria-label={registeredBefore.title}>
      <p>
        {richMessage(isSame ? registeredBefore.sameEmail : registeredBefore.explanation, {
          day: formatDay(day as Day),
          ending: <b>{ending}</b>,
        })}
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
      {richMessage(cleared ? formCleared : answersKept, {
        button: (text) => (
          <button type="button" className="link" onClick={act}>
            {text}
          </button>
        ),
      })}
    </p>
  )
}
