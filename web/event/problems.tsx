/** The list of what needs attention, above a form that could not be sent. */
import { useEffect, useRef } from 'react'
import type { FieldErrors, PublicEvent } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import '../styles/problems.css'

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
  const labels = new Map(event.fields.map((field) => [field.id, field.label]))
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
              href={`#root_${id}`}
              onClick={(click) => {
                click.preventDefault()
                goTo(id)
              }}
            >
              {needsLabel(text) ? `${labels.get(id)}: ${text}` : text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** "Required" alone does not say what; a sentence does. */
const needsLabel = (text: string): boolean => text.split(' ').length < 4

function goTo(id: string): void {
  const control = document.getElementById(`root_${id}`)
  control?.focus({ preventScroll: true })
  const box = control?.closest('.f') ?? control
  box?.scrollIntoView({ block: 'center', behavior: 'instant' })
}
