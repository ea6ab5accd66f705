/** Cells of a pasted table that are not prices, with their possible meanings. */
import { Icon } from '../../ui/icons-and-logo.tsx'

type TableNote = {
  readonly text: string
  readonly message: string
  /** The possible meanings of the text, each with a button. The user can also leave the text out. */
  readonly choices: readonly { readonly label: string; readonly onChoose: () => void }[]
  readonly onLeaveOut: () => void
}

export function TableNotes({ notes }: { readonly notes: readonly TableNote[] }) {
  if (notes.length === 0) return null
  return (
    <ul className="org-notes" aria-label="Cells that we could not read as prices">
      {notes.map(({ text, message, choices, onLeaveOut }, index) => (
        <li key={`${index} ${text}`}>
          <p className="org-error">
            <Icon name="bang" />
            {message}
          </p>
          {[...choices, { label: 'Leave out', onChoose: onLeaveOut }].map(({ label, onChoose }) => (
            <button key={label} type="button" className="btn line sm" onClick={onChoose}>
              {label}
              <span className="vh">: {text}</span>
            </button>
          ))}
        </li>
      ))}
    </ul>
  )
}

/** Shows the number of problems of a table, and announces it to screen readers. */
export function ProblemCount({ count }: { readonly count: number }) {
  return (
    <p role="alert" className={count > 0 ? 'org-error' : 'vh'}>
      {count > 0 && `${count} ${count === 1 ? 'question' : 'questions'} about the table`}
    </p>
  )
}
