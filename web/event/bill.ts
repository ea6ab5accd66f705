/** What answers cost where more is sold than a registration, and what is said beside the options that cost something. */
import {
  categoryOf,
  cellOf,
  counts,
  formatMoney,
  formatPrice,
  fullOf,
  holds,
  optionsOf,
  own,
  quote,
  readInstant,
  tableOf,
} from '../../engine/index.ts'
import type { Answers, Field, Limit, PublicEvent, TariffAnswer } from '../../engine/index.ts'
import type { Mark } from './context.ts'
import type { Pricing } from './price.ts'

/** The bill by the engine's own hand, at the server's clock: the same lines as the server's. */
export const byBill: Pricing = (event, { now }, _category, answers) => {
  const at = readInstant(now)
  if (at === null) return null
  const gone = limitsMet(event, answers).find(
    ({ id, full }) => full.offer === undefined && own(answers, fullOf(id)) === true,
  )
  if (gone !== undefined) return gone.full.say
  const quoted = quote(event, answers, at)
  if (quoted.ok) return quoted.value
  const { error } = quoted
  if (error.code === 'registration_closed') return error.text
  return error.code === 'not_on_sale' && error.item !== null
    ? `${nameOfSold(event, error.item, error.option)} is not on sale today`
    : null
}

/** What is sold, as the form calls it: an option by its label. */
function nameOfSold(event: PublicEvent, item: string, option: string | null): string {
  const sold = event.fees.items.find(({ id }) => id === item)
  const field = event.fields.find(({ id }) => id === sold?.by)
  return field?.options?.find(({ id }) => id === option)?.label ?? sold?.label ?? item
}

/** The limits on everybody, or on those for whom a condition holds, that these answers fall under. */
function limitsMet(event: PublicEvent, answers: Answers): readonly Limit[] {
  // By the category before another was offered in its place.
  const category = categoryOf({ ...event, limits: [] }, answers)
  return event.limits.filter(
    ({ eachOptionOf, when }) =>
      eachOptionOf === undefined && (when === undefined || holds(when, answers, category)),
  )
}

/** That few places are left, and which category is offered where none is. */
export function notesOf(
  event: PublicEvent,
  answers: Answers,
  left: Readonly<Record<string, number>>,
): readonly string[] {
  return limitsMet(event, answers).flatMap(({ id, full }) => {
    const places = own(left, id)
    if (places === undefined) return []
    if (places > 0) return [places === 1 ? '1 place left' : `${places} places left`]
    return full.offer === undefined ? [] : [full.say]
  })
}

/** By field and option: what it costs in these answers today, how many places it has left, or that it has none. */
export function marksOf(
  event: PublicEvent,
  tariff: TariffAnswer,
  answers: Answers,
  category: string | null,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  for (const field of event.fields) {
    const items = event.fees.items.filter(({ by }) => by === field.id)
    const limits = event.limits.filter(
      ({ eachOptionOf, when }) =>
        eachOptionOf === field.id && (when === undefined || holds(when, answers, category)),
    )
    if (items.length + limits.length === 0) continue
    for (const { id } of field.options ?? []) {
      const price = priceOf(event, field, id, tariff.current_period, answers, category)
      marks.set(`${field.id}.${id}`, {
        ...(price !== undefined && { price }),
        ...placesOf(limits, id, tariff.left ?? {}),
      })
    }
  }
  return marks
}

/** The price of an option as the event file states it; null: not on sale; undefined: it costs nothing of its own, or cannot be known yet. */
function priceOf(
  event: PublicEvent,
  field: Field,
  option: string,
  period: string | null,
  answers: Answers,
  category: string | null,
): string | null | undefined {
  const chosen =
    field.type === 'many' ? [...new Set([...optionsOf(field, answers), option])] : option
  const asked = { ...answers, [field.id]: chosen }
  const sold = event.fees.items.filter(
    (item) => item.by === field.id && item.amountIn === undefined && counts(item, asked, category),
  )
  if (sold.length === 0 || (category === null && sold.some(({ prices }) => prices.length > 1)))
    return undefined
  const prices = sold.map((item) => {
    const table = tableOf(item, asked, category)
    const cell = table === null || period === null ? null : cellOf(table, option, period)
    if (cell === null) return null
    const times = event.fields.find(({ id }) => id === item.times)
    return cell === 0 || times === undefined
      ? formatPrice(cell)
      : `${formatMoney(cell)} × ${times.unit ?? times.label.toLowerCase()}`
  })
  return prices.includes(null) ? null : prices.join(' + ')
}

function placesOf(
  limits: readonly Limit[],
  option: string,
  left: Readonly<Record<string, number>>,
): Mark {
  for (const { id, full } of limits) {
    const places = own(left, `${id}.${option}`)
    if (places === undefined) continue
    return places <= 0 ? { full: full.say } : { left: `${places} left` }
  }
  return {}
}
