/** Notices about a registration already sent from this tab, with a link to check and pay for it. */
import { formatDay } from '../../engine/index.ts'
import { EVENT_PAGE_MESSAGES } from '../../engine/messages.ts'
import type { Day, PublicEvent } from '../../engine/index.ts'
import { renderMessage } from '../ui/rich-message.tsx'
import type { CompletedRegistration, compareEmail } from './draft-storage.ts'
import './previous-submission-notice.css'

const { answersKept, formCleared, registeredBefore, sent } = EVENT_PAGE_MESSAGES

/** Returns the URL of the result page of a registration. Only the number is passed. */
export const buildResultPageUrl = (
  { routes }: Pick<PublicEvent, 'routes'>,
  regNo: string,
): string => `${routes.success}?orderId=${encodeURIComponent(regNo)}`

export function SubmittedNotice({
  event,
  regNo,
  isEdited = false,
}: {
  readonly event: PublicEvent
  readonly regNo: string
  /** The answers have changed since they were sent. */
  readonly isEdited?: boolean
}) {
  return (
    <section className="submitted-notice" aria-label={sent.title}>
      <p>
        {renderMessage(sent.explanation, { number: <b>{regNo}</b> })} {isEdited && sent.edited}
      </p>
      <a className="btn line" href={buildResultPageUrl(event, regNo)}>
        {sent.open}
      </a>
    </section>
  )
}

/**
 * Shows that a registration has already been completed in this browser. `sameEmail` is the result of `compareEmail`.
 */
export function AlreadyRegisteredNotice({
  completed: { day, ending: lastDigits },
  sameEmail,
}: {
  readonly completed: CompletedRegistration
  readonly sameEmail: ReturnType<typeof compareEmail>
}) {
  return (
    <section className="submitted-notice" aria-label={registeredBefore.title}>
      <p>
        {renderMessage(registeredBefore[sameEmail ?? 'explanation'], {
          day: formatDay(day as Day),
          ending: <b>{lastDigits}</b>,
          link: (text) => <a href="/my">{text}</a>,
        })}
      </p>
    </section>
  )
}

/** Shows a notice that answers were restored, or that the form was cleared. Its button undoes this. */
export function RestoredAnswersNotice({
  isCleared,
  onUndo,
}: {
  readonly isCleared: boolean
  readonly onUndo: () => void
}) {
  return (
    <p className="restored-notice" role="status">
      {renderMessage(isCleared ? formCleared : answersKept, {
        button: (text) => (
          <button type="button" className="link" onClick={onUndo}>
            {text}
          </button>
        ),
      })}
    </p>
  )
}
