/** The redirect to the gateway, by a form that submits itself. */
import { useEffect, useRef, useState } from 'react'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import type { PaymentData } from '../../../engine/api.ts'
import { richMessage } from '../rich-message.tsx'
import './gateway-redirect.css'

/** Time in milliseconds before a manual button is offered. */
const PATIENCE_MS = 8000

type HandOffProps = {
  readonly gateway: NonNullable<PublicEvent['payment']>['gateway']
  readonly data: PaymentData
  readonly leftAgain: () => void
}

/**
 * The hidden form that the gateway expects; submits itself. The event's gateway file maps the
 * server's values to the form's names; `merchant_id` there is `mercid` in the server's answer.
 */
export function HandOff({ gateway, data, leftAgain }: HandOffProps) {
  const form = useRef<HTMLFormElement>(null)
  const sent = useRef(false)
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const bar = document.querySelector<HTMLElement>('.bar')?.offsetHeight ?? 0
    form.current?.style.setProperty('--bar', `${bar}px`)
    if (!sent.current) form.current?.submit()
    sent.current = true
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  useReturn(leftAgain)
  const fields = {
    ...Object.fromEntries(
      Object.entries(gateway.posts).map(([name, from]) => [
        name,
        data[from === 'merchant_id' ? 'mercid' : from] ?? '',
      ]),
    ),
    ...gateway.constants,
  }
  return (
    <form
      ref={form}
      method="post"
      action={data[gateway.postsTo]}
      acceptCharset="utf-8"
      className="handoff"
    >
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {slow && (
        <p role="status">
          {richMessage(COMMON_MESSAGES.payment.notOpened, {
            button: (text) => (
              <button type="submit" className="link">
                {text}
              </button>
            ),
          })}
        </p>
      )}
    </form>
  )
}

/**
 * Called when the user returns with Back: the browser may restore the page as it was left, and it
 * must be usable again.
 */
export function useReturn(returned: () => void): void {
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) returned()
    }
    addEventListener('pageshow', shown)
    return () => removeEventListener('pageshow', shown)
  }, [returned])
}
