/** Serves the payments and refunds of all the user's events, and open refunds. */
import type { FastifyReply } from 'fastify'
import { toWireCurrency } from '../../../engine/api.ts'
import type { MovementsResponse, OpenRefundsResponse } from '../../../engine/api.ts'
import {
  addDays,
  dayOf,
  err,
  listGatewayKinds,
  formatIsoIndia,
  MANUAL_METHOD_IDS,
  formatMethod,
  ok,
  REFUNDED_OUTSIDE,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import type { Movement, MovementQuery } from '../../storage/index.ts'
import { findListedEventIds, findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { addEventEntries } from '../operations/audit-log.ts'
import { countStatementLines } from '../reconciliation/statement-matches.ts'
import { readTableKind, sendTable } from '../spreadsheets/send-table.ts'
import {
  getEventTitle,
  MOVEMENT_HEADER,
  buildMovementCells,
  toWireMovement,
  toWireTotals,
} from './movement-rows.ts'
import { readPeriod } from './payment-period.ts'

/** The number of rows shown on a page, or read at a time for a file. */
const PAGE_ROWS = 50
const CHUNK_ROWS = 500

const FILTERS = ['month', 'from', 'to', 'method', 'unsettled', 'unreconciled'] as const
type Filter = (typeof FILTERS)[number]
type ParsedQuery = MovementQuery & { readonly name: string }

export function addPaymentListRoutes(office: OfficeRoutes, deps: Deps): void {
  const parseQuery = ({
    user,
    target,
    query,
  }: Call<'events', Filter>): Result<ParsedQuery, string> => {
    const period = readPeriod(query, dayOf(deps.clock()))
    if (!period.ok) return period
    for (const name of ['unsettled', 'unreconciled'] as const)
      if (!['', '1'].includes(query[name])) return err(`“${name}” must be 1 or missing.`)
    const { from, to, name } = period.value
    return ok({
      eventIds: findListedEventIds(deps, user, target),
      from,
      to,
      name,
      ...(query.method !== '' && { method: query.method.slice(0, 40) }),
      isUnsettled: query.unsettled === '1',
      isUnreconciled: query.unreconciled === '1',
    })
  }

  const sendPage = async (
    call: Call<'events', Filter | 'after'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const query = parseQuery(call)
    if (!query.ok) return sendError(reply, 400, 'bad_query', query.error)
    await matchStatements(call.user, query.value)
    const after = call.query.after === '' ? null : call.query.after
    const { rows, next } = await deps.store.movementPage(query.value, after, PAGE_ROWS)
    const totals = after === null ? await deps.store.movementSums(query.value) : null
    await recordView(call, `viewed the payments (${rows.length})`)
    const response: MovementsResponse = {
      status: 'success',
      movements: rows.map((row) => toWireMovement(deps, row)),
      after: next,
      totals: totals?.map((sum) => toWireTotals(deps, sum)) ?? null,
      methods: listMethods(deps),
      from: dayOf(query.value.from),
      to: addDays(dayOf(query.value.to), -1),
      today: dayOf(deps.clock()),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  /**
   * Matches the statements again, because a payment may have been recorded manually after its statement was uploaded.
   */
  const matchStatements = async (
    user: Call['user'],
    { isUnreconciled, eventIds, from, to }: MovementQuery,
  ): Promise<void> => {
    const days = { first: dayOf(from), last: addDays(dayOf(to), -1) }
    if (isUnreconciled === true) await countStatementLines(deps, user, eventIds, days)
  }

  const recordView = (
    { user, target }: Pick<Call<'events'>, 'user' | 'target'>,
    what: string,
  ): Promise<void> =>
    deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what,
      eventId: getViewedEventId(user, target),
      regNo: null,
      look: 'payments',
    })

  const sendFile = async (
    call: Call<'events', Filter | 'format'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const query = parseQuery(call)
    if (!query.ok) return sendError(reply, 400, 'bad_query', query.error)
    await matchStatements(call.user, query.value)
    const kind = readTableKind(call.query.format)
    return sendTable(reply, {
      kind,
      fileName: `payments_${query.value.name}.${kind}`,
      head: MOVEMENT_HEADER,
      chunks: readMovements(deps, query.value),
      toCells: (row) => buildMovementCells(deps, row),
      advice: 'Choose fewer days',
      recordExport: () =>
        addEventEntries(
          deps,
          {
            who: call.user.username,
            what: `exported the payments${kind === 'csv' ? '' : ' to Excel'}`,
          },
          query.value.eventIds ?? findUserEvents(deps, call.user).map(({ id }) => id),
        ),
    })
  }

  const sendRefunds = async (call: Call<'events'>, reply: FastifyReply): Promise<FastifyReply> => {
    const refunds = await deps.store.openRefunds(findListedEventIds(deps, call.user, call.target))
    await recordView(call, `viewed the open refunds (${refunds.length})`)
    const response: OpenRefundsResponse = {
      status: 'success',
      refunds: refunds.map(({ id, eventId, regNo, name, source, amount, currency, ...refund }) => ({
        id,
        event_id: eventId,
        event: getEventTitle(deps, eventId),
        reg_no: regNo,
        name,
        method: formatMethod(source),
        amount: toMajorUnits(amount, currency),
        ...toWireCurrency(currency),
        state: refund.state,
        why: refund.why,
        who: refund.who,
        at: formatIsoIndia(refund.at),
      })),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const rule = { minRole: 'treasurer', target: 'events' } as const
  office.get('/admin/movements', { ...rule, query: [...FILTERS, 'after'] }, sendPage)
  office.get('/admin/movements/export', { ...rule, query: [...FILTERS, 'format'] }, sendFile)
  office.get('/admin/open-refunds', rule, sendRefunds)
}

/** Reads all movements that match a query, in chunks. */
export async function* readMovements(
  { store }: Pick<Deps, 'store'>,
  query: MovementQuery,
): AsyncGenerator<readonly Movement[]> {
  for (let after: string | null = null, isLast = false; !isLast;) {
    const page = await store.movementPage(query, after, CHUNK_ROWS)
    yield page.rows
    after = page.next
    isLast = after === null
  }
}

/** Lists the methods for the filter: the methods of the served events, and methods that older payments may have. */
function listMethods({ events }: Pick<Deps, 'events'>): MovementsResponse['methods'] {
  const gateways = Object.keys(listGatewayKinds(events.all().map(({ config }) => config)))
  return [...new Set([...gateways, ...MANUAL_METHOD_IDS, 'import', REFUNDED_OUTSIDE])].map(
    (id) => ({ id, label: formatMethod(id) }),
  )
}
