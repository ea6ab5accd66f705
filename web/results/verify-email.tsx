/** The email address form, if the number alone is not sufficient to show a registration. */
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import type { PublicEvent } from '../../engine/index.ts'
import { EmailAsked } from '../ui/forms/email-form.tsx'

type AskEmailProps = {
  readonly event: PublicEvent
  /** The server's message: why it asks, or that the address does not match. */
  readonly message: string
  readonly wrong: boolean
  readonly onGive: (email: string) => void
}

export function AskEmail({ event, message, wrong, onGive }: AskEmailProps) {
  const input = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState(false)
  const submit = (sent: SyntheticEvent<HTMLFormElement>) => {
    sent.preventDefault()
    const email = input.current?.value.trim() ?? ''
    setMissing(email === '')
    if (email === '') input.current?.focus()
    else onGive(email)
  }
  const error = missing ? 'Please enter your email address.' : wrong ? message : null
  return (
    <section className="fx asking" aria-labelledby="asks">
      <h2 className="disp" id="asks">
        Your email address
      </h2>
      <p className="intro">
        {wrong ? 'It shows us that this registration is yours.' : message} If you no longer know it,
        write to <a href={`mailto:${event.support}`}>{event.support}</a>.
      </p>
      <form className="asks" noValidate onSubmit={submit}>
        <EmailAsked id="asked-email" label="Email address" input={input} problem={error} />
        <button type="submit" className="btn">
          Show my registration
        </button>
      </form>
    </section>
  )
}
