/** The list of what needs attention, above a form that could not be sent. */
import { useEffect, useRef } from 'react'
import type { FieldErrors, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { saysLittle } from '../../ui/forms/is-short-message.ts'
import { elementOf, nameOf, personName } from './field-keys.ts'
import './error-summary.css'

/** Takes the focus after each failed submit; every line leads to its field. Shrinks as the answers are mended. */
export function ErrorSummary({
  event,
  errors,
  attempts,
}: {
  readonly event: PublicEvent
  readonly errors: FieldErrors
  readonly attempts: number
}) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus({ preventScroll: true })
    box.current?.scrollIntoView({ block: 'start', behavior: 'instant' })
  }, [attempts])
  const lines = Object.entries(errors)
  if (lines.length === 0) return null
  return (
    <div className="errs" ref={box} tabIndex={-1} role="group" aria-labelledby="errs-title">
      <h2 id="errs-title">
        <Icon name="bang" />
        There is a problem
      </h2>
      <ul>
        {lines.map(([id, text]) => (
          <li key={id}>
            <a
              href={`#${elementOf(id)}`}
              onClick={(click) => {
                click.preventDefault()
                goTo(id)
              }}
            >
              {sentenceOf(event, id, text)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

const ERROR = 'Error: '

/** The page's title says first that something is wrong, for as long as something is: it is what a screen reader says first. */
export function useErrorInTitle(isWrong: boolean): void {
  useEffect(() => {
    if (!isWrong) return
    document.title = `${ERROR}${document.title}`
    return () => {
      document.title = document.title.replace(ERROR, '')
    }
  }, [isWrong])
}

/** A message as it is read away from its question. */
export function sentenceOf(event: PublicEvent, id: string, text: string): string {
  if (saysLittle(text)) return `${nameOf(event, id)}: ${text}`
  // Of several people it must be said whom it is about.
  const at = id.split('.')[1]
  return at === undefined ? text : `${personName(Number(at))}: ${text}`
}

/** Takes the focus to what a message is about. */
export function goTo(id: string): void {
  const at = document.getElementById(elementOf(id))
  // Of Yes and No it is the group that has the id; the radio that is checked, or the first, takes the focus.
  const control =
    at?.querySelector<HTMLElement>('input:checked') ??
    at?.querySelector<HTMLElement>('input, button') ??
    at
  control?.focus({ preventScroll: true })
  const box = control?.closest('.f') ?? control
  box?.scrollIntoView({ block: 'center', behavior: 'instant' })
}
