/** Asking for the link to one's own page: the answer says nothing of who is registered. */
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { call } from '../api.ts'
import { Icon } from '../shared/icons.tsx'
import { readDone } from './answers.ts'
import '../styles/ask-email.css'
import './my.css'

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
    <form className="asks" aria-label="Lost your link?" noValidate onSubmit={(to) => void ask(to)}>
      <label htmlFor="lost-email">The email address you registered with</label>
      <div role="alert">
        {problem !== null && (
          <p className="ferr" id="lost-error">
            <Icon name="bang" small />
            {problem}
          </p>
        )}
      </div>
      <input
        id="lost-email"
        ref={input}
        name="email"
        type="email"
        autoComplete="email"
        aria-required="true"
        aria-invalid={problem !== null}
        {...(problem !== null && { 'aria-describedby': 'lost-error' })}
      />
      <button type="submit" className="btn" aria-disabled={busy}>
        <Icon name="mail" />
        Send me my link
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
