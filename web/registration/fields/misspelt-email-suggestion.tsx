/**
 * The suggestion "Did you mean asha@gmail.com?" for an email domain that looks mistyped. It never
 * blocks the form.
 */
import { useEffect, useState } from 'react'
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'

/**
 * Delay in milliseconds before the suggestion appears. The suggestion moves the content below it, so it must wait
 * until the press that took focus from the field has ended.
 */
const SUGGESTION_DELAY_MS = 300

type EmailSuggestionProps = {
  readonly id: string
  readonly value: unknown
  /** Called with the suggested address if the delegate accepts it. */
  readonly change: (address: string) => void
}

/** Checks the address when the field loses focus. The list of domains is loaded when the first address is checked. */
export function EmailSuggestion({ id, value, change }: EmailSuggestionProps) {
  const [suggestion, setSuggestion] = useState<string | null>(null)
  useEffect(() => {
    setSuggestion(null)
    const field = document.getElementById(id)
    if (field === null || typeof value !== 'string' || !value.includes('@')) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isMounted = true
    const checkAddress = () => {
      timer = setTimeout(() => {
        void import('./misspelt-email-check.ts').then(
          ({ suggestEmailAddress }) => isMounted && setSuggestion(suggestEmailAddress(value)),
          () => {},
        )
      }, SUGGESTION_DELAY_MS)
    }
    field.addEventListener('blur', checkAddress)
    if (document.activeElement !== field) checkAddress()
    return () => {
      isMounted = false
      clearTimeout(timer)
      field.removeEventListener('blur', checkAddress)
    }
  }, [id, value])
  const acceptSuggestion = () => {
    if (suggestion !== null) change(suggestion)
    document.getElementById(id)?.focus()
  }
  return (
    <div className="email-suggestion" role="status">
      {suggestion !== null && (
        <button type="button" className="link" onClick={acceptSuggestion}>
          {formatMessage(FORM_MESSAGES.didYouMean, { email: suggestion })}
        </button>
      )}
    </div>
  )
}
