/** What answers cost where more is sold than a registration, and what is said beside the options that cost something. */
import {
  categoryOf,
  cellOf,
  counts,
  EACH,
  firstFull,
  listedPrice,
  formatMoney,
  formatPrice,
  optionsOf,
  own,
  placesOf,
  quote,
  readInstant,
  sayFull,
  tableOf,
} from '../../../engine/index.ts'
import type {
  Answers,
  Field,
  Item,
  Paise,
  PublicEvent,
  TariffAnswer,
} from '../../../engine/index.ts'
import type { Mark } from '../form/form-context.ts'
import type { Pricing } from './live-price.ts'

/** The bill by the engine's own hand, at the server's clock: the same lines as the server's. */
export const byBill: Pricing = (event, { now }, _category, answers) => {
  const at = readInstant(now)
  if (at === null) return null
  const gone = firstFull(event.limits, answers, categoryOf(event, answers))
  if (gone !== null) return sayFull(event, gone)
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

/** That few places are left, and which category is offered where none is. What stops the bill is said in its place, where there is a bill. */
export function notesOf(
  event: PublicEvent,
  answers: Answers,
  left: Readonly<Record<string, number>>,
): readonly string[] {
  // By the category before another was offered in its place.
  const wanted = categoryOf({ ...event, limits: [] }, answers)
  // Beside an option its own places are said.
  const places = placesOf(event.limits, answers, wanted).filter(({ option }) => option === null)
  const still = firstFull(event.limits, answers, categoryOf(event, answers))
  const gone = places.find(({ id }) => (own(left, id) ?? 1) <= 0)
  if (still !== null) return event.fees.prices === null ? [sayFull(event, still)] : []
  if (gone !== undefined) return [sayFull(event, gone)]
  const few = fewestOf(places, left)
  return few === null ? [] : [few === 1 ? '1 place left' : `${few} places left`]
}

/** How many are left of the place of which there are fewest; null: of none of them it is told. */
function fewestOf(
  places: readonly { readonly id: string }[],
  left: Readonly<Record<string, number>>,
): number | null {
  const told = places.flatMap(({ id }) => own(left, id) ?? [])
  return told.length === 0 ? null : Math.min(...told)
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
    const each = priceOfEach(event, field, tariff.current_period, answers, category)
    if (each !== '') marks.set(field.id, { price: each })
    const items = event.fees.items.filter(({ by }) => by === field.id)
    const limits = event.limits.filter(({ eachOptionOf }) => eachOptionOf === field.id)
    if (items.length + limits.length === 0) continue
    for (const { id } of field.options ?? []) {
      const price = priceOf(event, field, id, tariff.current_period, answers, category)
      marks.set(`${field.id}.${id}`, {
        ...(price !== undefined && { price }),
        ...placesMarkOf(
          placesOf(limits, withOption(field, id, answers), category).filter(
            ({ option }) => option === id,
          ),
          tariff.left ?? {},
        ),
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
  const asked = withOption(field, option, answers)
  const sold = event.fees.items.filter(
    (item) => item.by === field.id && item.amountIn === undefined && counts(item, asked, category),
  )
  if (sold.length === 0 || (category === null && sold.some(({ prices }) => prices.length > 1)))
    return undefined
  const prices = sold.map((item) => {
    const table = tableOf(item, asked, category)
    const cell = table === null || period === null ? null : cellOf(table, option, period)
    if (cell === null) return null
    return cell === 0 ? formatPrice(cell) : timesText(event, item, cell)
  })
  return prices.includes(null) ? null : prices.join(' + ')
}

/** What one of those costs that a number or a list of people counts: "₹ 1,500 each"; empty: nothing of its own, or not known yet. */
function priceOfEach(
  event: PublicEvent,
  field: Field,
  period: string | null,
  answers: Answers,
  category: string | null,
): string {
  const sold = event.fees.items.filter(
    (item) =>
      item.count?.field === field.id && item.by === undefined && counts(item, answers, category),
  )
  if (period === null || (category === null && sold.some(({ prices }) => prices.length > 1)))
    return ''
  return sold
    .flatMap((item) => {
      const table = tableOf(item, answers, category)
      const cell = table === null ? null : cellOf(table, EACH, period)
      if (cell === null) return []
      const price = cell === 0 ? formatPrice(cell) : `${timesText(event, item, cell)} each`
      // Of several, which is meant: children and adults in one list.
      return [sold.length > 1 ? `${item.label} ${price}` : price]
    })
    .join(', ')
}

/** The price of one, and by what it is multiplied: "₹ 2,500 per night", or "× nights" where one has no word. */
function timesText(event: PublicEvent, { times: by, tax }: Item, stated: Paise): string {
  const cell = listedPrice(event, tax, stated)
  const times = event.fields.find(({ id }) => id === by)
  if (times === undefined) return formatMoney(cell)
  return times.unitOne === undefined
    ? `${formatMoney(cell)} × ${times.unit ?? times.label.toLowerCase()}`
    : `${formatMoney(cell)} per ${times.unitOne}`
}

/** The answers with an option chosen, as they are or would be. */
function withOption(field: Field, option: string, answers: Answers): Answers {
  const chosen =
    field.type === 'many' ? [...new Set([...optionsOf(field, answers), option])] : option
  return { ...answers, [field.id]: chosen }
}

function placesMarkOf(
  places: ReturnType<typeof placesOf>,
  left: Readonly<Record<string, number>>,
): Mark {
  const few = fewestOf(places, left)
  const gone = places.find(({ id }) => (own(left, id) ?? 1) <= 0)
  if (gone !== undefined) return { full: gone.limit.full.say }
  return few === null ? {} : { left: `${few} left` }
}
