/** The email address form, shown if the number alone does not give access to a registration. */
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { EmailField } from '../ui/forms/email-form.tsx'
import { renderMessage } from '../ui/rich-message.tsx'

const { verifyEmail } = RESULT_MESSAGES

type EmailFormProps = {
  readonly event: PublicEvent
  /** The server's message: why the address is needed, or that it does not match. */
  readonly message: string
  readonly isWrong: boolean
  readonly onSubmit: (email: string) => void
}

export function EmailForm({ event, message, isWrong, onSubmit }: EmailFormProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  const submit = (submitEvent: SyntheticEvent<HTMLFormElement>) => {
    submitEvent.preventDefault()
    const email = input.current?.value.trim() ?? ''
    setMissing(email === '')
    if (email === '') input.current?.focus()
    else onSubmit(email)
  }
  const error = isMissing ? verifyEmail.missing : isWrong ? message : null
  return (
    <section className="fx stacked-form" aria-labelledby="asks">
      <h2 className="disp" id="asks">
        {verifyEmail.title}
      </h2>
      <p className="intro">
        {isWrong ? verifyEmail.reason : message}{' '}
        {renderMessage(verifyEmail.forgotten, {
          support: <a href={`mailto:${event.support}`}>{event.support}</a>,
        })}
      </p>
      <form className="email-form" noValidate onSubmit={submit}>
        <EmailField id="asked-email" label={verifyEmail.label} input={input} problem={error} />
        <button type="submit" className="btn">
          {verifyEmail.submit}
        </button>
      </form>
    </section>
  )
}
