/** The panel of findings, and of the results of the file's examples. */
import type { Finding } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import type { CheckResult } from './check-event-file.ts'

/** Formats text between backticks as a quotation from the file. */
const formatQuotations = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

type GoTo = (line: number, column?: number) => void
const severities = {
  error: { tone: 'bad', icon: 'bang' },
  warning: { tone: 'care', icon: 'tri' },
  note: { tone: 'wait', icon: 'info' },
} as const

type FindingsProps = {
  readonly findings: readonly Finding[]
  readonly path: string
  readonly goTo: GoTo
  /** Replaces part of the text; null if the findings belong to an older text. */
  readonly applyFix: ((from: number, to: number, text: string) => void) | null
}

/** Counts the findings that need a change in the file, and the notes. */
export function countFindings(findings: readonly Finding[]): {
  readonly problems: number
  readonly notes: number
} {
  const notes = findings.filter(({ severity }) => severity === 'note').length
  return { problems: findings.length - notes, notes }
}

/** States that a file has no problems, in the same words wherever its findings are counted. */
export const formatNoProblems = (notes: number): string =>
  notes === 0
    ? 'The checker found no problems.'
    : `The checker found no problems, but it has ${notes === 1 ? '1 note' : `${notes} notes`}.`

/** Shows all findings, in the order of the file. */
export function Findings({ findings, path, goTo, applyFix }: FindingsProps) {
  const { problems, notes: noteCount } = countFindings(findings)
  const noProblems = problems === 0 && (
    <p className="org-none">
      <Icon name="tick" />
      {formatNoProblems(noteCount)}
    </p>
  )
  if (findings.length === 0) return noProblems
  const formatLocation = ({ at }: Pick<Finding, 'at'>) =>
    at.path === path ? (
      <button type="button" className="link" onClick={() => goTo(at.start.line, at.start.column)}>
        Line {at.start.line}
      </button>
    ) : (
      <span className="mute">
        {at.path}, line {at.start.line}
      </span>
    )
  return (
    <>
      {noProblems}
      <ol className="org-findings" aria-label="Findings">
        {findings.map((finding, index) => {
          const { code, severity, message, related, notes, help, fix } = finding
          return (
            <li key={`${code} ${finding.at.start.offset} ${index}`}>
              <p className="org-f-head">
                <Badge tone={severities[severity].tone} icon={severities[severity].icon}>
                  {severity}
                </Badge>{' '}
                {formatLocation(finding)} <span className="mute">{code}</span>{' '}
              </p>
              <p className="org-f-text">{formatQuotations(message)}</p>
              {related.map((entry) => (
                <p key={`${entry.at.start.offset} ${entry.message}`}>
                  {formatLocation(entry)}: {formatQuotations(entry.message)}
                </p>
              ))}
              {notes.map((note) => (
                <p key={note} className="mute">
                  {formatQuotations(note)}
                </p>
              ))}
              {help !== undefined && (
                <p>
                  <b>Help:</b> {formatQuotations(help)}
                </p>
              )}
              {fix !== undefined && finding.at.path === path && applyFix !== null && (
                <p>
                  <button
                    type="button"
                    className="btn line sm"
                    onClick={() => applyFix(fix.start, fix.end, fix.text)}
                  >
                    {fix.text === '' ? 'Remove it' : `Change to ${JSON.stringify(fix.text)}`}
                  </button>
                </p>
              )}
            </li>
          )
        })}
      </ol>
    </>
  )
}

/** Shows the file's examples, each with a tick if it passes. */
export function Examples({
  title,
  checkResult,
  goTo,
}: {
  readonly title: string
  readonly checkResult: CheckResult
  readonly goTo: GoTo
}) {
  const { examples } = checkResult
  if (examples.length === 0)
    return (
      <p className="org-none">
        {checkResult.event === null
          ? 'The examples will run as soon as the file can be read.'
          : 'This file has no examples. An example states what a delegate with certain answers pays, and the checker verifies it.'}
      </p>
    )
  return (
    <>
      <h2 className="disp">{title}</h2>
      <ul className="org-examples" aria-label="Examples">
        {examples.map(({ name, failures, reasons }, index) => {
          const line = checkResult.lines.examples[index] ?? null
          return (
            <li key={`${index} ${name}`} className={failures.length === 0 ? 'pass' : 'fail'}>
              <Icon
                name={failures.length === 0 ? 'tick' : 'cross'}
                label={failures.length === 0 ? 'Passes' : 'Fails'}
              />
              <div>
                <p>
                  {name}{' '}
                  {line !== null && (
                    <button type="button" className="link" onClick={() => goTo(line)}>
                      line {line}
                    </button>
                  )}
                </p>
                {failures.map((failure) => (
                  <p key={failure} className="org-failure">
                    {failure}
                  </p>
                ))}
                {failures.length > 0 && <p className="mute">{reasons.join('; ')}</p>}
              </div>
            </li>
          )
        })}
      </ul>
    </>
  )
}
