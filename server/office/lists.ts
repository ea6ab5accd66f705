/** The list calls and their exports: the same filters, one page of rows or all of them as CSV. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paise, rupees } from '../../engine/index.ts'
import type { ListAnswer, Paise, PaymentStatus, WireSums } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import type { ListQuery, StatusSum, ListedRegistration } from '../store/store.ts'
import { refuse } from '../http/refuse.ts'
import type { Call } from '../http/event-calls.ts'
import { pathOf } from '../http/event-calls.ts'
import type { OfficeRule } from '../http/office-rule.ts'
import { sendExport } from './exports.ts'
import type { ExportKind } from './exports.ts'
import { readListQuery, readPage, sentence } from './query.ts'
import { listedRows, listRow } from './rows.ts'
import { requireAdmin } from './guard.ts'
import { bothRoots, officeCall, officeTable } from './addresses.ts'
import type { OfficeCall, OfficeTable } from './addresses.ts'

export function listRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  let table: OfficeTable = officeTable(deps.events.all())
  deps.events.onChange(() => {
    table = officeTable(deps.events.all())
  })
  const office: OfficeRule = {
    least: 'viewer',
    about: (request) => officeCall(table, pathOf(request), queryOf(request))?.event.id ?? null,
  }
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = queryOf(request)
    const call = officeCall(table, pathOf(request), query)
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    if (call === null)
      return refuse(reply, 404, 'not_found', 'There is no list for this event type.')
    const asked = readListQuery(call.event, call.list, query, deps.clock())
    if (!asked.ok) return refuse(reply, 400, 'bad_query', asked.error)
    if (call.does === 'list')
      return sendPage(deps, call, asked.value, admin.username, request, reply)
    const kind: ExportKind = query.get('as') === 'xlsx' ? 'xlsx' : 'csv'
    return sendExport(deps, call, asked.value, admin.username, kind, reply)
  }
  for (const path of paths('/admin/export')) app.get(path, { config: { office } }, handle)
  app.eventCalls.add(({ config }) =>
    config.admin.lists.flatMap(({ api, export: { api: exportApi } }) =>
      [...bothRoots(api), ...bothRoots(exportApi)].map((path): Call => ({
        method: 'GET',
        path,
        office,
        handle,
      })),
    ),
  )
}

/** The parameters as they were sent. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1))
}

async function sendPage(
  deps: Deps,
  { event, list }: OfficeCall,
  query: ListQuery,
  who: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const params = queryOf(request)
  const paging = readPage(list, params)
  if (!paging.ok) return refuse(reply, 400, 'bad_query', paging.error)
  const { page, pageSize } = paging.value
  const found = await deps.store.listPage(query, page, pageSize)
  const isListed =
    params.get('rows') === 'listed' && !list.filters.some(({ sentAs }) => sentAs === 'rows')
  const rowOf = isListed
    ? listedRows(event, list.columns)
    : (registration: ListedRegistration) => listRow(event, registration)
  const rows = found.rows.map(rowOf)
  const shown = sentence(event, list, query, found.count, found.countCapped)
  await deps.store.audit({
    at: deps.clock(),
    who,
    // What was looked for is a person's name or number, and the log of acts is kept for ever.
    what: `saw page ${page} of the list ${list.id}: ${sentence(event, list, query, found.count, found.countCapped, true)}`,
    eventId: event.id,
    regNo: null,
    look: `list ${list.id}`,
  })
  const hasMore = rows.length === pageSize && page * pageSize < found.count
  const answer: Omit<ListAnswer, 'results'> = {
    status: 'success',
    count: found.count,
    count_capped: found.countCapped,
    sums: found.sums === null ? null : wireSums(found.sums),
    not_sorted: found.isSorted ? null : NOT_SORTED,
    next: hasMore ? pageAddress(deps, request, params, page + 1) : null,
    previous: page > 1 ? pageAddress(deps, request, params, page - 1) : null,
    page,
    page_size: pageSize,
    shown,
    registrations: rows,
  }
  // Rows as they are listed come once; the others where either reader looks for them.
  return reply
    .header('cache-control', 'no-store')
    .send(
      isListed ? answer : ({ ...answer, results: { registrations: rows } } satisfies ListAnswer),
    )
}

/** As many are counted of a search, too. */
const NOT_SORTED =
  'There are too many to sort them so: the newest come first. Up to 10,000 registrations are sorted; a filter makes them fewer.'

function wireSums(sums: readonly StatusSum[]): WireSums {
  const countOf = (status: PaymentStatus): number =>
    sums.reduce((n, sum) => (sum.status === status ? n + sum.count - sum.ended : n), 0)
  const together = (amounts: readonly Paise[]): number =>
    rupees(paise(amounts.reduce((sum, amount) => sum + amount, 0)))
  return {
    paid: countOf('success'),
    pending: countOf('pending'),
    failed: countOf('failed'),
    refunded: countOf('refunded'),
    ended: sums.reduce((n, { ended }) => n + ended, 0),
    money: together(sums.map(({ booked }) => booked)),
    due: together(sums.map(({ owed }) => owed)),
  }
}

function pageAddress(
  deps: Deps,
  request: FastifyRequest,
  params: URLSearchParams,
  page: number,
): string {
  const query = new URLSearchParams(params)
  query.set('page', String(page))
  return `${deps.environment.publicUrl}${pathOf(request)}?${query}`
}
