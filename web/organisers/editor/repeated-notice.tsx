/** Lists the changes that were made when a file was copied from a published one. */
import './copy-notice.css'

/** What differs from the copied file, and what the organiser must still check. */
export type Repeated = { readonly changes: readonly string[]; readonly look: readonly string[] }

/** Lists what was changed, after the new file has replaced the copy. */
export function RepeatedNotice({ changes, look }: Repeated) {
  return (
    <details className="org-copy">
      <summary>The new file is made: what was changed, and what to check</summary>
      <ul>
        {[...changes, ...look].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  )
}
