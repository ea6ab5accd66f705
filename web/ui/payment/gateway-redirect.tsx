/** The step to the gateway: the form it expects, sent by itself. */
import { useEffect, useRef, useState } from 'react'
import type { PaymentData, PublicEvent } from '../../../engine/index.ts'
import './gateway-redirect.css'

/** How long the gateway's page may take before we offer the step by hand. */
const PATIENCE_MS = 8000

type HandOffProps = {
  readonly gateway: NonNullable<PublicEvent['payment']>['gateway']
  readonly data: PaymentData
  readonly leftAgain: () => void
}

/**
 * The hidden form the gateway expects, sent by itself. The event's gateway file says which of the
 * server's values go under which name; `merchant_id` there is `mercid` in the server's answer.
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
          The payment page has not opened yet.{' '}
          <button type="submit" className="link">
            Open it now
          </button>
        </p>
      )}
    </form>
  )
}

/** Back from where it led, the browser may show a page just as it was left: it must be usable again. */
export function useReturn(returned: () => void): void {
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) returned()
    }
    addEventListener('pageshow', shown)
    return () => removeEventListener('pageshow', shown)
  }, [returned])
}
