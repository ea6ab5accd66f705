/** The buttons of a result page, as defined in the event file. */
import { fillKnownPlaceholders } from '../../engine/index.ts'
import { buildReceiptFile, getResultValues } from '../../engine/messages.ts'
import type { Button, PublicEvent } from '../../engine/index.ts'
import { saveBlob } from '../app/api-client.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import type { ResultPageParams, Registration } from './result-page-data.ts'

type ButtonsProps = {
  readonly event: PublicEvent
  readonly buttons: readonly Button[]
  readonly registration: Registration | null
  readonly query: ResultPageParams
  /** Style of the first button: a page has only one primary action. */
  readonly firstStyle?: 'main' | 'line'
}

/** Shows the buttons from the event file. The first is the primary one; a link to the home page is unobtrusive. */
export function ResultButtons({
  event,
  buttons,
  registration,
  query,
  firstStyle = 'main',
}: ButtonsProps) {
  return buttons.map((button, index) => {
    const buttonClass =
      index === 0 && firstStyle === 'main'
        ? 'btn'
        : 'go' in button && button.go === '/' && index > 0
          ? 'btn quiet'
          : 'btn line'
    if ('go' in button)
      return (
        <a key={button.label} className={buttonClass} href={button.go}>
          {button.go !== '/' && <Icon name="again" />}
          {button.label}
        </a>
      )
    if ('mail' in button)
      return (
        <a
          key={button.label}
          className={buttonClass}
          href={buildMailDraftUrl(event, button.mail, registration, query)}
        >
          <Icon name="mail" />
          {button.label}
        </a>
      )
    if (button.do === 'print')
      return (
        <button key={button.label} type="button" className={buttonClass} onClick={() => print()}>
          <Icon name="print" />
          {button.label}
        </button>
      )
    return (
      registration &&
      event.results.receipt && (
        <button
          key={button.label}
          type="button"
          className={buttonClass}
          onClick={() => saveReceipt(event, registration)}
        >
          <Icon name="down" />
          {button.label}
        </button>
      )
    )
  })
}

/** Builds the URL of a mail draft to the event's support address, with the event file's subject. */
function buildMailDraftUrl(
  event: PublicEvent,
  subject: string,
  registration: Registration | null,
  query: ResultPageParams,
): string {
  // Without an order number, the subject is only the event's title.
  const text =
    fillKnownPlaceholders(subject, getResultValues(event, registration, query)) ?? event.title
  return `mailto:${event.support}?subject=${encodeURIComponent(text)}`
}

function saveReceipt(event: PublicEvent, registration: Registration): void {
  const file = buildReceiptFile(event, registration)
  if (file) saveBlob(new Blob([file.text], { type: 'text/plain;charset=utf-8' }), file.file)
}
