/** The itemised price of the answers, and the prices and seats next to the options. */
import {
  getCurrency,
  dayOf,
  findCategory,
  findItemPeriodOn,
  getTablePrice,
  itemApplies,
  EACH_ROW,
  findFirstFull,
  getListedItemPrice,
  formatMoney,
  formatPrice,
  listSelectedOptions,
  getOwn,
  listPricesOfOtherMethods,
  listRequiredSeats,
  quote,
  readInstant,
  buildFullSeatMessage,
  findTable,
} from '../../../engine/index.ts'
import {
  EXTENDED_FORM_MESSAGES,
  formatMessage,
  selectPluralForm,
} from '../../../engine/messages.ts'
import type {
  Answers,
  Currency,
  Field,
  Item,
  Amount,
  PublicEvent,
  Quote,
  SeatPool,
} from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import type { OptionStatus } from '../form/form-context.ts'
import type { Pricing } from './live-price.ts'

const { price: priceMessages, seats } = EXTENDED_FORM_MESSAGES

/**
 * Calculates the bill with the engine at the server's time, so that it has the same lines as on the
 * server.
 */
export const calculatePriceByBill: Pricing = (event, { now, left = {} }, _category, answers) => {
  const time = readInstant(now)
  if (time === null) return null
  const fullQuota = findFirstFull(event.quotas, answers, findCategory(event, answers), left)
  if (fullQuota !== null) return buildFullSeatMessage(event, fullQuota, getOwn(left, fullQuota.id))
  const quoteResult = quote(event, answers, time)
  if (quoteResult.ok) return quoteResult.value
  const { error } = quoteResult
  if (error.code === 'registration_closed') return error.text
  return error.code === 'not_on_sale' && error.item !== null
    ? formatMessage(priceMessages.notOnSale, {
        item: getItemName(event, error.item, error.option),
      })
    : null
}

/** Returns the name of an item as the form shows it: for an option, its label. */
export function getItemName(event: PublicEvent, item: string, option: string | null): string {
  const soldItem = event.fees.items.find(({ id }) => id === item)
  const field = event.fields.find(({ id }) => id === soldItem?.by)
  return field?.options?.find(({ id }) => id === option)?.label ?? soldItem?.label ?? item
}

/**
 * States the price of the same answers with the other payment methods: "Card: ₹ 7,292.40, including Card charge ₹
 * 212.40".
 */
export function listMethodNotes(
  event: PublicEvent,
  answers: Answers,
  chosenQuote: Quote,
  now: string | undefined,
): readonly string[] {
  const time = now === undefined ? null : readInstant(now)
  if (time === null) return []
  return listPricesOfOtherMethods(event, answers, chosenQuote, time).map(
    ({ method, quote: otherQuote, extra }) => {
      const total = formatPrice(otherQuote.total, otherQuote.currency)
      const lines = extra
        .map((line) => `${line.label} ${formatMoney(line.total, otherQuote.currency)}`)
        .join(', ')
      return lines === ''
        ? formatMessage(priceMessages.byMethod, { method: method.label, total })
        : formatMessage(priceMessages.byMethodWith, { method: method.label, total, lines })
    },
  )
}

/**
 * Returns notes about few remaining seats, and about the category offered instead of a full one. If a full quota
 * prevents the registration, its message is shown in place of the bill, and as a note only if the event has no
 * prices.
 */
export function listPriceNotes(
  event: PublicEvent,
  answers: Answers,
  left: Readonly<Record<string, number>>,
): readonly string[] {
  // The requested category, which an offered one may have replaced.
  const requestedCategory = findCategory({ ...event, quotas: [] }, answers)
  // Seats of an option are shown next to the option.
  const seatQuotas = listRequiredSeats(event.quotas, answers, requestedCategory).filter(
    ({ option }) => option === null,
  )
  const fullQuota = findFirstFull(event.quotas, answers, findCategory(event, answers), left)
  const insufficientQuota = seatQuotas.find(
    ({ id, quantity }) => (getOwn(left, id) ?? quantity) < quantity,
  )
  const getSeatMessage = (seats: SeatPool): string =>
    buildFullSeatMessage(event, seats, getOwn(left, seats.id))
  if (fullQuota !== null) return event.fees.prices === null ? [getSeatMessage(fullQuota)] : []
  if (insufficientQuota !== undefined) return [getSeatMessage(insufficientQuota)]
  // For a quota that counts people or tickets, the server always reports the seats left. The form
  // shows them only if few are left.
  const seatsLeft = findFewestSeatsLeft(
    seatQuotas.filter(({ id, quota: { count, few = 0 } }) => {
      return count === undefined || (getOwn(left, id) ?? Infinity) <= few
    }),
    left,
  )
  return seatsLeft === null
    ? []
    : [formatMessage(selectPluralForm(seatsLeft, seats.leftInAll), { count: seatsLeft })]
}

/** Returns the smallest number of seats left. Null if the server reported no numbers. */
function findFewestSeatsLeft(
  seatQuotas: readonly { readonly id: string }[],
  left: Readonly<Record<string, number>>,
): number | null {
  const reportedCounts = seatQuotas.flatMap(({ id }) => getOwn(left, id) ?? [])
  return reportedCounts.length === 0 ? null : Math.min(...reportedCounts)
}

/** Builds the statuses by field and option: today's price with these answers, seats left, or "full". */
export function buildOptionStatuses(
  event: PublicEvent,
  tariff: TariffResponse,
  answers: Answers,
  category: string | null,
): ReadonlyMap<string, OptionStatus> {
  const statuses = new Map<string, OptionStatus>()
  const time = readInstant(tariff.now)
  const today = time === null ? null : dayOf(time)
  const priceLookup: PriceLookup = {
    findPeriod: (item) =>
      tariff.current_period === null || today === null
        ? tariff.current_period
        : findItemPeriodOn(event.fees, item, category, tariff.current_period, today),
    getListedPrice: (item, price) =>
      today === null ? price : getListedItemPrice(event, item, price, answers, category, today),
  }
  for (const field of event.fields) {
    const unitPrice = formatUnitPrice(event, field, priceLookup, answers, category)
    if (unitPrice !== '') statuses.set(field.id, { price: unitPrice })
    const items = event.fees.items.filter(({ by }) => by === field.id)
    const fieldQuotas = event.quotas.filter(({ eachOptionOf }) => eachOptionOf === field.id)
    if (items.length + fieldQuotas.length === 0) continue
    for (const { id } of field.options ?? []) {
      const price = formatOptionPrice(event, field, id, priceLookup, answers, category)
      statuses.set(`${field.id}.${id}`, {
        ...(price !== undefined && { price }),
        ...describeSeats(
          listRequiredSeats(fieldQuotas, selectOption(field, id, answers), category).filter(
            ({ option }) => option === id,
          ),
          tariff.left ?? {},
        ),
      })
    }
  }
  return statuses
}

/** Finds the current period of an item, and its prices as shown in lists. */
type PriceLookup = {
  readonly findPeriod: (item: Item) => string | null
  readonly getListedPrice: (item: Item, price: Amount) => Amount
}

/**
 * Returns the price of an option as stated in the event file. Null if not on sale. Undefined if it
 * has no price of its own, or if the price is not known yet.
 */
function formatOptionPrice(
  event: PublicEvent,
  field: Field,
  option: string,
  priceLookup: PriceLookup,
  answers: Answers,
  category: string | null,
): string | null | undefined {
  const answersWithOption = selectOption(field, option, answers)
  const fieldItems = event.fees.items.filter(
    (item) =>
      item.by === field.id &&
      item.amountIn === undefined &&
      itemApplies(item, answersWithOption, category),
  )
  if (
    fieldItems.length === 0 ||
    (category === null && fieldItems.some(({ prices }) => prices.length > 1))
  )
    return undefined
  const currency = getCurrency(event, category)
  const prices = fieldItems.map((item) => {
    const table = findTable(item, answersWithOption, category)
    const period = priceLookup.findPeriod(item)
    const cellPrice =
      table === null || period === null ? null : getTablePrice(table, option, period)
    if (cellPrice === null) return null
    return formatPriceWithMultiplier(
      event,
      item,
      cellPrice,
      priceLookup.getListedPrice(item, cellPrice),
      currency,
    )
  })
  return prices.includes(null) ? null : prices.join(' + ')
}

/**
 * Returns the price of one unit of a number field or list of people: "₹ 1,500 each". Empty if it has
 * no price of its own, or if the price is not known yet.
 */
function formatUnitPrice(
  event: PublicEvent,
  field: Field,
  priceLookup: PriceLookup,
  answers: Answers,
  category: string | null,
): string {
  const fieldItems = event.fees.items.filter(
    (item) =>
      item.count?.field === field.id &&
      item.by === undefined &&
      itemApplies(item, answers, category),
  )
  if (category === null && fieldItems.some(({ prices }) => prices.length > 1)) return ''
  const currency = getCurrency(event, category)
  return fieldItems
    .flatMap((item) => {
      const table = findTable(item, answers, category)
      const period = priceLookup.findPeriod(item)
      const cellPrice =
        table === null || period === null ? null : getTablePrice(table, EACH_ROW, period)
      if (cellPrice === null) return []
      const unitPrice = formatPriceWithMultiplier(
        event,
        item,
        cellPrice,
        priceLookup.getListedPrice(item, cellPrice),
        currency,
      )
      const price =
        cellPrice === 0 ? unitPrice : formatMessage(priceMessages.each, { price: unitPrice })
      // If a list has several items, such as children and adults, the text includes their names.
      return [
        fieldItems.length > 1
          ? formatMessage(priceMessages.itemPrice, { item: item.label, price })
          : price,
      ]
    })
    .join('; ')
}

/**
 * Formats a unit price with its multiplier: "₹ 2,500 per night", or "× nights" if the field has no singular unit;
 * "Free" if it is zero.
 */
function formatPriceWithMultiplier(
  event: PublicEvent,
  { times: multiplierId }: Item,
  statedPrice: Amount,
  listedPrice: Amount,
  currency: Currency,
): string {
  if (statedPrice === 0) return formatPrice(statedPrice, currency)
  const price = formatMoney(listedPrice, currency)
  const multiplierField = event.fields.find(({ id }) => id === multiplierId)
  if (multiplierField === undefined) return price
  return multiplierField.unitOne === undefined
    ? formatMessage(priceMessages.timesUnit, {
        price,
        units: multiplierField.unit ?? multiplierField.label.toLowerCase(),
      })
    : formatMessage(priceMessages.perUnit, { price, unit: multiplierField.unitOne })
}

/** Adds an option to the answers; replaces the answer if the field accepts only one. */
function selectOption(field: Field, option: string, answers: Answers): Answers {
  const selectedAnswer =
    field.type === 'many' ? [...new Set([...listSelectedOptions(field, answers), option])] : option
  return { ...answers, [field.id]: selectedAnswer }
}

function describeSeats(
  seatQuotas: ReturnType<typeof listRequiredSeats>,
  left: Readonly<Record<string, number>>,
): OptionStatus {
  const seatsLeft = findFewestSeatsLeft(seatQuotas, left)
  const soldOutQuota = seatQuotas.find(({ id }) => (getOwn(left, id) ?? 1) <= 0)
  if (soldOutQuota !== undefined) return { soldOutText: soldOutQuota.quota.full.message }
  return seatsLeft === null
    ? {}
    : { seatsLeftText: formatMessage(seats.left, { count: seatsLeft }) }
}
