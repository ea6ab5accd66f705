/**
 * The suggestion "Did you mean asha@gmail.com?" for an email domain that looks mistyped. It never
 * blocks the form.
 */
import { useEffect, useState } from 'react'
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'

/**
 * Delay, in milliseconds, before the suggestion appears. It moves the content below it, so it must
 * not appear before the press that left the field has ended.
 */
const PRESS_MS = 300

type MeantProps = {
  readonly id: string
  readonly value: unknown
  /** Called by the field's own element on blur and focus. */
  readonly change: (address: string) => void
}

/** Runs when the field loses focus. The list of domains is loaded with the first address. */
export function Meant({ id, value, change }: MeantProps) {
  const [meant, setMeant] = useState<string | null>(null)
  useEffect(() => {
    setMeant(null)
    const field = document.getElementById(id)
    if (field === null || typeof value !== 'string' || !value.includes('@')) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isHere = true
    const look = () => {
      timer = setTimeout(() => {
        void import('./misspelt-email-check.ts').then(
          ({ suggestMailbox }) => isHere && setMeant(suggestMailbox(value)),
          () => {},
        )
      }, PRESS_MS)
    }
    field.addEventListener('blur', look)
    if (document.activeElement !== field) look()
    return () => {
      isHere = false
      clearTimeout(timer)
      field.removeEventListener('blur', look)
    }
  }, [id, value])
  const take = () => {
    if (meant !== null) change(meant)
    document.getElementById(id)?.focus()
  }
  return (
    <div className="meant" role="status">
      {meant !== null && (
        <button type="button" className="link" onClick={take}>
          {formatMessage(FORM_MESSAGES.didYouMean, { email: meant })}
        </button>
      )}
    </div>
  )
}
