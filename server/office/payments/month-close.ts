/**
 * Serves a month's figures and its file for the accountant, and closes the month.
 * Closing a month stores its figures but blocks no payment: records added afterwards are listed as later changes.
 */
import type { FastifyReply } from 'fastify'
import type { MonthClosedResponse, MonthResponse } from '../../../engine/api.ts'
import { addDays, addMonths, dayOf, day, formatDay, formatIsoIndia } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import type { MonthClosing, Movement } from '../../storage/index.ts'
import { findListedEventIds, findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { addEventEntries } from '../operations/audit-log.ts'
import { readPayouts } from '../reconciliation/payouts.ts'
import { countStatementLines } from '../reconciliation/statement-matches.ts'
import { buildAccountantFile } from './accountant-file.ts'
import { getEventTitle, toWireMovement, toWireTotals } from './movement-rows.ts'
import { readMovements } from './payment-lists.ts'
import { buildMonthPeriod } from './payment-period.ts'
import type { MonthScope, Period } from './payment-period.ts'

/** The page lists at most this many later changes. The file contains all of them. */
const MAX_SHOWN_CHANGES = 100

export function addMonthRoutes(office: OfficeRoutes, deps: Deps): void {
  const readScope = (
    { user, target }: Pick<Call<'events'>, 'user' | 'target'>,
    month: string,
    reply: FastifyReply,
  ): MonthScope | null => {
    const period = buildMonthPeriod(
      month === '' ? computePreviousMonth(dayOf(deps.clock())) : month,
    )
    if (period.ok)
      return { ...toScope(period.value), eventIds: findListedEventIds(deps, user, target) }
    sendError(reply, 400, 'bad_month', period.error)
    return null
  }

  const sendMonth = async (
    call: Call<'events', 'month'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const scope = readScope(call, call.query.month, reply)
    if (scope === null) return reply
    const { from, to, eventIds, month } = scope
    const [sums, closings, documents, checks] = [
      await deps.store.movementSums(scope),
      await deps.store.monthClosings(month, eventIds),
      await deps.store.taxDocuments(scope),
      await readChecks(deps, call.user, scope),
    ]
    const changes = await readChanges(deps, scope, closings)
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: call.user.username,
      what: `viewed the month ${month}`,
      eventId: getViewedEventId(call.user, call.target),
      regNo: null,
      look: 'month',
    })
    const response: MonthResponse = {
      status: 'success',
      month,
      from: dayOf(from),
      to: addDays(dayOf(to), -1),
      is_over: deps.clock() >= to,
      totals: sums.map((sum) => toWireTotals(deps, sum)),
      checks,
      invoices: documents.filter(({ body }) => body.kind === 'invoice').length,
      credit_notes: documents.filter(({ body }) => body.kind === 'credit').length,
      closings: closings.map(({ eventId, who, at }) => ({
        event_id: eventId,
        event: getEventTitle(deps, eventId),
        who,
        at: formatIsoIndia(at),
      })),
      changes: changes.slice(0, MAX_SHOWN_CHANGES).map((row) => toWireMovement(deps, row)),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const sendFile = async (
    call: Call<'events', 'month'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const scope = readScope(call, call.query.month, reply)
    if (scope === null) return reply
    const closings = await deps.store.monthClosings(scope.month, scope.eventIds)
    const changes = await readChanges(deps, scope, closings)
    const file = await buildAccountantFile(deps, scope, { closings, changes })
    await addEntries(call, `exported the month ${scope.month} for the accountant`, scope.eventIds)
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="accounts_${scope.month}.zip"`)
      .type('application/zip')
      .send(file)
  }

  const closeMonth = async (
    call: Call<'events', never, 'month'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { month: requestedMonth } = call.body
    const scope = readScope(
      call,
      typeof requestedMonth === 'string' ? requestedMonth : 'none',
      reply,
    )
    if (scope === null) return reply
    const { month, to } = scope
    const at = deps.clock()
    if (at < to)
      return sendError(
        reply,
        409,
        'month_not_over',
        `This month ends on ${formatDay(addDays(dayOf(to), -1))}. Close it after that day.`,
      )
    const eventIds = scope.eventIds ?? findUserEvents(deps, call.user).map(({ id }) => id)
    const sums = await deps.store.movementSums({ ...scope, eventIds })
    await call.store.closeMonth(
      eventIds.map((eventId) => ({
        eventId,
        month,
        who: call.user.username,
        at,
        figures: sums.filter((sum) => sum.eventId === eventId),
      })),
    )
    await addEntries(call, `closed the month ${month}`, eventIds)
    const response: MonthClosedResponse = { status: 'success', message: 'The month is closed.' }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const addEntries = (
    { user }: Pick<Call<'events'>, 'user'>,
    what: string,
    eventIds: readonly string[] | null,
  ): Promise<void> =>
    addEventEntries(
      deps,
      { who: user.username, what },
      eventIds ?? findUserEvents(deps, user).map(({ id }) => id),
    )

  const rule = { minRole: 'treasurer', target: 'events' } as const
  office.get('/admin/months', { ...rule, query: ['month'] }, sendMonth)
  office.get('/admin/months/export', { ...rule, query: ['month'] }, sendFile)
  office.post('/admin/months/close', { ...rule, body: { month: 'text' } }, closeMonth)
}

const computePreviousMonth = (today: Day): string =>
  addMonths(day(`${today.slice(0, 7)}-01`), -1).slice(0, 7)
const toScope = ({ from, to, name }: Period) => ({ from, to, month: name })

/** Reads the changes recorded or decided after the month was closed for each event, newest first. */
async function readChanges(
  deps: Pick<Deps, 'store'>,
  scope: MonthScope,
  closings: readonly MonthClosing[],
): Promise<readonly Movement[]> {
  const changes: Movement[] = []
  for (const { eventId, at: changedAfter } of closings) {
    for await (const rows of readMovements(deps, { ...scope, eventIds: [eventId], changedAfter }))
      changes.push(...rows)
    // Includes payments moved to other events. Otherwise, only the event that receives a moved payment would show why
    // its figures changed.
    const { from, to } = scope
    changes.push(...(await deps.store.paymentsMovedAway(eventId, { from, to, changedAfter })))
  }
  return changes.toSorted((a, b) => b.recordedAt - a.recordedAt)
}

async function readChecks(
  deps: Deps,
  user: Call['user'],
  scope: MonthScope,
): Promise<MonthResponse['checks']> {
  const { store, events } = deps
  const { from, to, eventIds } = scope
  const isListed = (eventId: string | null): boolean =>
    eventIds === null || (eventId !== null && eventIds.includes(eventId))
  const [firstDay, lastDay] = [dayOf(from), addDays(dayOf(to), -1)]
  const statements = await countStatementLines(deps, user, eventIds, {
    first: firstDay,
    last: lastDay,
  })
  const unreconciledSums = await store.movementSums({ ...scope, isUnreconciled: true })
  const reviews = (await store.reviews(null)).filter(
    ({ eventId, came, since }) => isListed(eventId) && (came?.paidAt ?? since) < to,
  )
  const refunds = (await store.openRefunds(eventIds)).filter(({ at }) => at < to)
  const unsettledSums = await store.movementSums({ ...scope, isUnsettled: true })
  let missingRateCount = 0
  for (const { config } of events.all())
    if (isListed(config.id))
      missingRateCount += (await store.waitingInvoices(config.id)).filter(
        ({ day: paidOn }) => paidOn <= lastDay,
      ).length
  return {
    statements,
    unreconciled: unreconciledSums.reduce((sum, { payments }) => sum + payments, 0),
    reviews: reviews.length,
    refunds: refunds.length,
    to_refund: await countRefundsToMake(deps, eventIds),
    payouts: await countPayouts(deps, user, scope),
    unsettled: {
      payments: unsettledSums.reduce((sum, { payments }) => sum + payments, 0),
      refunds: unsettledSums.reduce((sum, { refunds: n }) => sum + n, 0),
    },
    rates: missingRateCount,
  }
}

/**
 * Counts registrations for which more was paid than is owed now. They are not in the list of refunds until staff make
 * the refund.
 */
async function countRefundsToMake(
  { store, events, clock }: Deps,
  eventIds: MonthScope['eventIds'],
): Promise<MonthResponse['checks']['to_refund']> {
  const ids = eventIds ?? events.all().map(({ config }) => config.id)
  const counts = (await store.workQueue(ids, clock())).filter(({ is }) => is === 'pay_back')
  return {
    registrations: counts.reduce((sum, { count }) => sum + count, 0),
    event: counts.length === 1 ? (counts[0]?.eventId ?? null) : null,
  }
}

/**
 * Counts the payouts of all the user's accounts, and how many of them match a saved bank statement, as on the
 * Settlements page.
 */
async function countPayouts(
  deps: Deps,
  user: Call['user'],
  { from, to }: MonthScope,
): Promise<MonthResponse['checks']['payouts']> {
  const [firstDay, dayAfterLast] = [dayOf(from), dayOf(to)]
  const payouts = (await readPayouts(deps, user)).filter(
    ({ day: payoutDay }) => payoutDay !== null && payoutDay >= firstDay && payoutDay < dayAfterLast,
  )
  return {
    payouts: payouts.length,
    at_bank: payouts.filter(({ bank }) => bank.is === 'found').length,
  }
}
