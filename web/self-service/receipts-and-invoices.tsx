/** The receipts, invoices and credit notes of a registration, as PDF downloads. */
import { formatMoney, formatDay, dayOf, fromMajorUnits, readInstant } from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { Currency } from '../../engine/index.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import type { PanelProps } from './panel-props.ts'
import './self-service.css'

const { documents: text } = SELF_SERVICE_MESSAGES

export function Documents({ data: { documents }, path }: PanelProps) {
  if (documents.length === 0) return null
  return (
    <section className="self-service-panel" aria-labelledby="my-documents">
      <h2 className="disp" id="my-documents">
        {text.title}
      </h2>
      <ul className="docs">
        {documents.map(({ id, title, serial, at: issuedAt, total, ...document }) => (
          <li key={id}>
            <a className="btn line sm" href={`${path}documents/${id}/`} download>
              <Icon name="down" />
              {title} {serial}
            </a>
            <span className="mute">
              {formatDocument(issuedAt, total, readResponseCurrency(document))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Describes a document: "1 January 2027, ₹ 7,080". Returns an empty string if the time or the amount is invalid. */
function formatDocument(issuedAt: string, total: number, currency: Currency): string {
  const issueTime = readInstant(issuedAt)
  const amount = fromMajorUnits(total, currency)
  return issueTime === null || amount === null
    ? ''
    : formatMessage(text.issued, {
        day: formatDay(dayOf(issueTime)),
        amount: formatMoney(amount, currency),
      })
}
