/** Computes the dashboard's figures per event, and the combined revenue of all events. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { FastifyReply } from 'fastify'
import {
  INR,
  dayOf,
  formatIsoIndia,
  toAmount,
  toMajorUnits,
  UNMATCHED_ID,
  UNMATCHED_LABEL,
  WORK_QUEUE,
  WORK_QUEUE_IDS,
} from '../../../engine/index.ts'
import type { Currency, Review, WorkQueueId, WireWorkQueueItem } from '../../../engine/index.ts'
import type { EventStats, StatsResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { findErasurePauseReason } from '../operations/confirm-clock.ts'
import { findName, computeAmountStillDue, formatPaymentStatus } from './list-rows.ts'
import { summarizeDispute } from '../registrations/describe-dispute.ts'
import type { OpenDispute, WaitingCount } from '../../storage/index.ts'
import { findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

export function addDashboardRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendStats = async ({ user }: Call<'none'>, reply: FastifyReply): Promise<FastifyReply> => {
    const at = deps.clock()
    const events = findUserEvents(deps, user)
    const reviews = await deps.store.reviews(null)
    const figures = await Promise.all(
      events.map((event) => deps.store.dashboardFigures(event.id, dayOf(at), event.currency)),
    )
    const workQueueCounts = await deps.store.workQueue(
      events.map(({ id }) => id),
      at,
    )
    const disputes = workQueueCounts.some(({ is }) => is === 'dispute')
      ? await deps.store.openDisputes(
          events.map(({ id }) => id),
          MAX_DISPUTES,
        )
      : []
    const pausedErasure = await findErasurePauseReason(deps)
    const data: StatsResponse['data'] = {
      now: formatIsoIndia(at),
      waiting: [
        ...buildWorkQueueRows(workQueueCounts, disputes),
        ...buildUnmatchedRow(reviews, events),
      ],
      ...(user.events === null
        ? {
            event_files: deps.events.refusedFiles().map(({ why: reason }) => reason),
            ...(pausedErasure === null || user.role !== 'owner'
              ? {}
              : { erasing_waits: pausedErasure }),
          }
        : {}),
      revenue_stats: { total_revenue: 0 },
      recent_registrations: {},
      by_day: {},
    }
    const revenue = new Map<Currency, number>()
    for (const [index, event] of events.entries()) {
      const figure = figures[index]
      if (figure === undefined) continue
      const { key } = event.admin.dashboard
      const { currency } = event
      data[`${key}_stats`] = {
        total_registrations: figure.total,
        paid_registrations: figure.paid,
        pending_registrations: figure.pending,
        failed_registrations: figure.failed,
        refunded_registrations: figure.refunded,
        ended_registrations: figure.ended,
        today_registrations: figure.today,
        total_revenue: toMajorUnits(figure.revenue, currency),
        dismissed_amount: toMajorUnits(figure.dismissed, currency),
        ...toWireCurrency(currency),
        ...(figure.others.length > 0 && {
          other_currencies: figure.others.map((other) => ({
            currency: other.currency,
            total_revenue: toMajorUnits(other.revenue, other.currency),
            dismissed_amount: toMajorUnits(other.dismissed, other.currency),
            by_day: other.byDay.map((entry) => ({
              day: entry.day,
              revenue: toMajorUnits(entry.revenue, other.currency),
            })),
          })),
        }),
        needs_decision: reviews.filter(({ eventId }) => eventId === event.id).length,
      } satisfies EventStats
      data.recent_registrations[key] = figure.recent.map((registration) => ({
        id: registration.id,
        full_name: findName(event, registration),
        reg_no: registration.regNo,
        final_amount:
          registration.total === null
            ? null
            : toMajorUnits(registration.total, registration.currency),
        ...(registration.currency === currency ? {} : { currency: registration.currency }),
        payment_status: registration.paymentStatus,
        payment_status_display: formatPaymentStatus(registration),
        in_review: registration.inReview,
        in_state: registration.state,
        due: toMajorUnits(computeAmountStillDue(registration), registration.currency),
        created_at: formatIsoIndia(registration.createdAt),
      }))
      data.by_day[key] = figure.byDay.map((entry) => ({
        day: entry.day,
        registrations: entry.registrations,
        revenue: toMajorUnits(entry.revenue, currency),
      }))
      for (const money of [{ currency, revenue: figure.revenue }, ...figure.others])
        revenue.set(money.currency, (revenue.get(money.currency) ?? 0) + money.revenue)
    }
    data.revenue_stats = {
      total_revenue: toMajorUnits(toAmount(revenue.get(INR) ?? 0), INR),
      ...toOtherRevenue(revenue),
    }
    await deps.store.addAuditEntry({
      at,
      who: user.username,
      what: 'viewed the dashboard',
      eventId: getViewedEventId(user),
      regNo: null,
      look: 'dashboard',
    })
    const response: StatsResponse = { status: 'success', data }
    return reply.header('cache-control', 'no-store').send(response)
  }
  office.get('/admin/dashboard/stats', { minRole: 'viewer', target: 'none' }, sendStats)
}

/** The maximum number of disputes that the dashboard describes. The list shows all of them. */
const MAX_DISPUTES = 5

function buildWorkQueueRows(
  counts: readonly WaitingCount[],
  disputes: readonly OpenDispute[],
): WireWorkQueueItem[] {
  const toRow = (id: WorkQueueId): WireWorkQueueItem => ({
    id,
    label: WORK_QUEUE[id].label,
    events: counts
      .filter(({ is }) => is === id)
      .map(({ eventId, count, more }) => ({ id: eventId, count, more })),
    ...(id === 'dispute' && { details: disputes.map(summarizeDispute) }),
  })
  return WORK_QUEUE_IDS.map(toRow).filter(({ events }) => events.length > 0)
}

/** Counts the unmatched payments for the user's events. Empty if there are none. */
function buildUnmatchedRow(
  reviews: readonly Review[],
  events: readonly { readonly id: string }[],
): WireWorkQueueItem[] {
  const eventCounts = events.flatMap(({ id }) => {
    const count = reviews.filter(({ is, eventId }) => is === UNMATCHED_ID && eventId === id).length
    return count === 0 ? [] : [{ id, count, more: false }]
  })
  return eventCounts.length === 0
    ? []
    : [{ id: UNMATCHED_ID, label: UNMATCHED_LABEL, events: eventCounts }]
}

/** Converts the sums in other currencies, which are never added to rupees. Empty if there are none. */
function toOtherRevenue(
  revenue: ReadonlyMap<Currency, number>,
): Pick<StatsResponse['data']['revenue_stats'], 'other_currencies'> {
  const others = [...revenue].filter(([currency]) => currency !== INR)
  return others.length === 0
    ? {}
    : {
        other_currencies: others.map(([currency, amount]) => ({
          currency,
          total_revenue: toMajorUnits(toAmount(amount), currency),
        })),
      }
}
