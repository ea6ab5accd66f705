/** Serves the payouts of all gateway accounts of a user, each with its line in the saved bank statements. */
import type { FastifyReply } from 'fastify'
import type { PayoutsResponse, WireBankLine, WirePayout } from '../../../engine/api.ts'
import {
  INR,
  addDays,
  bankKey,
  canSee,
  day as toDay,
  fromMajorUnits,
  isDay,
  lineReferenceKeys,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { StatementDeposit, SettlementAccount } from '../../storage/index.ts'
import { findUserEvents } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { matchSettlements } from './match-settlements.ts'
import type { EventSettlements } from './match-settlements.ts'
import { buildViewer } from './registration-numbers-in-statement.ts'
import { loadSettlementAccounts, readSettlementAccounts } from './settlement-account.ts'
import { buildPayouts, findOwner, shownAccounts, toWireLine } from './settlement-import.ts'

/** Banks credit a payout by the second working day, and a gateway may date it by the day before. */
const DAYS_BEFORE_MAX = 1
const DAYS_AFTER_MAX = 5

export function payoutRoutes(office: OfficeRoutes, deps: Deps): void {
  const show = async (
    { admin, query }: Call<'any', 'reference'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const settlements = await loadAllSettlements(deps, admin)
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: admin.username,
      what: 'saw the payouts',
      eventId: null,
      regNo: null,
      look: 'settlements',
    })
    const paid = settlements === null ? [] : buildPayouts(settlements)
    const payouts = await findInStatements(deps, admin, paid)
    const shown =
      query.reference === ''
        ? payouts
        : payouts.filter((payout) => payoutReference(payout) === query.reference)
    const lines =
      settlements === null || query.reference === '' ? [] : listLines(settlements, query.reference)
    const answer: PayoutsResponse = { status: 'success', payouts: shown, lines }
    return reply.send(answer)
  }
  office.get('/admin/payouts', { least: 'treasurer', about: 'any', query: ['reference'] }, show)
}

/** The payouts of all accounts of the user, each with its line in the saved bank statements. */
export async function readPayouts(
  deps: Deps,
  admin: Call['admin'],
): Promise<PayoutsResponse['payouts']> {
  const settlements = await loadAllSettlements(deps, admin)
  return findInStatements(deps, admin, settlements === null ? [] : buildPayouts(settlements))
}

/** Payouts without a bank reference are named by their day. */
const payoutReference = ({ utr, day }: Pick<WirePayout, 'utr' | 'day'>): string =>
  utr === '' ? (day ?? '') : utr

/** Each account once, although several events may use it. Null if no event uses a gateway. */
async function loadAllSettlements(
  deps: Deps,
  admin: Call['admin'],
): Promise<EventSettlements | null> {
  const events = findUserEvents(deps, admin)
  const accounts = new Map<string, SettlementAccount>()
  for (const event of events) {
    const ofEvent = await loadSettlementAccounts(deps.store, event)
    for (const account of ofEvent === null ? [] : [ofEvent.reported, ...ofEvent.others])
      accounts.set(`${account.source} ${account.account}`, account)
  }
  const [reported, ...others] = accounts.values()
  if (reported === undefined) return null
  const current = events.flatMap(readSettlementAccounts)
  return matchSettlements(deps, { reported, current, others }, null, buildViewer(deps, admin))
}

function listLines(settlements: EventSettlements, reference: string): PayoutsResponse['lines'] {
  return shownAccounts(settlements).flatMap(({ all, ownership }) =>
    all
      .filter(({ line }) => ownership.isOwn(line) && payoutReference(line) === reference)
      .map((settledLine) => ({
        ...toWireLine(settledLine, ownership),
        event: findOwner(settledLine)?.eventId ?? null,
      })),
  )
}

/** Finds the bank's line of each payout: by its reference, or by its amount at about its day. */
async function findInStatements(
  { store }: Pick<Deps, 'store'>,
  admin: Call['admin'],
  payouts: readonly WirePayout[],
): Promise<PayoutsResponse['payouts']> {
  const days = payouts.flatMap(({ day }) => (day !== null && isDay(day) ? [day] : [])).toSorted()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined)
    return payouts.map((payout) => ({ ...payout, bank: { is: 'no_statement' } }))
  const deposits = (
    await store.statementDeposits(
      addDays(toDay(first), -DAYS_BEFORE_MAX),
      addDays(toDay(last), DAYS_AFTER_MAX),
    )
  ).filter(({ events }) => events.every((id) => canSee(admin, id)))
  const used = new Set<number>()
  const byKey = new Map(
    deposits.flatMap((deposit) =>
      [...lineReferenceKeys(deposit)].map((key) => [key, deposit] as const),
    ),
  )
  return payouts.map((payout) => {
    const named = payout.utr === '' ? undefined : byKey.get(bankKey(payout.utr))
    const net = fromMajorUnits(Math.abs(payout.net), INR)
    const deposit =
      named ??
      deposits.find(
        (candidate) =>
          payout.net > 0 &&
          candidate.amount === net &&
          isNear(payout.day, candidate.day) &&
          !used.has(candidate.id),
      )
    if (deposit !== undefined) used.add(deposit.id)
    return { ...payout, bank: describeDeposit(payout, deposit, deposits) }
  })
}

const isNear = (payoutDay: string | null, day: Day): boolean =>
  payoutDay !== null &&
  isDay(payoutDay) &&
  addDays(toDay(payoutDay), -DAYS_BEFORE_MAX) <= day &&
  day <= addDays(toDay(payoutDay), DAYS_AFTER_MAX)

function describeDeposit(
  { day, net }: WirePayout,
  deposit: StatementDeposit | undefined,
  deposits: readonly StatementDeposit[],
): WireBankLine {
  if (deposit === undefined)
    return { is: deposits.some((other) => isNear(day, other.day)) ? 'missing' : 'no_statement' }
  const amount = toMajorUnits(deposit.amount, INR)
  const { statementId: statement, day: on } = deposit
  return { is: amount === net ? 'found' : 'amount_differs', statement, day: on, amount }
}
