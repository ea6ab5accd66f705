/** The form to request a lost access link. The answer does not reveal who is registered. */
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { call } from '../app/api-client.ts'
import { EmailAsked } from '../ui/forms/email-form.tsx'
import { Icon } from '../ui/icons-and-logo.tsx'
import { readDone } from './self-service-api-responses.ts'
import './self-service.css'

const { lostLink } = SELF_SERVICE_MESSAGES

export function LostLink() {
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const ask = async (submitted: SyntheticEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    if (busy) return
    setBusy(true)
    setSent(null)
    setProblem(null)
    const email = input.current?.value.trim() ?? ''
    const answer = await call('/api/my/', readDone, { method: 'POST', json: { email } })
    setBusy(false)
    if (answer.ok) return setSent(answer.value)
    setProblem(answer.error.message)
    input.current?.focus()
  }
  return (
    <form className="asks" aria-label={lostLink.title} noValidate onSubmit={(to) => void ask(to)}>
      <EmailAsked id="lost-email" label={lostLink.label} input={input} problem={problem} />
      <button type="submit" className="btn" aria-disabled={busy}>
        <Icon name="mail" />
        {lostLink.submit}
      </button>
      <p className={sent === null ? 'vh' : 'mydone'} role="status">
        {sent !== null && (
          <>
            <Icon name="tick" />
            {sent}
          </>
        )}
      </p>
    </form>
  )
}
