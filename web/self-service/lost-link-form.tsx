/** The form to request a lost access link. The response does not reveal who is registered. */
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { call } from '../app/api-client.ts'
import { EmailField } from '../ui/forms/email-form.tsx'
import { Icon } from '../ui/icons-and-logo.tsx'
import { readActionMessage } from './self-service-api-responses.ts'
import './self-service.css'

const { lostLink } = SELF_SERVICE_MESSAGES

export function LostLinkForm() {
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [confirmation, setConfirmation] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const requestLink = async (submitEvent: SyntheticEvent<HTMLFormElement>) => {
    submitEvent.preventDefault()
    if (isBusy) return
    setBusy(true)
    setConfirmation(null)
    setProblem(null)
    const email = input.current?.value.trim() ?? ''
    const result = await call('/api/my/', readActionMessage, { method: 'POST', json: { email } })
    setBusy(false)
    if (result.ok) return setConfirmation(result.value)
    setProblem(result.error.message)
    input.current?.focus()
  }
  return (
    <form
      className="email-form"
      aria-label={lostLink.title}
      noValidate
      onSubmit={(submitEvent) => void requestLink(submitEvent)}
    >
      <EmailField id="lost-email" label={lostLink.label} input={input} problem={problem} />
      <button type="submit" className="btn" aria-disabled={isBusy}>
        <Icon name="mail" />
        {lostLink.submit}
      </button>
      <p className={confirmation === null ? 'vh' : 'action-result'} role="status">
        {confirmation !== null && (
          <>
            <Icon name="tick" />
            {confirmation}
          </>
        )}
      </p>
    </form>
  )
}
