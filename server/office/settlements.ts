/** The calls for a gateway's settlements: a report laid beside the money that came, kept, and what is kept as a page and as CSV. */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import {
  bankKey,
  dayOf,
  isoIndia,
  joinLines,
  judgeSettled,
  lineKey,
  maySee,
  paise,
  payouts,
  rupees,
  unsettled,
} from '../../engine/index.ts'
import type {
  EventConfig,
  HeldMoney,
  Payout,
  Person,
  Settled,
  Settlement,
  SettlementKeptAnswer,
  SettlementLine,
  SettlementsAnswer,
  Unsettled,
  WirePayout,
  WireSettled,
  WireSettlement,
} from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import type { SettlementAccount, Store } from '../store/store.ts'
import { csvRows } from './csv.ts'
import type { Call, OfficeRoutes } from './guard.ts'

type Read = Pick<Store, 'settlementLines' | 'heldMoney' | 'heldOrders'>
/** All that an account's settlements say. */
export type Account = {
  readonly settled: readonly Settled[]
  /** All lines of its payouts, also those that are not in the report. */
  readonly all: readonly Settled[]
  /** Of a report that was loaded: its lines, and which of them are not kept yet. */
  readonly report: (Settlement & { readonly fresh: readonly SettlementLine[] }) | null
  readonly payouts: readonly Payout[]
  readonly unsettled: readonly Unsettled[]
}

/** Null: no money comes through a gateway for it. */
export function settlementAccount({ payment }: EventConfig): SettlementAccount | null {
  return payment === null ? null : { source: payment.gateway.name, account: payment.account }
}

/** Reads and writes nothing. `report` null: what is kept. */
export async function layAccount(
  { store, clock }: { readonly store: Read; readonly clock: Deps['clock'] },
  of: SettlementAccount,
  report: Settlement | null,
): Promise<Account> {
  const [kept, held] = await Promise.all([store.settlementLines(of), store.heldMoney(of)])
  const keys = new Set(kept.map(lineKey))
  const all = report === null ? kept : joinLines(kept, report.lines)
  const orders = await store.heldOrders([...new Set(all.map(({ order }) => order))])
  const settled = judgeSettled(all, held, orders)
  const inReport = new Set(report?.lines.map(lineKey))
  const transfers = new Set(report?.lines.map(transferOf))
  return {
    settled: report === null ? settled : settled.filter(({ line }) => inReport.has(lineKey(line))),
    all: settled,
    report:
      report === null
        ? null
        : { ...report, fresh: report.lines.filter((line) => !keys.has(lineKey(line))) },
    payouts: payouts(all).filter((payout) => report === null || transfers.has(transferOf(payout))),
    unsettled: unsettled(settled, held, clock()),
  }
}

/** In which transfer to the bank a line is. */
const transferOf = ({ utr, day }: Pick<Payout, 'utr' | 'day'>): string =>
  utr === '' ? `${day}` : utr

/** Whether somebody has to look. */
export function needsLook({ as }: Settled): boolean {
  return as !== 'settled' && as !== 'refunded'
}

/** As somebody sees it who works for some events: the names of others' registrations stay out. */
export function wireSettlement(
  event: EventConfig,
  account: Account,
  person: Pick<Person, 'events'>,
): WireSettlement {
  const { settled, report, unsettled: open } = account
  // Whether somebody of another event has to look says how a payment stands there.
  const shown =
    report === null ? settled.filter((one) => needsLook(one) && !isForeign(one, person)) : settled
  const foreign = new Set(
    settled.filter((one) => isForeign(one, person)).map(({ line }) => lineKey(line)),
  )
  return {
    fresh: report?.fresh.filter((line) => !foreign.has(lineKey(line))).length ?? null,
    lines: shown.map((one) => wireLine(one, person)),
    payouts: payoutsFor(account, person),
    unsettled: open
      .filter(({ money }) => money.eventId === event.id)
      .map(({ money, days }) => ({
        reg_no: money.regNo,
        reference: money.reference,
        amount: rupees(money.amount),
        paid_on: dayOf(money.paidAt),
        days,
      })),
    unread: [...(report?.unread ?? [])],
    not_yet: report?.unsettled ?? 0,
  }
}

/**
 * A payout without a line of the user's events is left out. Of others, lines of other events are a count and a sum: the
 * user compares the amount of the whole payout with the bank's.
 */
function payoutsFor({ all, payouts: paid }: Account, person: Pick<Person, 'events'>): WirePayout[] {
  const lines = Map.groupBy(all, ({ line }) => transferOf(line))
  return paid.flatMap((payout): readonly WirePayout[] => {
    const those = lines.get(transferOf(payout)) ?? []
    const shown = those.filter((one) => !isForeign(one, person))
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
    elsewhere: null,
  }
}

const isOfEvent = ({ money, order }: Settled): boolean =>
  (money?.eventId ?? order?.eventId ?? null) !== null

function wireLine(one: Settled, person: Pick<Person, 'events'>): WireSettled {
  const { line } = one
  const isHidden = isForeign(one, person)
  return {
    line: line.line,
    is: line.is,
    as: isHidden ? 'elsewhere' : one.as,
    // The order of a first attempt is the number of the registration.
    order_id: isHidden ? '' : line.order,
    reference: line.reference,
    amount: rupees(line.amount),
    fee: rupees(line.fee),
    tax: rupees(line.tax),
    net: rupees(line.net),
    day: line.day,
    utr: line.utr,
    reg_no: isHidden ? null : (ownerOf(one)?.regNo ?? null),
    why: isHidden ? OF_ANOTHER_EVENT : one.why,
  }
}

/** Of money or of an order of an event that the user does not work for. */
function isForeign({ money, order }: Settled, user: Pick<Person, 'events'>): boolean {
  return [money?.eventId, order?.eventId].some(
    (id) => id !== undefined && id !== null && !maySee(user, id),
  )
}

const OF_ANOTHER_EVENT =
  'This line belongs to another event. Ask somebody who works for that event.'

/** Null: it is of no registration that is known. */
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

/** What a line is called where it is printed or exported. */
export const SETTLED_WORDS: Readonly<Record<WireSettled['as'], string>> = {
  settled: 'settled',
  refunded: 'refunded',
  review: 'before a person',
  differs: 'differs',
  unknown: 'unknown here',
  elsewhere: 'of another event',
}

/**
 * The lines of a report that touch no event but those of the user: by the order, the transaction and the refund that they
 * name, and by the bank's number, which says from then on that it is a payout and nobody's transfer.
 */
async function linesFor(
  store: Pick<Store, 'heldMoney' | 'heldOrders' | 'knownReferences'>,
  of: SettlementAccount,
  lines: readonly SettlementLine[],
  user: Pick<Person, 'events'>,
): Promise<readonly SettlementLine[]> {
  if (user.events === null) return lines
  const [money, orders, { payments, claims }] = await Promise.all([
    store.heldMoney(of),
    store.heldOrders(lines.map(({ order }) => order)),
    store.knownReferences([...new Set(lines.map(({ utr }) => bankKey(utr)))]),
  ])
  const isElsewhere = ({ eventId = null }: { readonly eventId?: string | null }): boolean =>
    eventId !== null && !maySee(user, eventId)
  const foreign = {
    orders: new Set(orders.filter(isElsewhere).map(({ order }) => order)),
    references: new Set(
      money
        .filter(isElsewhere)
        .flatMap(({ reference, refunds }) => [reference, ...refunds.map((one) => one.reference)]),
    ),
    utrs: new Set([
      ...payments.flatMap(([key, payment]) => (isElsewhere(payment) ? [key] : [])),
      ...claims.filter(isElsewhere).map(({ key }) => key),
    ]),
  }
  // A line without a reference is kept under its order.
  return lines.filter(
    ({ order, reference, utr }) =>
      !foreign.orders.has(order) &&
      !foreign.references.has(reference === '' ? order : reference) &&
      !foreign.utrs.has(bankKey(utr)),
  )
}

/** Keeps what of a report is not kept yet. Lines of events that the user does not work for stay out. */
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
  user: Pick<Person, 'events'>,
): Promise<SettlementKeptAnswer> {
  const kept = await linesFor(store, of, report.lines, user)
  const left = report.lines.length - kept.length
  const { added, known, toReview } = await store.keepSettlement({
    ...of,
    eventId: event.id,
    sha256: createHash('sha256').update(report.file).digest('hex'),
    who: report.who,
    at: clock(),
    lines: kept,
  })
  const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`
  const said = [
    `${lines(added)} kept`,
    ...(known === 0 ? [] : [`${lines(known)} kept before`]),
    ...(toReview === 0 ? [] : [`money of ${lines(toReview)} is before a person`]),
    ...(left === 0 ? [] : [`${lines(left)} of other events left unmatched`]),
  ]
  return { status: 'success', message: `${said.join(', ')}.`, added, known, to_review: toReview }
}

export function settlementRoutes(office: OfficeRoutes, deps: Deps): void {
  const asked = ({ admin, target }: Call<'event'>, reply: FastifyReply) => {
    const event = target.config
    const of = settlementAccount(event)
    reply.header('cache-control', 'no-store')
    if (of !== null) return { admin, event, of }
    refuse(reply, 404, 'not_found', 'There is no event of this name that takes cards.')
    return null
  }

  const show = async (call: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const found = asked(call, reply)
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
      settlement: wireSettlement(event, await layAccount(deps, of, null), admin),
    }
    return reply.send(answer)
  }

  const csv = async (call: Call<'event'>, reply: FastifyReply): Promise<FastifyReply> => {
    const found = asked(call, reply)
    if (found === null) return reply
    const { admin, event, of } = found
    const account = await layAccount(deps, of, null)
    const shown = account.settled.filter((one) => !isForeign(one, admin))
    const at = deps.clock()
    await deps.store.audit({
      at,
      who: admin.username,
      what: 'exported the settlements',
      eventId: event.id,
      regNo: null,
    })
    const others = payoutsFor(account, admin).flatMap(({ day, utr, elsewhere }) =>
      elsewhere === null ? [] : [rowOfOthers(day, utr, elsewhere)],
    )
    const rows = shown.map((one) => {
      const { line, money } = one
      const { as, reg_no: regNo, order_id: order, why } = wireLine(one, admin)
      const amounts = [line.amount, line.fee, line.tax, line.net].map((amount) =>
        rupees(amount).toFixed(2),
      )
      const paid =
        money === null || as === 'elsewhere' ? line.paidOn : isoIndia(money.paidAt).slice(0, 10)
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

/** Lines of other events in a payout, so that the rows add up to what the bank shows. */
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
  'How it stands',
  'What a person has to know',
]
