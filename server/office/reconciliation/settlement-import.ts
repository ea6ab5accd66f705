/** Saves the settlement reports of gateways, and serves saved settlements as a page or as CSV. */
import { toWireCurrency } from '../../../engine/api.ts'
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import {
  getDecimals,
  INR,
  toBankKey,
  dayOf,
  formatIsoIndia,
  canSee,
  toAmount,
  groupByPayout,
  toMajorUnits,
  getTransferKey,
  toOrderKey,
} from '../../../engine/index.ts'
import type {
  BankKey,
  EventConfig,
  RecordedPayment,
  Payout,
  SettledLine,
  SettlementLine,
} from '../../../engine/index.ts'
import type {
  SettlementSavedResponse,
  SettlementsResponse,
  WirePayout,
  WireSettledLine,
  WireSettlement,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'
import { formatCsvRows } from '../spreadsheets/write-csv.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { buildViewer } from './registration-numbers-in-statement.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { formatFormerAccount, loadSettlementAccounts } from './settlement-account.ts'
import {
  canBeHandled,
  findHandling,
  matchSettlements,
  needsAttention,
} from './match-settlements.ts'
import type { Account, EventSettlements } from './match-settlements.ts'
import { assignLines, listOrderEvents, readAccountRecords } from './settlement-line-events.ts'
import type { AccountLookups, LineOwnership } from './settlement-line-events.ts'

export function toWireSettlement(
  event: Pick<EventConfig, 'id'>,
  settlements: EventSettlements,
): WireSettlement {
  const { ownership, settled, report, current, unsettledPayments } = settlements
  const shownLines = listShownAccounts(settlements).flatMap((account) =>
    account.settled
      .filter((item) => needsAttention(item) && account.ownership.isOwn(item.line))
      .map((item) => toWireLine(item, account.ownership)),
  )
  return {
    fresh: report?.newLines.filter(ownership.isOwn).length ?? null,
    changed: report?.changedLines.length ?? 0,
    lines:
      report === null
        ? shownLines
        : settled.map((settledLine) => toWireLine(settledLine, ownership)),
    payouts: buildPayouts(settlements),
    unsettled: unsettledPayments
      .filter(({ money }) => money.eventId === event.id)
      .map(({ money, days }) => ({
        reg_no: money.regNo,
        reference: money.reference,
        amount: toMajorUnits(money.amount, money.currency),
        ...toWireCurrency(money.currency),
        paid_on: dayOf(money.paidAt),
        days,
        account: formatFormerAccount(current, money),
      })),
    unread: [...(report?.unread ?? [])],
    not_yet: report?.unsettled ?? 0,
  }
}

/** Lists the accounts to show: all accounts for stored settlements, one account for a report. */
export const listShownAccounts = (settlements: EventSettlements): readonly Account[] =>
  settlements.report === null ? [settlements, ...settlements.others] : [settlements]

/** Builds the payouts of the shown accounts, latest first. */
export const buildPayouts = (settlements: EventSettlements): WirePayout[] =>
  listShownAccounts(settlements)
    .flatMap((account) =>
      buildAccountPayouts(account).map((payout) => ({
        ...payout,
        account: formatFormerAccount(settlements.current, account.settlementAccount),
      })),
    )
    .toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? ''))

/**
 * Builds an account's payouts that contain a line of the user's events. In these payouts, lines of other events
 * appear as a count and a sum, because the user compares the payout's total with the bank's.
 */
function buildAccountPayouts({ all, payouts: accountPayouts, ownership }: Account): WirePayout[] {
  const lines = Map.groupBy(all, ({ line }) => getTransferKey(line))
  return accountPayouts.flatMap((payout): readonly WirePayout[] => {
    const payoutLines = lines.get(getTransferKey(payout)) ?? []
    const ownRows = payoutLines.filter(({ line }) => ownership.isOwn(line))
    if (ownRows.length === payoutLines.length) return [toWirePayout(payout)]
    const [ownLines] = ownRows.some(belongsToEvent)
      ? groupByPayout(ownRows.map(({ line }) => line))
      : []
    if (ownLines === undefined) return []
    const { day, net } = payout
    const otherEventLines = {
      lines: payoutLines.length - ownRows.length,
      net: toMajorUnits(toAmount(net - ownLines.net), INR),
    }
    return [{ ...toWirePayout({ ...ownLines, day, net }), elsewhere: otherEventLines }]
  })
}

function toWirePayout({ day, utr, lines, ...amounts }: Payout): WirePayout {
  return {
    day,
    utr,
    lines,
    sales: toMajorUnits(amounts.sales, INR),
    refunds: toMajorUnits(amounts.refunds, INR),
    fee: toMajorUnits(amounts.fee, INR),
    tax: toMajorUnits(amounts.tax, INR),
    others: toMajorUnits(amounts.others, INR),
    net: toMajorUnits(amounts.net, INR),
    account: null,
    elsewhere: null,
  }
}

const belongsToEvent = ({ money, order }: SettledLine): boolean =>
  (money?.eventId ?? order?.eventId ?? null) !== null

export function toWireLine(
  settledLine: SettledLine,
  { isElsewhere, isPartial }: LineOwnership,
): WireSettledLine {
  const { line, money, order } = settledLine
  const isHidden = isElsewhere(line)
  const reason =
    isPartial && money === null && order === null ? UNKNOWN_IN_EVENTS_MESSAGE : settledLine.why
  const storedLine = isHidden || !canBeHandled(settledLine) ? undefined : line.stored
  const handling = isHidden ? null : findHandling(settledLine)
  return {
    line: line.line,
    is: line.is,
    as: isHidden ? 'elsewhere' : handling === null ? settledLine.as : 'handled',
    // The order id of a first attempt is the registration number.
    order_id: isHidden ? '' : line.order,
    reference: line.reference,
    amount: toMajorUnits(line.amount, INR),
    fee: toMajorUnits(line.fee, INR),
    tax: toMajorUnits(line.tax, INR),
    net: toMajorUnits(line.net, INR),
    day: line.day,
    utr: line.utr,
    reg_no: findOwner(settledLine)?.regNo ?? null,
    why: isHidden ? ANOTHER_EVENT_MESSAGE : reason,
    id: storedLine?.id ?? null,
    seen: storedLine?.decisionId ?? null,
    handled: handling === null ? null : { ...handling, at: formatIsoIndia(handling.at) },
  }
}

const ANOTHER_EVENT_MESSAGE = 'The order number belongs to another event. Contact its staff.'
const UNKNOWN_IN_EVENTS_MESSAGE = 'Your events have no such order or payment.'

/** Returns a line's registration. Null if the line does not belong to any known registration. */
export function findOwner({ money, order }: Pick<SettledLine, 'money' | 'order'>): {
  readonly regNo: string
  readonly eventId: string
} | null {
  const toOwner = (payment: RecordedPayment | null) =>
    payment === null || payment.regNo === null || payment.eventId === null
      ? null
      : { regNo: payment.regNo, eventId: payment.eventId }
  return toOwner(money) ?? order
}

/** Labels for a line's result in print and export. */
export const SETTLED_LABELS: Readonly<Record<WireSettledLine['as'], string>> = {
  settled: 'settled',
  refunded: 'refunded',
  review: 'needs review',
  differs: 'differs',
  unknown: 'unknown',
  elsewhere: 'another event',
  handled: 'handled',
}

/** Finds references of transfers to events that the user cannot access. If stored, they would become payouts. */
async function findForeignTransfers(
  store: Pick<Store, 'knownReferences'>,
  lines: readonly SettlementLine[],
  user: OtherEvents['user'],
): Promise<ReadonlySet<BankKey>> {
  if (user.events === null) return new Set()
  const { payments, reports } = await store.knownReferences([
    ...new Set(lines.map(({ utr }) => toBankKey(utr))),
  ])
  const isForeign = ({ eventId = null }: { readonly eventId?: string | null }): boolean =>
    eventId !== null && !canSee(user, eventId)
  return new Set([
    ...payments.flatMap(([key, payment]) => (isForeign(payment) ? [key] : [])),
    ...reports.filter((report) => !report.isReleased && isForeign(report)).map(({ key }) => key),
  ])
}

/**
 * Stores a report's new lines. For a user with access to only some events, skips lines whose payment is unknown in
 * these events, because they may belong to another event, and requests gateway queries about their orders.
 */
export async function saveReport(
  {
    store,
    clock,
  }: {
    readonly store: Pick<
      Store,
      'saveSettlement' | 'knownOrders' | 'knownReferences' | AccountLookups
    >
    readonly clock: Deps['clock']
  },
  event: EventConfig,
  account: SettlementAccount,
  report: {
    readonly file: Buffer
    readonly lines: readonly SettlementLine[]
    readonly who: string
  },
  viewer: OtherEvents,
): Promise<SettlementSavedResponse> {
  const [records, orders] = await Promise.all([
    readAccountRecords(store, account, viewer),
    store.knownOrders(report.lines.map(({ order }) => order)),
  ])
  const ownership = assignLines(account, viewer, records, orders)
  const foreignTransfers = await findForeignTransfers(store, report.lines, viewer.user)
  const isKeepable = (line: SettlementLine): boolean =>
    ownership.isKeepable(line) && !foreignTransfers.has(toBankKey(line.utr))
  const keepableLines = report.lines.filter(isKeepable)
  const elsewhereCount = report.lines.filter(ownership.isElsewhere).length
  const unknownCount = report.lines.length - keepableLines.length - elsewhereCount
  const skippedOrders = new Set(
    report.lines.filter((line) => !isKeepable(line)).map(({ order }) => toOrderKey(order)),
  )
  const { added, changed, known, toReview } = await store.saveSettlement({
    ...account,
    eventId: event.id,
    sha256: createHash('sha256').update(report.file).digest('hex'),
    who: report.who,
    at: clock(),
    lines: keepableLines,
    orderEvents: listOrderEvents(viewer.all, keepableLines),
    ask: ownership.orders.flatMap(({ order }) =>
      skippedOrders.has(toOrderKey(order)) ? [order] : [],
    ),
  })
  const parts = [
    [added, 'saved'],
    [changed, 'changed'],
    [known, 'already saved'],
    [toReview, 'sent for review'],
    [elsewhereCount, 'of other events skipped'],
    [unknownCount, 'unknown in your events skipped'],
  ] as const
  const texts = parts
    .filter(([count], index) => count > 0 || index === 0)
    .map(([count, text]) => `${count} ${count === 1 ? 'line' : 'lines'} ${text}`)
  const message = `${texts.join(', ')}.`
  return { status: 'success', message, added, changed, known, to_review: toReview }
}

export function addSettlementRoutes(office: OfficeRoutes, deps: Deps): void {
  const loadAccounts = async ({ user, target }: Call<'event'>, reply: FastifyReply) => {
    const event = target.config
    const accounts = await loadSettlementAccounts(deps.store, event)
    reply.header('cache-control', 'no-store')
    if (accounts !== null) return { user, event, accounts }
    sendError(reply, 404, 'not_found', 'No event with this name takes card payments.')
    return null
  }

  const sendSettlements = async (
    call: Call<'event'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const loadResult = await loadAccounts(call, reply)
    if (loadResult === null) return reply
    const { user, event, accounts } = loadResult
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: 'viewed the settlements',
      eventId: event.id,
      regNo: null,
      look: 'settlements',
    })
    const response: SettlementsResponse = {
      status: 'success',
      settlement: toWireSettlement(
        event,
        await matchSettlements(deps, accounts, null, buildViewer(deps, user)),
      ),
    }
    return reply.send(response)
  }

  const sendCsv = async (call: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const loadResult = await loadAccounts(call, reply)
    if (loadResult === null) return reply
    const { user, event, accounts } = loadResult
    const settlements = await matchSettlements(deps, accounts, null, buildViewer(deps, user))
    const shownLines = listShownAccounts(settlements).flatMap(({ settled, ownership }) =>
      settled
        .filter(({ line }) => ownership.isOwn(line))
        .map((settledLine) => ({ settledLine, ownership })),
    )
    const at = deps.clock()
    await deps.store.addAuditEntry({
      at,
      who: user.username,
      what: 'exported the settlements',
      eventId: event.id,
      regNo: null,
    })
    const otherPayouts = buildPayouts(settlements).flatMap(
      ({ day, utr, elsewhere: otherEventLines }) =>
        otherEventLines === null ? [] : [buildOtherEventsRow(day, utr, otherEventLines)],
    )
    const rows = shownLines.map(({ settledLine, ownership }) => {
      const { line, money } = settledLine
      const wireLine = toWireLine(settledLine, ownership)
      const { as, reg_no: regNo, order_id: order, why, handled: handling } = wireLine
      const reason =
        handling === null ? why : `${why ?? ''} ${handling.who}: ${handling.why}`.trim()
      const amounts = [line.amount, line.fee, line.tax, line.net].map((amount) => ({
        amount: toMajorUnits(amount, INR),
        decimals: getDecimals(INR),
      }))
      const paidOn = money === null ? line.paidOn : formatIsoIndia(money.paidAt).slice(0, 10)
      const names = [line.is, order, line.reference, regNo, paidOn]
      return [line.day, line.utr, ...names, ...amounts, SETTLED_LABELS[as], reason]
    })
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header(
        'content-disposition',
        `attachment; filename="${event.id}_settlements_${dayOf(at)}.csv"`,
      )
      .send(formatCsvRows([CSV_HEADINGS, ...rows, ...otherPayouts], true))
  }

  const rule = { minRole: 'treasurer', target: 'event' } as const
  office.get('/admin/settlements', rule, sendSettlements)
  office.get('/admin/settlements/export', rule, sendCsv)
}

/** Adds up lines of other events in a payout, so that the rows add up to the bank's amount. */
function buildOtherEventsRow(
  day: string | null,
  utr: string,
  { lines, net }: NonNullable<WirePayout['elsewhere']>,
): readonly CsvCell[] {
  const text = `${lines} ${lines === 1 ? 'line' : 'lines'} of other events`
  return [
    day,
    utr,
    ...Array<string>(8).fill(''),
    { amount: net, decimals: getDecimals(INR) },
    SETTLED_LABELS.elsewhere,
    text,
  ]
}

const CSV_HEADINGS = [
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
