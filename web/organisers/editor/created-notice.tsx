/** What a file that was just created still needs, in words for an organiser who does not read YAML. */
import { useEffect, useRef } from 'react'
import { formatDay } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { fileName } from './event-file-draft.ts'
import type { CheckState } from './event-file-draft.ts'

/** By their path in the file: the values that a new file gets as examples. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'event.title': 'the name',
  'event.from': 'the first day',
  'event.to': 'the last day',
  'event.venue': 'the venue',
  'event.support': 'the address that delegates write to',
  look: 'the colour of the pages',
  categories: 'the categories',
  'fees.prices': 'the prices',
  'fees.tax': 'how GST is charged',
  'fees.periods': 'the days until which each price applies',
  'payment.account': 'the account at the payment gateway, to which delegates pay by card or UPI',
  'payment.methods': 'the bank account to which delegates transfer',
  email: 'the text of the confirmation email',
}

/** Says that the file is created, and receives the focus: the questions before it are gone. */
export function CreatedNotice({
  path,
  checking: { checked, event },
}: {
  readonly path: string
  readonly checking: CheckState
}) {
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => text.current?.focus(), [])
  const problems = checked?.findings.filter(({ severity }) => severity !== 'note').length ?? null
  const examples = event === null ? [] : describeExamples(event)
  return (
    <div className="org-created">
      <p tabIndex={-1} ref={text}>
        {fileName(path)} is created. {problems === 0 && 'The checker found no problems. '}
        Compare the prices on a few days with your brochure, then save the file.
      </p>
      {examples.length > 0 && (
        <details>
          <summary>
            {examples.length === 1
              ? '1 thing was not asked or answered, and is still an example'
              : `${examples.length} things were not asked or answered, and are still examples`}
          </summary>
          <ul>
            {examples.map((example) => (
              <li key={example}>{example}</li>
            ))}
          </ul>
          <p>
            They are listed under demo: at the top of the file. The form says “Demo values” until
            they are replaced, and a production server does not take the file before.
          </p>
        </details>
      )}
    </div>
  )
}

function describeExamples(event: EventConfig): readonly string[] {
  const { cancellation, edit } = event
  return event.demo.map((path) => {
    if (path === 'cancellation' && cancellation !== null)
      return `the refund of a cancellation: ${cancellation.steps
        .map(({ until, percent }) => `${percent}% until ${formatDay(until)}`)
        .join(', ')}, nothing after that`
    if (path === 'edit' && edit !== null)
      return `what delegates can change themselves, until ${formatDay(edit.until)}`
    return EXAMPLES[path] ?? path
  })
}
