/** What stands in place of a page that cannot be drawn. */
import { unexpectedText } from '../api.ts'
import { Plain } from './plain.tsx'

/** Nothing is known of what was being done, so nothing is said of it. */
export function Broken() {
  return (
    <Plain title={unexpectedText()}>
      <p role="alert">This page could not be shown. Please try loading it again.</p>
      <p className="acts">
        <button type="button" className="btn" onClick={() => location.reload()}>
          Load again
        </button>
        <a className="btn line" href="/">
          Go to Home
        </a>
      </p>
    </Plain>
  )
}
