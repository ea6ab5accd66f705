/** The address of the confirmation email, with a button to send it to the same address again. */
import { useState } from 'react'
import { ok } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { call } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
import type { Registration } from '../result-page-data.ts'

const { ticket } = RESULT_MESSAGES

type ResendState =
  | { readonly is: 'idle' }
  | { readonly is: 'sending' }
  | { readonly is: 'done'; readonly text: string; readonly isSent: boolean }

export function ConfirmationAddress({
  event,
  registration,
  isSelfService,
}: {
  readonly event: PublicEvent
  readonly registration: Registration
  /** The page was opened from an email, so the confirmation was sent before. */
  readonly isSelfService: boolean
}) {
  const [resendState, setResendState] = useState<ResendState>({ is: 'idle' })
  const address = registration[event.roles.email ?? '']
  if (event.sendsMail !== true) return null
  // The same for every paid registration, so that it does not reveal whether there is a second one.
  const paidTwiceNote = (registration.total ?? 0) > 0 ? ticket.paidTwice : null
  if (typeof address !== 'string' || address === '')
    return paidTwiceNote === null ? null : (
      <div className="email-notice">
        <Icon name="mail" />
        <p>
          {ticket.emailed} {paidTwiceNote}
        </p>
      </div>
    )
  const resend = async () => {
    if (resendState.is === 'sending') return
    setResendState({ is: 'sending' })
    const response = await call('/api/payment/confirmation/', () => ok(null), {
      method: 'POST',
      json: { order_id: registration.reg_no, email: address },
    })
    setResendState(
      response.ok
        ? { is: 'done', isSent: true, text: formatMessage(ticket.resent, { email: address }) }
        : { is: 'done', isSent: false, text: response.error.message },
    )
  }
  return (
    <div className="email-notice">
      <Icon name="mail" />
      <p>
        {renderMessage(isSelfService ? ticket.emailsGoTo : ticket.emailedTo, {
          email: <b>{address}</b>,
        })}{' '}
        {paidTwiceNote}{' '}
        {!(resendState.is === 'done' && resendState.isSent) && (
          <button
            type="button"
            className="link"
            aria-disabled={resendState.is === 'sending' || undefined}
            onClick={() => void resend()}
          >
            {ticket.resend}
          </button>
        )}{' '}
        <span role="status">{resendState.is === 'done' && resendState.text}</span>
      </p>
    </div>
  )
}
