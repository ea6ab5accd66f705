/**
 * Assigns settlement lines to events.
 * The account may be shared: a user of some events must not learn which orders or payments of the other events
 * exist.
 */
import { canSee, listPossibleNumbers, toOrderKey } from '../../../engine/index.ts'
import type {
  EventConfig,
  RecordedPayment,
  RecordedOrder,
  SettlementLine,
} from '../../../engine/index.ts'
import type { SettlementAccount, SettlementFee, Store } from '../../storage/index.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { readSettlementAccounts } from './settlement-account.ts'

type LineNames = Pick<SettlementLine, 'order' | 'reference'>
export type LineOwnership = {
  /** Payments and orders that the user may see. A report is compared only with these. */
  readonly held: readonly RecordedPayment[]
  readonly orders: readonly RecordedOrder[]
  /** True if the user has access to only some events. */
  readonly isPartial: boolean
  /**
   * Returns true if the order id has the format of an event that the user cannot access, whether or not the order
   * exists.
   */
  isElsewhere(line: LineNames): boolean
  isOwn(line: LineNames): boolean
  /**
   * Returns true if the order and the payment are known in the user's events. Any other line may belong to another
   * event.
   */
  isKeepable(line: LineNames): boolean
}

/** The lookups that `readAccountRecords` needs. */
export type AccountLookups = 'paymentsOfAccount' | 'eventsOfAccount'
type AccountRecords = {
  /** The payments through the whole gateway. */
  readonly heldPayments: readonly RecordedPayment[]
  /** The events that have an order at the account. Only read for a user with access to only some events. */
  readonly eventsWithOrders: readonly string[]
}

/** Reads the records of an account that determine which lines a user may see. */
export async function readAccountRecords(
  store: Pick<Store, AccountLookups>,
  account: SettlementAccount,
  { user }: OtherEvents,
): Promise<AccountRecords> {
  const [heldPayments, eventsWithOrders] = await Promise.all([
    store.paymentsOfAccount(account),
    user.events === null ? [] : store.eventsOfAccount(account),
  ])
  return { heldPayments, eventsWithOrders }
}

/** Assigns an account's lines. `orders` contains records of the whole gateway. */
export function assignLines(
  account: SettlementAccount,
  { all, user }: OtherEvents,
  { heldPayments, eventsWithOrders }: AccountRecords,
  orders: readonly RecordedOrder[],
): LineOwnership {
  if (user.events === null) {
    const isAlwaysTrue = () => true
    return {
      held: heldPayments,
      orders,
      isPartial: false,
      isElsewhere: () => false,
      isOwn: isAlwaysTrue,
      isKeepable: isAlwaysTrue,
    }
  }
  const isVisible = ({ eventId }: { readonly eventId: string | null }): boolean =>
    eventId !== null && canSee(user, eventId)
  const visibleRecords = { held: heldPayments.filter(isVisible), orders: orders.filter(isVisible) }
  const ownOrders = new Set<string>(visibleRecords.orders.map(({ order }) => toOrderKey(order)))
  const isElsewhere = ({ order }: LineNames): boolean => {
    const eventOfOrder = findEventOfOrder(all, order)
    return (
      !ownOrders.has(toOrderKey(order)) && eventOfOrder !== null && !canSee(user, eventOfOrder.id)
    )
  }
  const hiddenPayments = heldPayments.filter(
    (payment) => payment.belongsToAccount && !isVisible(payment),
  )
  // A payment without a registration does not make an account shared: one line with a mistaken order id would take the
  // report away from the users of the account.
  const isShared =
    hiddenPayments.some(({ regNo }) => regNo !== null) ||
    eventsWithOrders.some((eventId) => !canSee(user, eventId)) ||
    all.some(
      (event) =>
        !canSee(user, event.id) &&
        readSettlementAccounts(event).some(
          (eventAccount) =>
            eventAccount.source === account.source && eventAccount.account === account.account,
        ),
    )
  if (!isShared) {
    const otherOrders = new Set<string>(
      orders.filter((ownedOrder) => !isVisible(ownedOrder)).map(({ order }) => toOrderKey(order)),
    )
    const hiddenReferences = listReferences(hiddenPayments)
    return {
      ...visibleRecords,
      isPartial: true,
      isElsewhere,
      isOwn: (line) =>
        !isElsewhere(line) &&
        (ownOrders.has(toOrderKey(line.order)) || !hiddenReferences.has(getLineName(line))),
      isKeepable: (line) =>
        !isElsewhere(line) &&
        !otherOrders.has(toOrderKey(line.order)) &&
        !hiddenReferences.has(getLineName(line)),
    }
  }
  const references = listReferences(visibleRecords.held)
  return {
    ...visibleRecords,
    isPartial: true,
    isElsewhere,
    isOwn: (line) =>
      !isElsewhere(line) &&
      (ownOrders.has(toOrderKey(line.order)) || references.has(getLineName(line))),
    isKeepable: (line) =>
      !isElsewhere(line) &&
      (line.order === '' || ownOrders.has(toOrderKey(line.order))) &&
      (line.reference === '' || references.has(line.reference)),
  }
}

/**
 * Returns the event whose prefix the order id has, in any spelling, whether or not the order exists. After another word,
 * the prefix must be followed by a digit.
 */
export function findEventOfOrder(all: OtherEvents['all'], order: string): EventConfig | null {
  const events = all.toSorted((a, b) => b.orderId.prefix.length - a.orderId.prefix.length)
  for (const [index, number] of listPossibleNumbers(order).entries()) {
    const matchingEvent = events.find(
      ({ orderId: { prefix } }) =>
        number.startsWith(prefix) && (index === 0 || /^\d/.test(number.slice(prefix.length))),
    )
    if (matchingEvent !== undefined) return matchingEvent
  }
  return null
}

/**
 * Returns the event of a line: that of its order, even if the order is unknown and only its prefix shows the event;
 * otherwise that of the payment with its reference. Null if the line belongs to no event.
 */
export const findEventOfLine = (
  all: OtherEvents['all'],
  { order, orderEventId, paymentEventId }: SettlementFee,
): string | null => orderEventId ?? findEventOfOrder(all, order)?.id ?? paymentEventId

/** Returns the event of each order id that has an event's prefix, whether or not the order exists. */
export const listOrderEvents = (
  all: OtherEvents['all'],
  lines: readonly LineNames[],
): readonly (readonly [order: string, eventId: string])[] =>
  [...new Set(lines.map(({ order }) => order))].flatMap((order) => {
    const event = findEventOfOrder(all, order)
    return event === null ? [] : [[order, event.id] as const]
  })

/** Returns the references of payments and of their refunds. */
const listReferences = (payments: readonly RecordedPayment[]): ReadonlySet<string | null> =>
  new Set(
    payments.flatMap(({ reference, refunds }) => [
      reference,
      ...refunds.map((refund) => refund.reference),
    ]),
  )

/** Returns a line's reference, or its order if it has no reference. */
const getLineName = ({ order, reference }: LineNames): string =>
  reference === '' ? order : reference
