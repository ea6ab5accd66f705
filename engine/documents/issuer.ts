/** The event and supplier data that documents print. */
import type { EventConfig } from '../event/config.ts'
import type { Invoice } from '../event/invoice-types.ts'
import { fromPairs } from '../lib/result.ts'
import { formatDays } from '../lib/time.ts'
import type { SupplyTerms } from '../pricing/invoice-tax.ts'

/**
 * The event data that documents need. It is stored with the registrations, so that the payment transaction can issue
 * documents.
 */
export type Issuer = {
  readonly event: {
    readonly id: string
    readonly title: string
    readonly days: string
    readonly venue: string
    readonly support: string
    readonly colour: string
  }
  readonly roles: EventConfig['roles']
  readonly tax: { readonly name: string; readonly percent: number } | null
  readonly invoice: Invoice | null
  /**
   * Terms that differ from the event's, keyed by item or adjustment. Absent in data stored by an older
   * version.
   */
  readonly terms?: Readonly<Record<string, Partial<SupplyTerms>>>
  /** The option labels of the field that asks for the buyer's state. */
  readonly states: Readonly<Record<string, string>>
  /** The labels of the fields about the buyer. Absent in data stored by an older version. */
  readonly labels?: Readonly<Record<string, string>>
}

export function buildIssuer(config: EventConfig): Issuer {
  const { id, title, from, to, venue, support, look, roles, fees, invoice } = config
  const buyerFields: readonly string[] = Object.values(invoice?.buyer ?? {})
  const field = config.fields.find((field) => field.id === invoice?.buyer.state)
  return {
    event: { id, title, days: formatDays(from, to), venue, support, colour: look.colour },
    roles,
    tax: fees.tax === null ? null : { name: fees.tax.name, percent: fees.tax.percent },
    invoice,
    terms: collectTerms(config),
    states: Object.fromEntries((field?.options ?? []).map((entry) => [entry.id, entry.label])),
    labels: Object.fromEntries(
      config.fields
        .filter(({ id }) => buyerFields.includes(id))
        .map(({ id, label }) => [id, label]),
    ),
  }
}

function collectTerms({ fees }: EventConfig): NonNullable<Issuer['terms']> {
  return fromPairs(
    fees.items.flatMap(({ id, sac, placeOfSupply: site }) =>
      sac === undefined && site === undefined
        ? []
        : [
            [
              id,
              { ...(sac === undefined ? {} : { sac }), ...(site === undefined ? {} : { site }) },
            ] as const,
          ],
    ),
  )
}
