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
  readonly changeAnswers: (() => void) | null
  readonly startAgain: () => void
  readonly save: () => void
}

/** Shows the name and state of the file, with buttons to save it and to start again. */
export function FileBar({
  path,
  checkState,
  isSaved,
  changeAnswers,
  startAgain,
  save: saveFile,
}: FileBarProps) {
  const { result, isTimedOut, hasFailed } = checkState
  const countFindings = (severity: string) =>
    result?.findings.filter((finding) => finding.severity === severity).length ?? 0
  const [errors, warnings] = [countFindings('error'), countFindings('warning')]
  const failing = result?.examples.filter(({ failures }) => failures.length > 0).length ?? 0
  const passing = (result?.examples.length ?? 0) - failing
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
            This text takes too long to check
          </Badge>
        )}
        {errors > 0 && (
          <Badge tone="bad" icon="bang">
            {pluralise(errors, 'error')}
          </Badge>
        )}
        {warnings > 0 && (
          <Badge tone="care" icon="tri">
            {pluralise(warnings, 'warning')}
          </Badge>
        )}
        {failing > 0 && (
          <Badge
            tone="bad"
            icon="cross"
          >{`${pluralise(failing, 'example')} ${failing === 1 ? 'fails' : 'fail'}`}</Badge>
        )}
        {passing > 0 && (
          <Badge
            tone="good"
            icon="tick"
          >{`${pluralise(passing, 'example')} ${passing === 1 ? 'passes' : 'pass'}`}</Badge>
        )}
        {isSaved && errors > 0 && (
          <span>
            Rollcall does not publish this file until its {errors === 1 ? 'error is' : 'errors are'}{' '}
            fixed.
          </span>
        )}
      </p>
      <div className="org-acts">
        {changeAnswers !== null && (
          <button type="button" className="btn line sm" onClick={changeAnswers}>
            Change the answers
          </button>
        )}
        <button type="button" className="btn line sm" onClick={startAgain}>
          Start again
        </button>
        <button type="button" className="btn sm" onClick={saveFile}>
          <Icon name="down" />
          Save file
        </button>
      </div>
    </div>
  )
}
