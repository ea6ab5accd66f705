/** An email address field with its error message above it. */
import type { RefObject } from 'react'
import { Icon } from '../icons-and-logo.tsx'
import './email-form.css'

export function EmailField({
  id,
  label,
  input,
  problem,
}: {
  readonly id: string
  readonly label: string
  readonly input: RefObject<HTMLInputElement | null>
  /** Null if there is no error. */
  readonly problem: string | null
}) {
  const errorId = `${id}-error`
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <div role="alert">
        {problem !== null && (
          <p className="field-error" id={errorId}>
            <Icon name="bang" small />
            {problem}
          </p>
        )}
      </div>
      <input
        id={id}
        ref={input}
        name="email"
        type="email"
        autoComplete="email"
        aria-required="true"
        aria-invalid={problem !== null}
        {...(problem !== null && { 'aria-describedby': errorId })}
      />
    </>
  )
}
