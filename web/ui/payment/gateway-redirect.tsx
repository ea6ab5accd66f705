/** The redirect to the gateway, with a form that is submitted automatically. */
import { useEffect, useRef, useState } from 'react'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import { buildGatewayForm } from '../../../engine/index.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import type { PaymentData } from '../../../engine/api.ts'
import { renderMessage } from '../rich-message.tsx'
import './gateway-redirect.css'

/** The time in milliseconds before a button is shown in case the redirect did not work. */
const REDIRECT_TIMEOUT_MS = 8000

type RedirectProps = {
  readonly event: Pick<PublicEvent, 'payment' | 'cardAccounts'>
  readonly data: PaymentData
  readonly onReturn: () => void
}

/** Renders the hidden form that the gateway expects, and submits it automatically. */
export function GatewayRedirect({ event, data, onReturn }: RedirectProps) {
  const gatewayForm = buildGatewayForm(event, data)
  const form = useRef<HTMLFormElement>(null)
  const isSent = useRef(false)
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const barHeight = document.querySelector<HTMLElement>('.bar')?.offsetHeight ?? 0
    form.current?.style.setProperty('--bar', `${barHeight}px`)
    if (!isSent.current) form.current?.submit()
    isSent.current = true
    const timer = setTimeout(() => setSlow(true), REDIRECT_TIMEOUT_MS)
    return () => clearTimeout(timer)
  }, [])
  useReturnFromGateway(onReturn)
  if (gatewayForm === undefined) return null
  return (
    <form
      ref={form}
      method="post"
      action={gatewayForm.action}
      acceptCharset="utf-8"
      className="redirect-message"
    >
      {Object.entries(gatewayForm.fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {isSlow && (
        <p role="status">
          {renderMessage(COMMON_MESSAGES.payment.notOpened, {
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
 * Calls `onReturn` when the user returns with Back. The browser may restore the page in its last state, but the
 * user must be able to use it again.
 */
export function useReturnFromGateway(onReturn: () => void): void {
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) onReturn()
    }
    addEventListener('pageshow', onPageShow)
    return () => removeEventListener('pageshow', onPageShow)
  }, [onReturn])
}
