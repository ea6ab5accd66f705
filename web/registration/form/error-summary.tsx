/** The error summary above a form that could not be submitted. */
import { useEffect, useRef } from 'react'
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { FieldErrors, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { saysLittle } from '../../ui/forms/is-short-message.ts'
import { elementOf, nameOf, personName } from './field-keys.ts'
import './error-summary.css'

/**
 * Takes the focus after each failed submit; each line links to its field. Lines disappear as
 * answers are corrected.
 */
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
        {FORM_MESSAGES.errors.title}
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

/**
 * Prefixes the page title while the form has errors, because screen readers announce the title
 * first.
 */
export function useErrorInTitle(isWrong: boolean): void {
  useEffect(() => {
    if (!isWrong) return
    const { title } = document
    document.title = formatMessage(FORM_MESSAGES.errors.documentTitle, { title })
    return () => {
      document.title = title
    }
  }, [isWrong])
}

/** A message as shown away from its field. */
export function sentenceOf(event: PublicEvent, id: string, text: string): string {
  const { withField } = FORM_MESSAGES.errors
  if (saysLittle(text)) return formatMessage(withField, { field: nameOf(event, id), error: text })
  // In a list, the message must name the person it is about.
  const at = id.split('.')[1]
  return at === undefined
    ? text
    : formatMessage(withField, { field: personName(Number(at)), error: text })
}

/** Moves the focus to the field that a message is about. */
export function goTo(id: string): void {
  const at = document.getElementById(elementOf(id))
  // For Yes and No, the group has the id; focus the checked radio, or the first one.
  const control =
    at?.querySelector<HTMLElement>('input:checked') ??
    at?.querySelector<HTMLElement>('input, button') ??
    at
  control?.focus({ preventScroll: true })
  const box = control?.closest('.f') ?? control
  box?.scrollIntoView({ block: 'center', behavior: 'instant' })
}
