/** "Did you mean asha@gmail.com?", above an email address whose domain looks like a slip. It never stands in the way. */
import { useEffect, useState } from 'react'

/** A line that appears moves what is below it: not before the press that left the field has landed. Milliseconds. */
const PRESS_MS = 300

type MeantProps = {
  readonly id: string
  readonly value: unknown
  /** Told of leaving and coming back by the field's own element. */
  readonly change: (address: string) => void
}

/** Asked when the field is left; the list of domains is loaded with the first address. */
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
        void import('./email-typo-check.ts').then(
          ({ mailboxMeant }) => isHere && setMeant(mailboxMeant(value)),
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
          Did you mean {meant}?
        </button>
      )}
    </div>
  )
}
