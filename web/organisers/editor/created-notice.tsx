/** Notice for a newly created event file: lists the example values for organisers who do not read YAML. */
import { useEffect, useRef } from 'react'
import { formatDay } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { getFileName } from './event-file-draft.ts'
import { countFindings, formatNoProblems } from './findings-panel.tsx'
import type { CheckState } from './event-file-draft.ts'

/** Descriptions of the values that a new file gets as examples, by their path in the file. */
const EXAMPLE_LABELS: Readonly<Record<string, string>> = {
  'event.title': 'the name',
  'event.from': 'the first day',
  'event.to': 'the last day',
  'event.venue': 'the venue',
  'event.support': 'the contact address for delegates',
  look: 'the colour of the pages',
  categories: 'the categories',
  'fees.prices': 'the prices',
  'fees.tax': 'how GST is charged',
  'fees.periods': 'the last day of each price',
  'payment.account': 'the payment gateway account that receives card and UPI payments',
  'payment.methods': 'the bank account for transfers',
}

/** States that the file was created. The notice receives focus, because the questions have disappeared. */
export function CreatedNotice({
  path,
  isSaved,
  checkState: { result, event },
}: {
  readonly path: string
  readonly isSaved: boolean
  readonly checkState: CheckState
}) {
  const notice = useRef<HTMLParagraphElement>(null)
  useEffect(() => notice.current?.focus(), [])
  const counts = result === null ? null : countFindings(result.findings)
  const examples = event === null ? [] : describeExamples(event)
  return (
    <div className="org-created">
      <p tabIndex={-1} ref={notice} role="status">
        {isSaved ? (
          `${getFileName(path)} is saved on your computer. Send it to the person who runs your server.`
        ) : (
          <>
            {getFileName(path)} was created.{' '}
            {counts?.problems === 0 && `${formatNoProblems(counts.notes)} `}
            Compare the prices on a few dates with your brochure, then save the file.
          </>
        )}
      </p>
      {examples.length > 0 && (
        <details>
          <summary>
            {examples.length === 1
              ? '1 value is still an example, because you skipped this question or were not asked it'
              : `${examples.length} values are still examples, because you skipped these questions or were not asked them`}
          </summary>
          <ul>
            {examples.map((example) => (
              <li key={example}>{example}</li>
            ))}
          </ul>
          <p>
            They are listed under “demo:” at the top of the file. Until you replace them, the form
            shows “Demo values”, and a production server rejects the file.
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
      return `the answers that delegates can change until ${formatDay(edit.until)}`
    return EXAMPLE_LABELS[path] ?? path
  })
}
