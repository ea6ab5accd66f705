/**
 * Assigns settlement lines to events.
 * The account may be shared: a user of some events must not learn which orders or payments of the other events
 * exist.
 */
import { maySee } from '../../../engine/index.ts'
import type { HeldMoney, HeldOrder, SettlementLine } from '../../../engine/index.ts'
import type { SettlementAccount } from '../../storage/index.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { settlementAccount } from './settlement-account.ts'

type Names = Pick<SettlementLine, 'order' | 'reference'>
export type Whose = {
  /** Payments and orders that the user may see. A report is compared with nothing else. */
  readonly held: readonly HeldMoney[]
  readonly orders: readonly HeldOrder[]
  /** The user does not see all events. */
  readonly isPartial: boolean
  /** Its order id has the format of an event that the user does not work for, whether it exists or not. */
  isElsewhere(line: Names): boolean
  isOwn(line: Names): boolean
  /** Its order and payment are known in the user's events. Any other line may belong to another event. */
  isKeepable(line: Names): boolean
}

/** `held` and `orders` of the whole gateway. */
export function whoseLines(
  of: SettlementAccount,
  { all, user }: OtherEvents,
  held: readonly HeldMoney[],
  orders: readonly HeldOrder[],
): Whose {
  if (user.events === null) {
    const isAny = () => true
    return {
      held,
      orders,
      isPartial: false,
      isElsewhere: () => false,
      isOwn: isAny,
      isKeepable: isAny,
    }
  }
  const isSeen = ({ eventId }: { readonly eventId: string | null }): boolean =>
    eventId !== null && maySee(user, eventId)
  const seen = { held: held.filter(isSeen), orders: orders.filter(isSeen) }
  const own = new Set<string>(seen.orders.map(({ order }) => order))
  const isElsewhere = ({ order }: Names): boolean => {
    const [nearest] = all
      .filter(({ orderId }) => order.startsWith(orderId.prefix))
      .toSorted((a, b) => b.orderId.prefix.length - a.orderId.prefix.length)
    return !own.has(order) && nearest !== undefined && !maySee(user, nearest.id)
  }
  const isShared =
    held.some((money) => money.isOfAccount && !isSeen(money)) ||
    all.some((event) => {
      const its = settlementAccount(event)
      return !maySee(user, event.id) && its?.source === of.source && its.account === of.account
    })
  if (!isShared) {
    const others = new Set<string>(orders.filter((one) => !isSeen(one)).map(({ order }) => order))
    return {
      ...seen,
      isPartial: true,
      isElsewhere,
      isOwn: (line) => !isElsewhere(line),
      isKeepable: (line) => !isElsewhere(line) && !others.has(line.order),
    }
  }
  const references = new Set<string | null>(
    seen.held
      .flatMap(({ reference, refunds }) => [{ reference }, refunds])
      .flat()
      .map(({ reference }) => reference),
  )
  return {
    ...seen,
    isPartial: true,
    isElsewhere,
    isOwn: (line) => !isElsewhere(line) && (own.has(line.order) || references.has(nameOf(line))),
    isKeepable: (line) =>
      !isElsewhere(line) &&
      (line.order === '' || own.has(line.order)) &&
      (line.reference === '' || references.has(line.reference)),
  }
}

/** A line without a reference is identified by its order. */
const nameOf = ({ order, reference }: Names): string => (reference === '' ? order : reference)
