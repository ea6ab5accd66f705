/** The toolbar above the editor: file name, check result and buttons. */
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { getFileName } from './event-file-draft.ts'
import type { CheckState } from './event-file-draft.ts'

const pluralise = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? '' : 's'}`

type FileBarProps = {
  readonly path: string
  readonly checkState: CheckState
  readonly isSaved: boolean
  /** Returns to the questions. Null if the file was not created from answers. */
  readonly onChangeAnswers: (() => void) | null
  readonly onStartAgain: () => void
  readonly onSave: () => void
}

/** Shows the name and state of the file, with buttons to save it and to start again. */
export function FileBar({
  path,
  checkState,
  isSaved,
  onChangeAnswers,
  onStartAgain,
  onSave,
}: FileBarProps) {
  const { result, isTimedOut, hasFailed } = checkState
  const countFindings = (severity: string) =>
    result?.findings.filter((finding) => finding.severity === severity).length ?? 0
  const [errorCount, warningCount] = [countFindings('error'), countFindings('warning')]
  const failingCount = result?.examples.filter(({ failures }) => failures.length > 0).length ?? 0
  const passingCount = (result?.examples.length ?? 0) - failingCount
  return (
    <div className="org-bar">
      <p className="org-name">
        <b>{getFileName(path)}</b>
        {!isSaved && <span className="mute"> (not saved)</span>}
      </p>
      <p className="org-state" role="status">
        {result === null && !isTimedOut && !hasFailed && (
          <span className="mute">Reading the file</span>
        )}
        {hasFailed && (
          <Badge tone="care" icon="tri">
            The checker did not start in this browser. Edit and save the file here, and check it in
            another browser.
          </Badge>
        )}
        {isTimedOut && (
          <Badge tone="care" icon="tri">
            This file is taking too long to check
          </Badge>
        )}
        {errorCount > 0 && (
          <Badge tone="bad" icon="bang">
            {pluralise(errorCount, 'error')}
          </Badge>
        )}
        {warningCount > 0 && (
          <Badge tone="care" icon="tri">
            {pluralise(warningCount, 'warning')}
          </Badge>
        )}
        {failingCount > 0 && (
          <Badge
            tone="bad"
            icon="cross"
          >{`${pluralise(failingCount, 'example')} ${failingCount === 1 ? 'fails' : 'fail'}`}</Badge>
        )}
        {passingCount > 0 && (
          <Badge
            tone="good"
            icon="tick"
          >{`${pluralise(passingCount, 'example')} ${passingCount === 1 ? 'passes' : 'pass'}`}</Badge>
        )}
        {isSaved && errorCount > 0 && (
          <span>
            Rollcall does not publish this file until its{' '}
            {errorCount === 1 ? 'error is' : 'errors are'} fixed.
          </span>
        )}
      </p>
      <div className="org-actions">
        {onChangeAnswers !== null && (
          <button type="button" className="btn line sm" onClick={onChangeAnswers}>
            Change the answers
          </button>
        )}
        <button type="button" className="btn line sm" onClick={onStartAgain}>
          Start again
        </button>
        <button type="button" className="btn sm" onClick={onSave}>
          <Icon name="down" />
          Save file
        </button>
      </div>
    </div>
  )
}
