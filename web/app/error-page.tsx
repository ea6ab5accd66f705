/** The error page, shown if a page cannot be rendered. */
import { useEffect } from 'react'
import { COMMON_MESSAGES } from '../../engine/messages.ts'
import { getUnexpectedText } from './api-client.ts'
import { showPlainPage } from './unsupported-browser-page.ts'
import { StandalonePage } from '../ui/layout/standalone-page.tsx'

/**
 * Shows the error. The text does not say what the user was doing, because that is unknown. On a registration form, the
 * fees and the address are shown below it.
 */
export function ErrorPage() {
  useEffect(showPlainPage, [])
  return (
    <StandalonePage title={getUnexpectedText()}>
      <p role="alert">{COMMON_MESSAGES.broken.explanation}</p>
      <p className="actions">
        <button type="button" className="btn" onClick={() => location.reload()}>
          {COMMON_MESSAGES.broken.reload}
        </button>
        <a className="btn line" href="/">
          {COMMON_MESSAGES.home}
        </a>
      </p>
    </StandalonePage>
  )
}
