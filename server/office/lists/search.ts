/** Searches all events that the user has access to. */
import type { FastifyReply } from 'fastify'
import { toWireCurrency } from '../../../engine/api.ts'
import type { SearchResponse, WireSearchResult } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { findLastPayment } from '../registrations/last-payment.ts'
import type { LastPayment } from '../registrations/last-payment.ts'
import { buildListRow, findName, computeAmountStillDue } from './list-rows.ts'
import {
  formatIsoIndia,
  readDelegate,
  toMajorUnits,
  type EventConfig,
} from '../../../engine/index.ts'
import type { StoredRegistration } from '../../storage/index.ts'

/** Longer than any name or reference. */
const MAX_SEARCH_CHARACTERS = 100
/** With more results, a user needs to refine the search. */
const MAX_RESULTS = 30

/** Ids of fields that contain the delegate's city. */
const CITY_FIELD_PATTERN = /(?:^|_)(?:city|town|district)(?:_|$)/

function findCity({ answers }: StoredRegistration): string {
  const answer = Object.entries(answers).find(([id]) => CITY_FIELD_PATTERN.test(id))?.[1]
  return typeof answer === 'string' ? answer : ''
}

function describeResult(
  event: EventConfig,
  row: StoredRegistration,
  payment: LastPayment | null,
): WireSearchResult {
  const values = buildListRow(event, row)
  return {
    reg_no: row.regNo,
    name: findName(event, row),
    phone: readDelegate(event, row.answers).phone,
    city: findCity(row),
    paid_at: payment === null ? null : formatIsoIndia(payment.paidAt),
    paid_by: payment?.method ?? '',
    event: { id: event.id, title: event.title },
    route: event.admin.lists[0]?.route ?? null,
    category: String(values['category_display'] ?? ''),
    total: values['total'] === null ? null : Number(values['total']),
    ...toWireCurrency(row.currency),
    payment_status: row.paymentStatus,
    payment_status_display: String(values['payment_status_display'] ?? ''),
    in_review: row.inReview,
    in_state: row.state,
    due: toMajorUnits(computeAmountStillDue(row), row.currency),
  }
}

export function addSearchRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendSearchResults = async (
    { user, query }: Call<'none', 'q'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const text = query.q.trim()
    if (text.length > MAX_SEARCH_CHARACTERS)
      return sendError(
        reply,
        400,
        'bad_query',
        `Search for at most ${MAX_SEARCH_CHARACTERS} characters.`,
      )
    const events = new Map(findUserEvents(deps, user).map((event) => [event.id, event]))
    const ids = [...events.keys()]
    const rows = text === '' ? [] : await deps.store.searchEvents(ids, text, MAX_RESULTS + 1)
    const similarRegistrations =
      text === '' || rows.length > 0
        ? []
        : await deps.store.searchSimilarNames(ids, text, MAX_RESULTS)
    // The search text may contain a person's name, so the log has only the number of results.
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: `searched all events (${Math.min(rows.length, MAX_RESULTS)} found)`,
      eventId: getViewedEventId(user),
      regNo: null,
      look: 'search',
    })
    const describeRegistration = async (
      row: StoredRegistration,
    ): Promise<readonly WireSearchResult[]> => {
      const event = events.get(row.eventId)
      if (event === undefined) return []
      const isPaid = row.paymentStatus === 'success'
      const captures = isPaid ? await deps.store.captures(row.regNo) : []
      return [describeResult(event, row, findLastPayment(captures))]
    }
    const describeAll = async (
      registrations: readonly StoredRegistration[],
    ): Promise<WireSearchResult[]> =>
      (await Promise.all(registrations.map(describeRegistration))).flat()
    const response: SearchResponse = {
      status: 'success',
      more: rows.length > MAX_RESULTS,
      found: await describeAll(rows.slice(0, MAX_RESULTS)),
      similar: await describeAll(similarRegistrations),
      events: [...events.values()].map(({ title }) => title),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }
  office.get('/admin/find', { minRole: 'viewer', target: 'none', query: ['q'] }, sendSearchResults)
}
