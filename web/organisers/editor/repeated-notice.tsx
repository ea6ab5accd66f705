/** Notice of the changes made to a file that was copied from a published one. */
import './copy-notice.css'

/** The changes made to the copied file, and the points that the organiser must check. */
export type CopyReport = { readonly changes: readonly string[]; readonly checks: readonly string[] }

/** Lists the changes and the points to check, after the new file has replaced the copy. */
export function CopiedNotice({ changes, checks }: CopyReport) {
  return (
    <details className="org-copy">
      <summary>New file created: see what was changed, and what to check</summary>
      <ul>
        {[...changes, ...checks].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  )
}
