/** Serves the payouts of all of a user's gateway accounts, each with its line in the saved bank statements. */
import type { FastifyReply } from 'fastify'
import type { PayoutsResponse, WireBankLine, WirePayout } from '../../../engine/api.ts'
import {
  INR,
  addDays,
  toBankKey,
  canSee,
  day as toDay,
  fromMajorUnits,
  isDay,
  listLineKeys,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Day, KnownPayout, PermissionHolder } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { StatementDeposit, SettlementAccount } from '../../storage/index.ts'
import { findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { matchSettlements } from './match-settlements.ts'
import type { EventSettlements } from './match-settlements.ts'
import { buildViewer } from './registration-numbers-in-statement.ts'
import { loadSettlementAccounts, readSettlementAccounts } from './settlement-account.ts'
import { buildPayouts, findOwner, listShownAccounts, toWireLine } from './settlement-import.ts'

/** Banks credit a payout by the second working day, and a gateway may date it one day earlier. */
const MAX_DAYS_BEFORE = 1
const MAX_DAYS_AFTER = 5

type PayoutDeps = Pick<Deps, 'store' | 'events' | 'clock'>
type User = Pick<PermissionHolder, 'events'>

export function addPayoutRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendPayouts = async (
    { user, query }: Call<'none', 'reference'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const settlements = await loadAllSettlements(deps, user)
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: 'viewed the payouts',
      eventId: getViewedEventId(user),
      regNo: null,
      look: 'settlements',
    })
    const allPayouts = settlements === null ? [] : buildPayouts(settlements)
    const payouts = await findInStatements(deps, user, allPayouts)
    const shownPayouts =
      query.reference === ''
        ? payouts
        : payouts.filter((payout) => getPayoutReference(payout) === query.reference)
    const lines =
      settlements === null || query.reference === '' ? [] : listLines(settlements, query.reference)
    const response: PayoutsResponse = { status: 'success', payouts: shownPayouts, lines }
    return reply.send(response)
  }
  office.get(
    '/admin/payouts',
    { minRole: 'treasurer', target: 'none', query: ['reference'] },
    sendPayouts,
  )
}

/** Returns the payouts of all the user's accounts, each with its line in the saved bank statements. */
export async function readPayouts(
  deps: PayoutDeps,
  user: User,
): Promise<PayoutsResponse['payouts']> {
  const settlements = await loadAllSettlements(deps, user)
  return findInStatements(deps, user, settlements === null ? [] : buildPayouts(settlements))
}

/** Maps the id of a bank line to the payout that it matches only by amount and date. */
export async function readPayoutsByAmount(
  deps: PayoutDeps,
  user: User,
): Promise<ReadonlyMap<number, KnownPayout>> {
  const settlements = await loadAllSettlements(deps, user)
  const payouts = settlements === null ? [] : buildPayouts(settlements)
  const { found } = await findDeposits(deps, user, payouts)
  return new Map(
    found.flatMap(({ payout, deposit, isByAmount }) =>
      deposit === undefined || !isByAmount
        ? []
        : [
            [
              deposit.id,
              { utr: getPayoutReference(payout), lines: payout.lines, net: deposit.amount },
            ] as const,
          ],
    ),
  )
}

/** Returns the bank reference of a payout, or its date if it has none. */
const getPayoutReference = ({ utr, day }: Pick<WirePayout, 'utr' | 'day'>): string =>
  utr === '' ? (day ?? '') : utr

/** `eventByAccount`: maps each account to the user's event in which lines without a registration are handled. */
type AllSettlements = EventSettlements & { readonly eventByAccount: ReadonlyMap<string, string> }

/** Loads each account once, although several events may use it. Null if no event uses a gateway. */
async function loadAllSettlements(deps: PayoutDeps, user: User): Promise<AllSettlements | null> {
  const events = findUserEvents(deps, user)
  const accounts = new Map<string, SettlementAccount>()
  const eventByAccount = new Map<string, string>()
  for (const event of events) {
    const eventAccounts = await loadSettlementAccounts(deps.store, event)
    for (const account of eventAccounts === null
      ? []
      : [eventAccounts.reportAccount, ...eventAccounts.others]) {
      accounts.set(formatAccountName(account), account)
      eventByAccount.set(formatAccountName(account), event.id)
    }
  }
  const [reportedAccount, ...others] = accounts.values()
  if (reportedAccount === undefined) return null
  const currentAccounts = events.flatMap(readSettlementAccounts)
  const viewer = buildViewer(deps, user)
  const settlements = await matchSettlements(
    deps,
    { reportAccount: reportedAccount, current: currentAccounts, others },
    null,
    viewer,
  )
  return { ...settlements, eventByAccount }
}

const formatAccountName = ({ source, account }: SettlementAccount): string => `${source} ${account}`

function listLines(
  { eventByAccount, ...settlements }: AllSettlements,
  reference: string,
): PayoutsResponse['lines'] {
  return listShownAccounts(settlements).flatMap(({ settlementAccount, all, ownership }) =>
    all
      .filter(({ line }) => ownership.isOwn(line) && getPayoutReference(line) === reference)
      .map((settledLine) => ({
        ...toWireLine(settledLine, ownership),
        event:
          findOwner(settledLine)?.eventId ??
          eventByAccount.get(formatAccountName(settlementAccount)) ??
          null,
      })),
  )
}

async function findInStatements(
  deps: Pick<Deps, 'store'>,
  user: User,
  payouts: readonly WirePayout[],
): Promise<PayoutsResponse['payouts']> {
  const { found, deposits } = await findDeposits(deps, user, payouts)
  return found.map(({ payout, deposit }) => ({
    ...payout,
    bank: describeDeposit(payout, deposit, deposits),
  }))
}

type DepositMatch = {
  readonly payout: WirePayout
  readonly deposit: StatementDeposit | undefined
  readonly isByAmount: boolean
}
/**
 * Finds the bank line of each payout: by reference, otherwise by amount and approximate date. Only an undecided line
 * without a payout reference and without a payment can match by amount.
 */
async function findDeposits(
  { store }: Pick<Deps, 'store'>,
  user: User,
  payouts: readonly WirePayout[],
): Promise<{
  readonly found: readonly DepositMatch[]
  readonly deposits: readonly StatementDeposit[]
}> {
  const days = payouts.flatMap(({ day }) => (day !== null && isDay(day) ? [day] : [])).toSorted()
  const [firstPayoutDay, lastPayoutDay] = [days[0], days.at(-1)]
  const deposits =
    firstPayoutDay === undefined || lastPayoutDay === undefined
      ? []
      : (
          await store.statementDeposits(
            addDays(toDay(firstPayoutDay), -MAX_DAYS_BEFORE),
            addDays(toDay(lastPayoutDay), MAX_DAYS_AFTER),
          )
        ).filter(({ events }) => events.every((id) => canSee(user, id)))
  const depositsByKey = new Map(
    deposits.flatMap((deposit) => [...listLineKeys(deposit)].map((key) => [key, deposit] as const)),
  )
  const namedDeposits = payouts.map(({ utr }) =>
    utr === '' ? undefined : depositsByKey.get(toBankKey(utr)),
  )
  const usedDepositIds = new Set(namedDeposits.flatMap((deposit) => deposit?.id ?? []))
  const depositMatches = payouts.map((payout, index): DepositMatch => {
    const deposit = namedDeposits[index]
    if (deposit !== undefined) return { payout, deposit, isByAmount: false }
    const net = fromMajorUnits(Math.abs(payout.net), INR)
    const sameAmountDeposit = deposits.find(
      ({ id, amount, day, isResolved }) =>
        payout.net > 0 &&
        amount === net &&
        isNearPayoutDay(payout.day, day) &&
        isResolved === 0 &&
        !usedDepositIds.has(id),
    )
    if (sameAmountDeposit !== undefined) usedDepositIds.add(sameAmountDeposit.id)
    return { payout, deposit: sameAmountDeposit, isByAmount: true }
  })
  return { found: depositMatches, deposits }
}

const isNearPayoutDay = (payoutDay: string | null, day: Day): boolean =>
  payoutDay !== null &&
  isDay(payoutDay) &&
  addDays(toDay(payoutDay), -MAX_DAYS_BEFORE) <= day &&
  day <= addDays(toDay(payoutDay), MAX_DAYS_AFTER)

function describeDeposit(
  { day, net }: WirePayout,
  deposit: StatementDeposit | undefined,
  deposits: readonly StatementDeposit[],
): WireBankLine {
  if (deposit === undefined)
    return {
      is: deposits.some((other) => isNearPayoutDay(day, other.day)) ? 'missing' : 'no_statement',
    }
  const amount = toMajorUnits(deposit.amount, INR)
  const { statementId: statement, day: depositDay } = deposit
  return { is: amount === net ? 'found' : 'amount_differs', statement, day: depositDay, amount }
}
