/**
 * What is promised of money, looked at after every write and once more when a history has come to rest. The
 * gateway's own books say what is true; the database says what we believe.
 */
import type { Paise, PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { plain, purseOf } from './bank.ts'
import type { Bank } from './bank.ts'
import { creditedPromisesOf } from './check-credit-date-prices.ts'
import { duePromisesOf } from './check-due.ts'
import { eventFiguresOf } from './check-event-figures.ts'
import { CLOSES, EARLY_ENDS, SEATS, SEEN } from './events.ts'
import { isMoney, isRight } from './gateway.ts'
import type { Gateway, Order, Transaction } from './gateway.ts'
import { paperPromisesOf } from './check-documents.ts'
import { DAY_MS } from './plan.ts'
import { ratePromisesOf } from './check-tax.ts'
import { halfPromisesOf } from './check-tax-halves.ts'
import { seatPromisesOf } from './check-seats.ts'
import type { TrailPromises } from './check-history.ts'

/** One promise that was not kept: which, and by what. */
export type Violation = { readonly promise: string; readonly by: string }

/** What has to be known of a history to judge it. */
export type Judged = {
  readonly sql: () => Sql
  readonly gateway: Gateway
  readonly bank: Bank
  readonly trail: TrailPromises
  /** How much earlier than its close an event has to be paid, where its time is not known well. */
  readonly closingMarginMs: (order: Order) => number
  /** Whether there are credentials of the merchant that was to get the money; without, nobody can be asked. */
  readonly isAskable: (order: Order) => boolean
}

/** A second capture of a paid order is looked for at growing intervals: the last look is some five days after the first. */
const SECOND_WITHIN_MS = 3 * DAY_MS
/** What has not been paid is watched for ten days, and asked about every half day. */
const FIRST_WITHIN_MS = 9 * DAY_MS
/** An open payment is undecided after five days; the question that finds it so comes within six hours. */
export const OPEN_MS_MAX = 6 * DAY_MS

type PaymentRow = {
  order_id: string
  registration_id: number
  status: PaymentStatus
  reference: string | null
  amount: Paise
  review: string | null
  created_at: number
  /** Until when it can be paid, where that is later; null: no longer than the rest. */
  pay_until: number | null
  /** Null: nobody was sent there with it. */
  handed_off_at: number | null
  gateway: string | null
}
type CaptureRow = {
  order_id: string | null
  handed_off_at: number | null
  /** Whoever was seen first has days of their own to pay in, whatever closes meanwhile. */
  hold_until: number | null
  asks_for: 'whole' | 'difference' | null
  event_id: string | null
  source: string
  reference: string
  amount: Paise
  state: string
  in_review: 0 | 1
  id: number
  registration_id: number | null
  is_cancelled: 0 | 1 | null
  status: PaymentStatus | null
  back: Paise
}

const PAYMENTS = `SELECT order_id, registration_id, status, reference, amount, review, created_at, handed_off_at, gateway,
  (SELECT pay_until FROM registrations r WHERE r.id = registration_id) AS pay_until FROM payments`
const CAPTURES = `SELECT c.id, c.registration_id, p.order_id, p.handed_off_at, p.hold_until, p.asks_for, r.event_id, c.source, c.reference, c.amount, c.state, p.status, r.in_review,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done') AS back,
  r.state = 'cancelled' AS is_cancelled FROM captures c
  LEFT JOIN payments p ON p.id = c.payment_id LEFT JOIN registrations r ON r.id = c.registration_id`
const CANCELLED = "SELECT id FROM registrations WHERE state = 'cancelled'"
const SUMS = `SELECT (SELECT coalesce(sum(amount), 0) FROM captures WHERE state IN ('fits', 'accepted')) AS came,
  (SELECT coalesce(sum(b.amount), 0) FROM refunds b JOIN captures c ON c.id = b.capture_id
    WHERE b.state = 'done' AND c.state IN ('fits', 'accepted')) AS back,
  (SELECT coalesce(sum(amount), 0) FROM revenue) AS revenue,
  (SELECT coalesce(sum(booked), 0) FROM registrations) AS booked,
  (SELECT coalesce(sum(booked), 0) FROM counters) AS counted_booked,
  (SELECT coalesce(sum(registrations), 0) FROM counters WHERE status = 'success') AS counted,
  (SELECT count(*) FROM registrations WHERE payment_status = 'success') AS paid,
  (SELECT coalesce(sum(registrations), 0) FROM counters) AS counted_all,
  (SELECT count(*) FROM registrations) AS registered`
const CONFIRMATIONS = `SELECT r.reg_no, r.payment_status AS status, r.in_review,
  (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'confirmation') AS mails,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.asks_for = 'whole'
    AND (p.status = 'success' OR (p.status = 'refunded' AND r.booked > 0))) AS successes,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.asks_for = 'whole') AS attempts,
  r.is_corrected = 1 AND (r.total = 0 OR r.freed_at_attempt IS NOT NULL) AS was_free FROM registrations r`

const REFUNDS = `SELECT r.id, c.source, r.state, r.reference, r.amount, p.order_id FROM refunds r
  JOIN captures c ON c.id = r.capture_id JOIN payments p ON p.id = c.payment_id`
/** Not sent for a day, or begun for five. */
const REFUND_MS_MAX = 7 * DAY_MS

const OVERDUE = `SELECT reg_no, pay_until FROM registrations
  WHERE state = 'to_pay' AND payment_status <> 'success' AND in_review = 0 AND pay_until < ?
    AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = registrations.id
      AND p.status = 'pending' AND p.last_answer IN ('in-process', 'unreachable'))`
/** The newest attempts that expired at a time that has not come, and claims on questions that nobody else can make. */
const FROM_THE_FUTURE = `SELECT p.order_id, p.status_at, p.asking_until FROM payments p JOIN registrations r ON r.id = p.registration_id
  WHERE p.asking_until - 60000 > :now OR (p.status = 'failed' AND p.reason = 'expired' AND p.status_at > :now AND p.review IS NULL
    AND coalesce(p.handed_off_at, p.created_at) > :earlier AND r.state IN ('to_pay', 'lapsed') AND r.pay_until IS NULL
    AND p.gateway IS NOT NULL AND NOT EXISTS (SELECT 1 FROM payments n WHERE n.registration_id = r.id AND n.attempt > p.attempt))`
const OF_THE_GATEWAY = 'airpay'

const isPaid = (status: PaymentStatus): boolean => status === 'success' || status === 'refunded'

export type Promises = {
  afterWrite(now: number): Violation | null
  atRest(now: number): Violation | null
  /** The server has seen that its clock went back. */
  afterClockWentBack(now: number): Violation | null
  /** What of the refunds of a registration was owed before it was cancelled, and is no part of what a cancellation gives back. */
  owedBack(id: number): number
  /** A page says that this registration is paid. */
  shownPaid(regNo: string): Violation | null
}

export function promisesOf(judged: Judged): Promises {
  const { sql, gateway, bank, trail, closingMarginMs, isAskable } = judged
  const before = new Map<string, PaymentStatus>()
  const heldBy = (orderId: string, reference: string | null): Transaction | undefined =>
    gateway.orders.get(orderId)?.transactions.find((made) => made.reference === reference)

  const payments = (): Violation | null => {
    for (const row of sql()<PaymentRow>(PAYMENTS).all()) {
      const was = before.get(row.order_id)
      if (was !== undefined && isPaid(was) && !isPaid(row.status))
        return {
          promise: 'a success stays one',
          by: `${row.order_id} was ${was} and is ${row.status}`,
        }
      if (was === 'refunded' && row.status === 'success')
        return { promise: 'what went back stays so', by: row.order_id }
      before.set(row.order_id, row.status)
      if (!isPaid(row.status) || row.gateway === null) continue
      // Money that a person moved keeps the order that it came for.
      const made = gateway.find(row.reference)?.made
      if (bank.knows(row.reference)) continue
      if (made === undefined || !isMoney(made))
        return {
          promise: 'a success is money that the gateway holds',
          by: `${row.order_id} as ${row.reference}: ${JSON.stringify(made ?? null)}`,
        }
    }
    return null
  }
  /** Days after the hand-off and after the close, by the gateway's own clock. Whoever is registered pays a difference whenever that is. */
  const isTooLate = (
    order: Order,
    made: Transaction,
    { handed_off_at: handed, hold_until: held, event_id: event, asks_for: asksFor }: CaptureRow,
  ): boolean =>
    asksFor === 'whole' &&
    !(event === SEEN && held !== null && made.at < held) &&
    order.statesTime &&
    closingMarginMs(order) === 0 &&
    handed !== null &&
    made.at >= CLOSES + DAY_MS &&
    made.at - handed > 2 * DAY_MS
  // In the order of writes: what the server's clock wrote says nothing of what came first while that clock is wrong.
  const cameWhileOpen = new Set<number>()
  let cancelledBefore = new Set<number>()
  /** One answer told of it and of its refund in the panel: only that refund cancelled the registration. */
  const isGoneAtOnce = ({ registration_id: id, status, amount, back }: CaptureRow): boolean =>
    id !== null && !cancelledBefore.has(id) && status === 'refunded' && back === amount
  const captures = (): Violation | null => {
    const counted = new Set<string>()
    for (const row of sql()<CaptureRow>(CAPTURES).all()) {
      const by = JSON.stringify(row)
      if (row.is_cancelled !== 1 || isGoneAtOnce(row)) cameWhileOpen.add(row.id)
      if (row.order_id === null && row.source === OF_THE_GATEWAY) continue
      if (row.state === 'review' && row.in_review !== 1)
        return { promise: 'money that does not fit comes before a person', by }
      if (row.state === 'fits' && !cameWhileOpen.has(row.id))
        return { promise: 'what comes for what is cancelled is before a person', by }
      if (row.source !== OF_THE_GATEWAY) {
        // Each event numbers what it takes in cash.
        const purse = purseOf(row.source)
        const made = `${purse === 'bank' ? purse : `${row.source} of ${row.event_id}`} ${plain(row.reference)}`
        if (bank.find(row.source, row.reference)?.amount !== row.amount || counted.has(made))
          return { promise: 'each rupee at the bank is counted once', by }
        counted.add(made)
        continue
      }
      if (row.order_id === null) continue
      const made = heldBy(row.order_id, row.reference)
      if (made === undefined || !isMoney(made) || made.amount !== row.amount)
        return { promise: 'a capture is one at the gateway', by }
      const order = gateway.orders.get(row.order_id)
      if (row.state === 'fits' && (order === undefined || !isRight(order, made)))
        return { promise: 'what is not as it was asked for is judged by a person', by }
      if (row.state === 'fits' && order !== undefined && isTooLate(order, made, row))
        return { promise: 'what came after closing is judged by a person', by }
      if (row.state === 'fits' && (row.status === null || !isPaid(row.status)))
        return { promise: 'money that fits is a success', by }
    }
    cancelledBefore = new Set(
      sql()<{ id: number }>(CANCELLED)
        .all()
        .map(({ id }) => id),
    )
    return null
  }
  const sums = (): Violation | null => {
    const row = sql()<Record<string, number>>(SUMS).get() ?? {}
    const by = JSON.stringify(row)
    const { came = 0, back = 0, revenue, counted, paid, counted_all: all, registered } = row
    if (came - back !== revenue) return { promise: 'revenue is what came less what went back', by }
    if (row['booked'] !== revenue || row['counted_booked'] !== revenue)
      return { promise: 'what is booked for registrations is the revenue', by }
    if (counted !== paid || all !== registered) return { promise: 'counters are rows', by }
    return null
  }
  /** Registrations that were a success after some write. */
  const succeeded = new Set<string>()
  const confirmations = (): Violation | null => {
    type Row = {
      reg_no: string
      status: PaymentStatus
      mails: number
      successes: number
      attempts: number
      was_free: 0 | 1
    }
    for (const row of sql()<Row>(CONFIRMATIONS).all()) {
      const by = JSON.stringify(row)
      // By one answer it came and went back: it was never a success that anybody could have been told of.
      if (row.status === 'success') succeeded.add(row.reg_no)
      const isUntold = row.status === 'refunded' && !succeeded.has(row.reg_no) && row.mails === 0
      if (!isUntold && row.mails !== (isPaid(row.status) ? 1 : 0))
        return { promise: 'a success is confirmed once, and nothing else is', by }
      if (row.successes > 1) return { promise: 'one attempt pays a registration', by }
      // What a correction made free stays as good as paid when what was paid before goes back, and when it costs again.
      const isPaidFor = row.successes === 1 || (row.was_free === 1 && row.status === 'success')
      if (row.attempts > 0 && (row.status === 'success') !== isPaidFor)
        return { promise: 'a registration is paid when an attempt is', by }
    }
    return null
  }

  const found = (): Violation | null => {
    type Row = { reference: string; state: string }
    const known = new Map(
      sql()<Row>('SELECT reference, state FROM captures')
        .all()
        .map((row) => [row.reference, row.state]),
    )
    for (const order of gateway.orders.values()) {
      const came = order.transactions.filter(isMoney)
      const [first] = came
      for (const made of came) {
        const within =
          made === first
            ? made.at - order.at <= FIRST_WITHIN_MS
            : first !== undefined && made.at - first.at <= SECOND_WITHIN_MS
        // What its answers leave out nobody can be told of: only the settlement file finds it.
        const isLooked = order.tells === 'all' && within && isAskable(order)
        const isToBeKnown =
          made.isTold || (made.isClaimed && order.tells === 'all' && isAskable(order))
        if ((isToBeKnown || isLooked) && !known.has(made.reference))
          return {
            promise: 'every capture is a success, accepted or in review',
            by: `${order.orderId}: ${JSON.stringify(made)}`,
          }
      }
    }
    return null
  }
  const ended = (now: number): Violation | null => {
    for (const row of sql()<PaymentRow>(PAYMENTS).all()) {
      const until = Math.max(row.created_at + OPEN_MS_MAX, (row.pay_until ?? 0) + DAY_MS)
      // Nobody was ever sent there with it, or no gateway is asked: it ends with its term, or by a person.
      if (row.handed_off_at === null || row.gateway === null) continue
      if (row.status === 'pending' && row.review === null && now > until)
        return { promise: 'nothing is pending for ever', by: JSON.stringify(row) }
    }
    const late = sql()(OVERDUE).get(now - DAY_MS)
    if (late !== undefined)
      return { promise: 'what nobody pays until its day lapses', by: JSON.stringify(late) }
    return null
  }
  const wantedSince = new Map<number, number>()
  const refunds = (now: number): Violation | null => {
    type Row = {
      id: number
      source: string
      state: string
      reference: string | null
      amount: Paise
      order_id: string
    }
    const orders = [...gateway.orders.values()].filter(({ givenBack }) => givenBack.length > 0)
    const rows = sql()<Row>(REFUNDS).all()
    const byHand = ({ reference }: Row): boolean => bank.gaveBack(reference) !== null
    /** A refund that spans two payments is a row of each, under one reference. */
    const partsOf = (reference: string | null): number =>
      rows.filter((one) => one.reference === reference).reduce((sum, { amount }) => sum + amount, 0)
    for (const row of rows) {
      const by = JSON.stringify(row)
      if (byHand(row)) {
        if (row.state !== 'done' || bank.gaveBack(row.reference) !== partsOf(row.reference))
          return { promise: 'what is given back by hand is what went back', by }
        continue
      }
      const back = gateway.orders
        .get(row.order_id)
        ?.givenBack.find(({ reference }) => reference === row.reference)
      if (
        row.state === 'done' &&
        (back === undefined || back.doneAt > now || back.amount < row.amount)
      )
        return { promise: 'what is given back went back', by }
      const since = wantedSince.get(row.id) ?? now
      wantedSince.set(row.id, since)
      if ((row.state === 'wanted' || row.state === 'asked') && now - since > REFUND_MS_MAX)
        return { promise: 'no refund is on its way for ever', by }
    }
    for (const { orderId, givenBack } of orders) {
      const asked = rows.filter(
        (row) => row.order_id === orderId && row.state !== 'wanted' && !byHand(row),
      )
      const moved = givenBack.filter(({ by }) => by === 'call')
      if (moved.length > asked.length)
        return {
          promise: 'a refund moves money once',
          by: `${orderId}: ${JSON.stringify(givenBack)}`,
        }
    }
    return null
  }
  const isReviewed = (orderId: string): boolean =>
    sql()('SELECT 1 FROM payments WHERE order_id = ? AND review IS NOT NULL').get(orderId) !==
    undefined
  const whyReviewed = (orderId: string): string =>
    sql()<{ review: string }>(
      'SELECT review FROM payments WHERE order_id = ? AND review IS NOT NULL',
    ).get(orderId)?.review ?? 'another order'
  /** At rest: what the gateway has named as given back. Where that fits nothing, a person has it. */
  const learnt = (): Violation | null => {
    const rows = sql()<{ reference: string | null; state: string }>(REFUNDS).all()
    const isDone = (reference: string): boolean =>
      rows.some((row) => row.reference === reference && row.state === 'done')
    for (const { orderId, givenBack } of gateway.orders.values())
      for (const back of givenBack)
        if (back.isTold && !isDone(back.reference) && !isSeen(orderId))
          return { promise: 'what went back is learnt', by: `${orderId}: ${JSON.stringify(back)}` }
    return null
  }
  // While a refund of ours is in doubt, what the panel gave back may find no room beside it; it is placed when a person has ended the doubt.
  const isSeen = (orderId: string): boolean =>
    isReviewed(orderId) ||
    // More than came, with what went back by hand: a person was told, and has ended that.
    sql()(
      "SELECT 1 FROM payments p JOIN decisions d ON d.about = 'P' || p.id WHERE p.order_id = ?",
    ).get(orderId) !== undefined ||
    sql()<{ order_id: string; state: string }>(REFUNDS)
      .all()
      .some((row) => row.order_id === orderId && row.state !== 'done' && row.state !== 'refused')
  const isKnown = (reference: string): boolean =>
    sql()('SELECT 1 FROM captures WHERE reference = ?').get(reference) !== undefined
  /** Another merchant's "no record" is no word about it. What was learnt of while it could be asked has been before a person. */
  const unasked = (): Violation | null => {
    type Row = { order_id: string; status_at: number }
    for (const row of sql()<Row>(
      "SELECT order_id, status_at FROM payments WHERE status = 'failed' AND reason = 'expired'",
    ).all()) {
      const order = gateway.orders.get(row.order_id)
      if (order === undefined || isAskable(order) || order.isDenied) continue
      const paid = order.transactions.find(
        (made) => isMoney(made) && made.at < row.status_at && !isKnown(made.reference),
      )
      if (paid !== undefined)
        return {
          promise: 'what cannot be asked about is not called failed',
          by: `${row.order_id}: ${JSON.stringify(paid)}`,
        }
    }
    return null
  }
  const hasMoved = (id: number): boolean =>
    sql()(
      'SELECT 1 FROM captures c JOIN payments p ON p.id = c.payment_id WHERE c.registration_id = ? AND p.registration_id <> ?',
    ).get(id, id) !== undefined
  const hasOther = (id: number): boolean =>
    sql()('SELECT 1 FROM captures WHERE registration_id = ? AND source <> ?').get(
      id,
      OF_THE_GATEWAY,
    ) !== undefined
  const holdOf = (orderId: string): number | null =>
    sql()<{ hold_until: number | null }>('SELECT hold_until FROM payments WHERE order_id = ?').get(
      orderId,
    )?.hold_until ?? null
  /** When a registration was first asked for what this order asks for. */
  const pricedAt = (orderId: string): number =>
    sql()<{ at: number }>(
      `SELECT min(p.created_at) AS at FROM payments p JOIN payments o
         ON o.registration_id = p.registration_id AND o.amount = p.amount WHERE o.order_id = ?`,
    ).get(orderId)?.at ?? 0
  const hasTold = (id: number): boolean =>
    sql()('SELECT 1 FROM tellings WHERE registration_id = ?').get(id) !== undefined
  const isDecided = (id: number): boolean =>
    sql()('SELECT 1 FROM decisions WHERE registration_id = ?').get(id) !== undefined
  const rightly = (): Violation | null => {
    type Row = {
      id: number
      event_id: string
      status: PaymentStatus
      in_review: 0 | 1
      state: RegistrationState
      pay_until: number | null
      total: number | null
    }
    for (const { id, event_id, status, in_review, state, pay_until, total } of sql()<Row>(
      'SELECT id, event_id, payment_status AS status, in_review, state, pay_until, total FROM registrations',
    ).all()) {
      const orders = sql()<{ order_id: string }>(
        'SELECT order_id FROM payments WHERE registration_id = ?',
      )
        .all(id)
        .flatMap(({ order_id }) => gateway.orders.get(order_id) ?? [])
      const came = orders.flatMap((order) =>
        order.transactions.filter(isMoney).map((made) => ({ order, made })),
      )
      const [only] = came
      if (only === undefined || came.length > 1) continue
      const { order, made } = only
      if (!isAskable(order)) continue
      // The price is held until a day after its period, also for whoever goes to pay it later; whoever is at the gateway's page has a day in any case.
      const heldUntil = (pricedAt(order.orderId) < EARLY_ENDS ? EARLY_ENDS : CLOSES) + DAY_MS
      // What it cost before a correction was held for as long as the order, however long the registration waits since.
      // A term that the office gave anew for telling of a transfer is none of an order of the card from before: that is judged by a person.
      const term = order.asked === total && !hasTold(id) ? pay_until : holdOf(order.orderId)
      const inTime =
        made.at - order.at <= FIRST_WITHIN_MS &&
        made.at + closingMarginMs(order) < Math.min(heldUntil, term ?? heldUntil)
      // What a person gave back, or moved here, is no matter of this rule.
      if (order.givenBack.length > 0 || hasMoved(id)) continue
      // What came elsewhere before it makes it a second payment.
      if (hasOther(id)) continue
      const isEnded = state === 'cancelled' || state === 'refused'
      if ((event_id === SEATS.event || isEnded) && status !== 'success') {
        // Its place may be gone by now, or people may have ended it; then a person has the money, or has decided about it.
        if (isRight(order, made) && inTime && in_review === 0 && !isDecided(id))
          return {
            promise: 'money for a place that is gone, or for what is ended, is before a person',
            by: `${order.orderId} is ${status}: ${JSON.stringify(made)}`,
          }
        continue
      }
      // Beside it what a correction left may be before a person.
      const isOpen = status !== 'success' || (in_review === 1 && isReviewed(order.orderId))
      if (isRight(order, made) && inTime && isOpen)
        return {
          promise: 'who paid once, rightly and in time is a success',
          by: `${order.orderId} is ${status}${in_review === 1 ? ` and in review (${whyReviewed(order.orderId)})` : ''}: ${JSON.stringify(made)}`,
        }
    }
    return null
  }
  const seats = seatPromisesOf(sql)
  const papers = paperPromisesOf(sql)
  const rates = ratePromisesOf(sql)
  const halves = halfPromisesOf(sql)
  const figures = eventFiguresOf(sql)
  const dues = duePromisesOf(sql)
  const credited = creditedPromisesOf(sql)
  const afterWrite = (now: number): Violation | null =>
    payments() ??
    captures() ??
    refunds(now) ??
    sums() ??
    confirmations() ??
    seats.afterWrite() ??
    papers.afterWrite() ??
    rates.afterWrite() ??
    halves.afterWrite() ??
    figures.afterWrite() ??
    trail.afterWrite() ??
    dues.afterWrite() ??
    credited.afterWrite()
  return {
    afterWrite,
    owedBack: dues.owedBack,
    afterClockWentBack: (now) => {
      const row = sql()(FROM_THE_FUTURE).get({ now, earlier: now - DAY_MS })
      return row === undefined
        ? null
        : { promise: 'what a wrong clock ended is open again', by: JSON.stringify(row) }
    },
    atRest: (now) => afterWrite(now) ?? ended(now) ?? found() ?? learnt() ?? unasked() ?? rightly(),
    shownPaid: (regNo) => {
      // All that it costs is due since a correction that made it free, or was until it was cancelled, or it still is free.
      const asked = sql()(
        `SELECT 1 FROM registrations WHERE reg_no = ? AND is_corrected = 1
           AND (total = max(due, 0) OR (state = 'cancelled' AND freed_at_attempt IS NOT NULL))`,
      ).get(regNo)
      if (asked !== undefined) return null
      const counts = sql()<{ reference: string }>(
        "SELECT c.reference FROM captures c JOIN registrations r ON r.id = c.registration_id WHERE r.reg_no = ? AND c.state IN ('fits', 'accepted')",
      ).all(regNo)
      return counts.some(
        ({ reference }) => gateway.find(reference) !== null || bank.knows(reference),
      )
        ? null
        : { promise: 'what is shown as paid was captured', by: regNo }
    },
  }
}
