/** The itemised price of the answers, and the prices and seats beside the options. */
import {
  findCategory,
  tablePrice,
  itemApplies,
  EACH,
  firstFull,
  listedPrice,
  formatMoney,
  formatPrice,
  selectedOptions,
  getOwn,
  requiredSeats,
  quote,
  readInstant,
  fullSeatMessage,
  findTable,
} from '../../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES, formatMessage, pluralForm } from '../../../engine/messages.ts'
import type { Answers, Field, Item, Paise, PublicEvent } from '../../../engine/index.ts'
import type { TariffAnswer } from '../../../engine/api.ts'
import type { Mark } from '../form/form-context.ts'
import type { Pricing } from './live-price.ts'

const { price: priceMessages, seats } = EXTENDED_FORM_MESSAGES

/** The bill, calculated by the engine at the server's time: the same lines as on the server. */
export const byBill: Pricing = (event, { now }, _category, answers) => {
  const at = readInstant(now)
  if (at === null) return null
  const gone = firstFull(event.quotas, answers, findCategory(event, answers))
  if (gone !== null) return fullSeatMessage(event, gone)
  const quoted = quote(event, answers, at)
  if (quoted.ok) return quoted.value
  const { error } = quoted
  if (error.code === 'registration_closed') return error.text
  return error.code === 'not_on_sale' && error.item !== null
    ? formatMessage(priceMessages.notOnSale, {
        item: nameOfSold(event, error.item, error.option),
      })
    : null
}

/** Name of an item in the form's words; for an option, its label. */
function nameOfSold(event: PublicEvent, item: string, option: string | null): string {
  const sold = event.fees.items.find(({ id }) => id === item)
  const field = event.fields.find(({ id }) => id === sold?.by)
  return field?.options?.find(({ id }) => id === option)?.label ?? sold?.label ?? item
}

/**
 * Notes about few remaining seats, and about the category offered instead of a full one. If a full
 * quota prevents the registration, the note appears in place of the bill, if there is one.
 */
export function notesOf(
  event: PublicEvent,
  answers: Answers,
  left: Readonly<Record<string, number>>,
): readonly string[] {
  // The category before another one replaced it.
  const wanted = findCategory({ ...event, quotas: [] }, answers)
  // Seats of an option are shown beside the option.
  const places = requiredSeats(event.quotas, answers, wanted).filter(
    ({ option }) => option === null,
  )
  const still = firstFull(event.quotas, answers, findCategory(event, answers))
  const gone = places.find(({ id }) => (getOwn(left, id) ?? 1) <= 0)
  if (still !== null) return event.fees.prices === null ? [fullSeatMessage(event, still)] : []
  if (gone !== undefined) return [fullSeatMessage(event, gone)]
  const few = fewestOf(places, left)
  return few === null ? [] : [formatMessage(pluralForm(few, seats.leftInAll), { count: few })]
}

/** The smallest number of seats left, or null if the server reported none. */
function fewestOf(
  places: readonly { readonly id: string }[],
  left: Readonly<Record<string, number>>,
): number | null {
  const told = places.flatMap(({ id }) => getOwn(left, id) ?? [])
  return told.length === 0 ? null : Math.min(...told)
}

/** Marks by field and option: today's price with these answers, seats left, or "full". */
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
    const limits = event.quotas.filter(({ eachOptionOf }) => eachOptionOf === field.id)
    if (items.length + limits.length === 0) continue
    for (const { id } of field.options ?? []) {
      const price = priceOf(event, field, id, tariff.current_period, answers, category)
      marks.set(`${field.id}.${id}`, {
        ...(price !== undefined && { price }),
        ...placesMarkOf(
          requiredSeats(limits, withOption(field, id, answers), category).filter(
            ({ option }) => option === id,
          ),
          tariff.left ?? {},
        ),
      })
    }
  }
  return marks
}

/**
 * Price of an option as stated in the event file. Null: not on sale. Undefined: no price of its
 * own, or not known yet.
 */
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
    (item) =>
      item.by === field.id && item.amountIn === undefined && itemApplies(item, asked, category),
  )
  if (sold.length === 0 || (category === null && sold.some(({ prices }) => prices.length > 1)))
    return undefined
  const prices = sold.map((item) => {
    const table = findTable(item, asked, category)
    const cell = table === null || period === null ? null : tablePrice(table, option, period)
    if (cell === null) return null
    return cell === 0 ? formatPrice(cell) : timesText(event, item, cell)
  })
  return prices.includes(null) ? null : prices.join(' + ')
}

/**
 * Price of one unit of a number field or list of people: "₹ 1,500 each". Empty: no price of its
 * own, or not known yet.
 */
function priceOfEach(
  event: PublicEvent,
  field: Field,
  period: string | null,
  answers: Answers,
  category: string | null,
): string {
  const sold = event.fees.items.filter(
    (item) =>
      item.count?.field === field.id &&
      item.by === undefined &&
      itemApplies(item, answers, category),
  )
  if (period === null || (category === null && sold.some(({ prices }) => prices.length > 1)))
    return ''
  return sold
    .flatMap((item) => {
      const table = findTable(item, answers, category)
      const cell = table === null ? null : tablePrice(table, EACH, period)
      if (cell === null) return []
      const price =
        cell === 0
          ? formatPrice(cell)
          : formatMessage(priceMessages.each, { price: timesText(event, item, cell) })
      // If a list has several items, name each, such as children and adults.
      return [
        sold.length > 1
          ? formatMessage(priceMessages.itemPrice, { item: item.label, price })
          : price,
      ]
    })
    .join(', ')
}

/**
 * Unit price with its multiplier: "₹ 2,500 per night", or "× nights" if the field has no singular
 * unit.
 */
function timesText(event: PublicEvent, { times: by, tax }: Item, stated: Paise): string {
  const cell = listedPrice(event, tax, stated)
  const times = event.fields.find(({ id }) => id === by)
  if (times === undefined) return formatMoney(cell)
  return times.unitOne === undefined
    ? formatMessage(priceMessages.timesUnit, {
        price: formatMoney(cell),
        units: times.unit ?? times.label.toLowerCase(),
      })
    : formatMessage(priceMessages.perUnit, { price: formatMoney(cell), unit: times.unitOne })
}

/** The answers with an option selected in addition. */
function withOption(field: Field, option: string, answers: Answers): Answers {
  const chosen =
    field.type === 'many' ? [...new Set([...selectedOptions(field, answers), option])] : option
  return { ...answers, [field.id]: chosen }
}

function placesMarkOf(
  places: ReturnType<typeof requiredSeats>,
  left: Readonly<Record<string, number>>,
): Mark {
  const few = fewestOf(places, left)
  const gone = places.find(({ id }) => (getOwn(left, id) ?? 1) <= 0)
  if (gone !== undefined) return { full: gone.limit.full.message }
  return few === null ? {} : { left: formatMessage(seats.left, { count: few }) }
}
