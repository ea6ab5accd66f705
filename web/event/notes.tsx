/** What stands below the form: today's fees, and what the organisers have to say. */
import type { PublicEvent, TariffAnswer } from '../../engine/index.ts'
import { Ledger } from '../shared/ledger.tsx'
import { PriceNote, priceOfOption } from './choices.tsx'
import '../styles/notes.css'

/** The organisers' own notes. */
export function Panel({ event }: { readonly event: PublicEvent }) {
  const { panel } = event.form
  if (panel === null) return null
  return (
    <aside className="info" aria-label={panel.title ?? 'Information'}>
      {panel.title !== undefined && <h2>{panel.title}</h2>}
      <ul>
        {panel.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </aside>
  )
}

/**
 * Today's fees of every category, where the form's own choices do not show them: the delegate does not
 * pick the category, or some are on the price list only.
 */
export function PriceList({
  event,
  tariff,
}: {
  readonly event: PublicEvent
  readonly tariff: TariffAnswer | null
}) {
  if (
    event.fees.prices === null ||
    (event.categoryChoice.by === 'field' && !event.categories.some(({ listedOnly }) => listedOnly))
  )
    return null
  const rows = event.categories.map((category) => ({
    id: category.id,
    label: category.label,
    value: tariff === null ? '\u00a0' : (priceOfOption(event, tariff, category) ?? 'Not on sale'),
  }))
  return (
    <section className="info fees" aria-labelledby="fees">
      <h2 id="fees">Registration fees</h2>
      <PriceNote event={event} tariff={tariff} />
      <Ledger rows={rows} money />
    </section>
  )
}
