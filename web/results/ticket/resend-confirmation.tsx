/** The address of the confirmation email, with a button to send it to the same address again. */
import { useState } from 'react'
import { ok } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { call } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { richMessage } from '../../ui/rich-message.tsx'
import type { Registration } from '../result-page-data.ts'

const { ticket } = RESULT_MESSAGES

type Asked =
  | { readonly is: 'no' }
  | { readonly is: 'asking' }
  | { readonly is: 'told'; readonly text: string; readonly isSent: boolean }

export function Mailed({
  event,
  registration,
}: {
  readonly event: PublicEvent
  readonly registration: Registration
}) {
  const [asked, setAsked] = useState<Asked>({ is: 'no' })
  const to = registration[event.roles.email ?? '']
  if (event.sendsMail !== true) return null
  // Identical for every paid registration, so that it reveals nothing about another one.
  const twice = (registration.total ?? 0) > 0 ? ticket.paidTwice : null
  if (typeof to !== 'string' || to === '')
    return twice === null ? null : (
      <div className="mailed">
        <Icon name="mail" />
        <p>
          {ticket.emailed} {twice}
        </p>
      </div>
    )
  const ask = async () => {
    if (asked.is === 'asking') return
    setAsked({ is: 'asking' })
    const answer = await call('/api/payment/confirmation/', () => ok(null), {
      method: 'POST',
      json: { order_id: registration.reg_no, email: to },
    })
    setAsked(
      answer.ok
        ? { is: 'told', isSent: true, text: formatMessage(ticket.resent, { email: to }) }
        : { is: 'told', isSent: false, text: answer.error.message },
    )
  }
  return (
    <div className="mailed">
      <Icon name="mail" />
      <p>
        {richMessage(ticket.emailedTo, { email: <b>{to}</b> })} {twice}{' '}
        {!(asked.is === 'told' && asked.isSent) && (
          <button
            type="button"
            className="link"
            aria-disabled={asked.is === 'asking' || undefined}
            onClick={() => void ask()}
          >
            {ticket.resend}
          </button>
        )}{' '}
        <span role="status">{asked.is === 'told' && asked.text}</span>
      </p>
    </div>
  )
}
