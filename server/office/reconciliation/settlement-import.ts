/** Imports gateway settlements: matches a report with payments, stores it, serves it as page or CSV. */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { bankKey, dayOf, isoIndia, maySee, paise, payouts, rupees } from '../../../engine/index.ts'
import type {
  BankKey,
  EventConfig,
  HeldMoney,
  Payout,
  Settled,
  SettlementLine,
} from '../../../engine/index.ts'
import type {
  SettlementKeptAnswer,
  SettlementsAnswer,
  WirePayout,
  WireSettled,
  WireSettlement,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'
import { csvRows } from '../spreadsheets/write-csv.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { viewerOf } from './registration-numbers-in-statement.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { formerAccount, settlementAccounts } from './settlement-account.ts'
import { matchSettlements, needsLook, transferOf } from './match-settlements.ts'
import type { Account, EventSettlements } from './match-settlements.ts'
import { whoseLines } from './settlement-line-events.ts'
import type { Whose } from './settlement-line-events.ts'

export function wireSettlement(
  event: Pick<EventConfig, 'id'>,
  settlements: EventSettlements,
): WireSettlement {
  const { whose, settled, report, current, unsettled: open } = settlements
  const shown = accountsShown(settlements).flatMap((account) =>
    account.settled
      .filter((one) => needsLook(one) && account.whose.isOwn(one.line))
      .map((one) => wireLine(one, account.whose)),
  )
  return {
    fresh: report?.fresh.filter(whose.isOwn).length ?? null,
    lines: report === null ? shown : settled.map((one) => wireLine(one, whose)),
    payouts: payoutsOf(settlements),
    unsettled: open
      .filter(({ money }) => money.eventId === event.id)
      .map(({ money, days }) => ({
        reg_no: money.regNo,
        reference: money.reference,
        amount: rupees(money.amount),
        paid_on: dayOf(money.paidAt),
        days,
        account: formerAccount(current, money),
      })),
    unread: [...(report?.unread ?? [])],
    not_yet: report?.unsettled ?? 0,
  }
}

/** Stored settlements are those of all accounts; a report is of one. */
const accountsShown = (settlements: EventSettlements): readonly Account[] =>
  settlements.report === null ? [settlements, ...settlements.former] : [settlements]

/** The latest first, as within one account. */
const payoutsOf = (settlements: EventSettlements): WirePayout[] =>
  accountsShown(settlements)
    .flatMap((account) =>
      payoutsFor(account).map((payout) => ({
        ...payout,
        account: formerAccount(settlements.current, account.of),
      })),
    )
    .toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? ''))

/**
 * Leaves out payouts without a line of the user's events. In the others, lines of other events appear as a count
 * and a sum, because the user compares the payout's total with the bank's.
 */
function payoutsFor({ all, payouts: paid, whose }: Account): WirePayout[] {
  const lines = Map.groupBy(all, ({ line }) => transferOf(line))
  return paid.flatMap((payout): readonly WirePayout[] => {
    const those = lines.get(transferOf(payout)) ?? []
    const shown = those.filter(({ line }) => whose.isOwn(line))
    if (shown.length === those.length) return [wirePayout(payout)]
    const [own] = shown.some(isOfEvent) ? payouts(shown.map(({ line }) => line)) : []
    if (own === undefined) return []
    const { day, net } = payout
    const elsewhere = { lines: those.length - shown.length, net: rupees(paise(net - own.net)) }
    return [{ ...wirePayout({ ...own, day, net }), elsewhere }]
  })
}

function wirePayout({ day, utr, lines, ...amounts }: Payout): WirePayout {
  return {
    day,
    utr,
    lines,
    sales: rupees(amounts.sales),
    refunds: rupees(amounts.refunds),
    fee: rupees(amounts.fee),
    tax: rupees(amounts.tax),
    others: rupees(amounts.others),
    net: rupees(amounts.net),
    account: null,
    elsewhere: null,
  }
}

const isOfEvent = ({ money, order }: Settled): boolean =>
  (money?.eventId ?? order?.eventId ?? null) !== null

function wireLine(one: Settled, { isElsewhere, isPartial }: Whose): WireSettled {
  const { line, money, order } = one
  const isHidden = isElsewhere(line)
  const why = isPartial && money === null && order === null ? NONE_OF_YOURS : one.why
  return {
    line: line.line,
    is: line.is,
    as: isHidden ? 'elsewhere' : one.as,
    // The order id of a first attempt is the registration number.
    order_id: isHidden ? '' : line.order,
    reference: line.reference,
    amount: rupees(line.amount),
    fee: rupees(line.fee),
    tax: rupees(line.tax),
    net: rupees(line.net),
    day: line.day,
    utr: line.utr,
    reg_no: ownerOf(one)?.regNo ?? null,
    why: isHidden ? OF_ANOTHER_EVENT : why,
  }
}

const OF_ANOTHER_EVENT = 'The order number belongs to another event. Ask its staff.'
const NONE_OF_YOURS = 'Your events have no such order or payment.'

/** Null: it belongs to no known registration. */
export function ownerOf({
  money,
  order,
}: Pick<Settled, 'money' | 'order'>): { readonly regNo: string; readonly eventId: string } | null {
  const owned = (one: HeldMoney | null) =>
    one === null || one.regNo === null || one.eventId === null
      ? null
      : { regNo: one.regNo, eventId: one.eventId }
  return owned(money) ?? order
}

/** The words for a line's result in print and export. */
export const SETTLED_WORDS: Readonly<Record<WireSettled['as'], string>> = {
  settled: 'settled',
  refunded: 'refunded',
  review: 'needs review',
  differs: 'differs',
  unknown: 'unknown',
  elsewhere: 'another event',
}

/**
 * Returns transfers of events that the user does not work for, by the bank references of a report. From then on
 * such a reference is a payout, not an unmatched transfer.
 */
async function foreignTransfers(
  store: Pick<Store, 'knownReferences'>,
  lines: readonly SettlementLine[],
  user: OtherEvents['user'],
): Promise<ReadonlySet<BankKey>> {
  if (user.events === null) return new Set()
  const { payments, reports } = await store.knownReferences([
    ...new Set(lines.map(({ utr }) => bankKey(utr))),
  ])
  const isForeign = ({ eventId = null }: { readonly eventId?: string | null }): boolean =>
    eventId !== null && !maySee(user, eventId)
  return new Set([
    ...payments.flatMap(([key, payment]) => (isForeign(payment) ? [key] : [])),
    ...reports.filter((report) => !report.isReleased && isForeign(report)).map(({ key }) => key),
  ])
}

/**
 * Stores the lines of a report that are not stored yet. For a user of some events, a line whose payment is
 * unknown in these events is left out, because it may belong to another event; the gateway is queried about its
 * order instead.
 */
export async function keepReport(
  {
    store,
    clock,
  }: {
    readonly store: Pick<Store, 'keepSettlement' | 'heldMoney' | 'heldOrders' | 'knownReferences'>
    readonly clock: Deps['clock']
  },
  event: EventConfig,
  of: SettlementAccount,
  report: {
    readonly file: Buffer
    readonly lines: readonly SettlementLine[]
    readonly who: string
  },
  viewer: OtherEvents,
): Promise<SettlementKeptAnswer> {
  const [held, orders] = await Promise.all([
    store.heldMoney(of),
    store.heldOrders(report.lines.map(({ order }) => order)),
  ])
  const { isKeepable: isKnown, isElsewhere, orders: own } = whoseLines(of, viewer, held, orders)
  const foreign = await foreignTransfers(store, report.lines, viewer.user)
  const isKeepable = (line: SettlementLine): boolean =>
    isKnown(line) && !foreign.has(bankKey(line.utr))
  const kept = report.lines.filter(isKeepable)
  const elsewhere = report.lines.filter(isElsewhere).length
  const unknown = report.lines.length - kept.length - elsewhere
  const left = new Set(report.lines.filter((line) => !isKeepable(line)).map(({ order }) => order))
  const { added, known, toReview } = await store.keepSettlement({
    ...of,
    eventId: event.id,
    sha256: createHash('sha256').update(report.file).digest('hex'),
    who: report.who,
    at: clock(),
    lines: kept,
    ask: own.flatMap(({ order }) => (left.has(order) ? [order] : [])),
  })
  const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`
  const said = [
    `${lines(added)} saved`,
    ...(known === 0 ? [] : [`${lines(known)} saved before`]),
    ...(toReview === 0 ? [] : [`${lines(toReview)} sent to review`]),
    ...(elsewhere === 0 ? [] : [`${lines(elsewhere)} of other events not matched`]),
    ...(unknown === 0 ? [] : [`${lines(unknown)} unknown in your events not matched`]),
  ]
  return { status: 'success', message: `${said.join(', ')}.`, added, known, to_review: toReview }
}

export function settlementRoutes(office: OfficeRoutes, deps: Deps): void {
  const asked = async ({ admin, target }: Call<'event'>, reply: FastifyReply) => {
    const event = target.config
    const of = await settlementAccounts(deps.store, event)
    reply.header('cache-control', 'no-store')
    if (of !== null) return { admin, event, of }
    refuse(reply, 404, 'not_found', 'No event of this name takes card payments.')
    return null
  }

  const show = async (call: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await asked(call, reply)
    if (found === null) return reply
    const { admin, event, of } = found
    await deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what: 'saw the settlements',
      eventId: event.id,
      regNo: null,
      look: 'settlements',
    })
    const answer: SettlementsAnswer = {
      status: 'success',
      settlement: wireSettlement(
        event,
        await matchSettlements(deps, of, null, viewerOf(deps, admin)),
      ),
    }
    return reply.send(answer)
  }

  const csv = async (call: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await asked(call, reply)
    if (found === null) return reply
    const { admin, event, of } = found
    const settlements = await matchSettlements(deps, of, null, viewerOf(deps, admin))
    const shown = accountsShown(settlements).flatMap(({ settled, whose }) =>
      settled.filter(({ line }) => whose.isOwn(line)).map((one) => ({ one, whose })),
    )
    const at = deps.clock()
    await deps.store.audit({
      at,
      who: admin.username,
      what: 'exported the settlements',
      eventId: event.id,
      regNo: null,
    })
    const others = payoutsOf(settlements).flatMap(({ day, utr, elsewhere }) =>
      elsewhere === null ? [] : [rowOfOthers(day, utr, elsewhere)],
    )
    const rows = shown.map(({ one, whose }) => {
      const { line, money } = one
      const { as, reg_no: regNo, order_id: order, why } = wireLine(one, whose)
      const amounts = [line.amount, line.fee, line.tax, line.net].map((amount) =>
        rupees(amount).toFixed(2),
      )
      const paid = money === null ? line.paidOn : isoIndia(money.paidAt).slice(0, 10)
      const names = [line.is, order, line.reference, regNo, paid]
      return [line.day, line.utr, ...names, ...amounts, SETTLED_WORDS[as], why]
    })
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header(
        'content-disposition',
        `attachment; filename="${event.id}_settlements_${dayOf(at)}.csv"`,
      )
      .send(csvRows([CSV_HEADS, ...rows, ...others], true))
  }

  const rule = { least: 'treasurer', about: 'event' } as const
  office.get('/admin/settlements', rule, show)
  office.get('/admin/settlements/export', rule, csv)
}

/** Adds up lines of other events in a payout, so that the rows match the bank's amount. */
function rowOfOthers(
  day: string | null,
  utr: string,
  { lines, net }: NonNullable<WirePayout['elsewhere']>,
): readonly (string | null)[] {
  const text = `${lines} ${lines === 1 ? 'line' : 'lines'} of other events`
  return [day, utr, ...Array<string>(8).fill(''), net.toFixed(2), SETTLED_WORDS.elsewhere, text]
}

const CSV_HEADS = [
  'Settled on',
  'UTR',
  'Kind',
  'Order',
  'Gateway reference',
  'Registration',
  'Paid on',
  'Amount',
  'Fee',
  'Tax on the fee',
  'Net',
  'State',
  'Note',
]
