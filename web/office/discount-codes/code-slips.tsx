/** Printable slips for an event's usable discount codes: one slip per code, to cut out and hand out. */
import { Link } from 'react-router-dom'
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeEvent, WireCode } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { buildDiscountCodesUrl } from '../office-api-and-urls.ts'
import { PageHeading } from '../ui/error-banner-and-heading.tsx'
import './code-slips.css'

/** Returns false for a withdrawn, used-up or expired code, which gets no slip because the form would refuse it. */
const isUsable = ({ uses, uses_max, until, withdrawn_at }: WireCode, today: string): boolean =>
  withdrawn_at === null && uses < uses_max && (until === null || until >= today)

export function CodeSlips({
  event,
  codes,
  kinds,
  today,
}: {
  readonly event: OfficeEvent
  readonly codes: readonly WireCode[]
  readonly kinds: readonly { readonly id: string; readonly label: string }[]
  readonly today: string
}) {
  const usableCodes = codes.filter((code) => isUsable(code, today))
  return (
    <main className="main" id="main">
      <PageHeading title="Code slips">
        <div className="actions">
          <Link className="btn line sm" to={buildDiscountCodesUrl(event)}>
            Back to the codes
          </Link>
          <button type="button" className="btn sm" onClick={() => print()}>
            <Icon name="print" small />
            Print
          </button>
        </div>
      </PageHeading>
      <p className="mute">Codes that can still be used. Cut along the lines.</p>
      {usableCodes.length === 0 && <p>No codes can be used.</p>}
      <ul className="slips" aria-label="Slips">
        {usableCodes.map(({ code, kind, uses, uses_max: usesMax, until }) => (
          <li key={code}>
            <p>{event.title}</p>
            <p>{kinds.find(({ id }) => id === kind)?.label ?? kind}</p>
            <p className="code">{code}</p>
            <p>
              {usesMax - uses === 1
                ? 'For one registration'
                : `For ${usesMax - uses} registrations`}
              {until !== null && isDay(until) && `, valid until ${formatDayShort(until)}`}
            </p>
          </li>
        ))}
      </ul>
    </main>
  )
}
