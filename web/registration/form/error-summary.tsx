/** The error summary above a form that could not be submitted. */
import { useEffect, useRef } from 'react'
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { FieldErrors, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { isShortMessage } from '../../ui/forms/is-short-message.ts'
import { toElementId, getFieldName, getPersonName } from './field-keys.ts'
import './error-summary.css'

/**
 * Receives focus after each failed submission. Each line links to its field, and disappears when the answer is
 * corrected.
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
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    container.current?.focus({ preventScroll: true })
    container.current?.scrollIntoView({ block: 'start', behavior: 'instant' })
  }, [attempts])
  const lines = Object.entries(errors)
  if (lines.length === 0) return null
  return (
    <div
      className="error-summary"
      ref={container}
      tabIndex={-1}
      role="group"
      aria-labelledby="errs-title"
    >
      <h2 id="errs-title">
        <Icon name="bang" />
        {FORM_MESSAGES.errors.title}
      </h2>
      <ul>
        {lines.map(([id, text]) => (
          <li key={id}>
            <a
              href={`#${toElementId(id)}`}
              onClick={(clickEvent) => {
                clickEvent.preventDefault()
                focusField(id)
              }}
            >
              {formatFieldError(event, id, text)}
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
export function useErrorInTitle(hasErrors: boolean): void {
  useEffect(() => {
    if (!hasErrors) return
    const { title } = document
    document.title = formatMessage(FORM_MESSAGES.errors.documentTitle, { title })
    return () => {
      document.title = title
    }
  }, [hasErrors])
}

/** Returns a message with the name of its field. */
export function formatFieldError(event: PublicEvent, id: string, text: string): string {
  const { withField } = FORM_MESSAGES.errors
  if (isShortMessage(text))
    return formatMessage(withField, { field: getFieldName(event, id), error: text })
  // A message about an answer in a list must say which person it is about.
  const personIndex = id.split('.')[1]
  return personIndex === undefined
    ? text
    : formatMessage(withField, { field: getPersonName(Number(personIndex)), error: text })
}

/** Moves the focus to the field that a message is about. */
export function focusField(id: string): void {
  const element = document.getElementById(toElementId(id))
  // For Yes and No, the group has the id; focus the checked radio, or the first one.
  const control =
    element?.querySelector<HTMLElement>('input:checked') ??
    element?.querySelector<HTMLElement>('input, button') ??
    element
  control?.focus({ preventScroll: true })
  const container = control?.closest('.f') ?? control
  container?.scrollIntoView({ block: 'center', behavior: 'instant' })
}
