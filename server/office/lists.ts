/** The list calls and their exports: the same filters, one page of rows or all of them as CSV. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assertNever, dayOf, paise, rupees, soldColumns } from '../../engine/index.ts'
import type {
  AdminList,
  Column,
  EventConfig,
  ListAnswer,
  ListRow,
  Paise,
  PaymentStatus,
  WireSums,
} from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import type { ListQuery, StatusSum, StoredRegistration } from '../store/store.ts'
import { refuse } from '../http/refuse.ts'
import type { Call } from '../http/event-calls.ts'
import { pathOf } from '../http/event-calls.ts'
import type { OfficeRule } from '../http/office-rule.ts'
import { csvRows } from './csv.ts'
import type { CsvCell } from './csv.ts'
import { readListQuery, readPage, sentence } from './query.ts'
import { listRow } from './rows.ts'
import { requireAdmin } from './guard.ts'
import { bothRoots, officeCall, officeTable } from './addresses.ts'
import type { OfficeCall, OfficeTable } from './addresses.ts'

/** Beside the word for a success of which more came than was asked for, or something else waits for a person. */
const REVIEW = 'in review'

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
    return call.does === 'list'
      ? sendPage(deps, call, asked.value, admin.username, request, reply)
      : sendCsv(deps, call, asked.value, admin.username, reply)
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
  const rows = found.rows.map((registration) => listRow(event, registration))
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
  const answer: ListAnswer = {
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
    results: { registrations: rows },
  }
  return reply.header('cache-control', 'no-store').send(answer)
}

/** As many are counted of a search, too. */
const NOT_SORTED =
  'There are too many to sort them so: the newest come first. Up to 10,000 registrations are sorted; a filter makes them fewer.'

function wireSums(sums: readonly StatusSum[]): WireSums {
  const countOf = (status: PaymentStatus): number =>
    sums.find((sum) => sum.status === status)?.count ?? 0
  const together = (amounts: readonly Paise[]): number =>
    rupees(paise(amounts.reduce((sum, amount) => sum + amount, 0)))
  return {
    paid: countOf('success'),
    pending: countOf('pending'),
    failed: countOf('failed'),
    refunded: countOf('refunded'),
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

/** Streams exactly the filtered list, newest first. The first chunk is fetched before the answer begins, so that a failing store is still an error answer. */
async function sendCsv(
  deps: Deps,
  { event, list }: OfficeCall,
  query: ListQuery,
  who: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const at = deps.clock()
  const chunks = deps.store.exportRows(query)[Symbol.asyncIterator]()
  const first = await chunks.next()
  await deps.store.audit({
    at,
    who,
    what: `exported the list ${list.id}`,
    eventId: event.id,
    regNo: null,
  })
  const columns = exportColumns(event, list)
  const lines = (rows: readonly StoredRegistration[]): CsvCell[][] =>
    rows.map((registration) => {
      const row = listRow(event, registration)
      return columns.map((column) => csvCell(column, row))
    })
  async function* csv(): AsyncGenerator<string> {
    yield csvRows([columns.map(({ label }) => label)], true)
    for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
      if (chunk.value.length > 0) yield csvRows(lines(chunk.value), false)
    }
  }
  const file = list.export.file.replaceAll('{date}', dayOf(at))
  reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${file}"`)
  return reply.send(Readable.from(csv()))
}

/** The list's own, then what is sold, so that the money in a row adds up to its total. */
export function exportColumns(event: EventConfig, { columns }: AdminList): readonly Column[] {
  const missing = soldColumns(event).filter(({ id }) => columns.every((column) => column.id !== id))
  return [...columns, ...missing]
}

/** As people read it, in a form that a spreadsheet sorts: money as a plain number, instants as Indian time. */
export function csvCell(column: Column, row: ListRow): CsvCell {
  const value = row[column.id]
  if (value === null || value === undefined) return ''
  switch (column.kind) {
    case 'date':
      return String(value)
        .replace('T', ' ')
        .replace(/\+05:30$/, '')
    case 'status': {
      const word = row[`${column.id}_display`] ?? value
      // A list shows two badges; a spreadsheet has one cell, and somebody sums up what says "Paid".
      return row.in_review && row.payment_status === 'success' ? `${word}, ${REVIEW}` : word
    }
    case 'option':
    case 'yes-no':
      return row[`${column.id}_display`] ?? value
    case 'money':
      return typeof value === 'number' ? value.toFixed(2) : value
    case 'text':
    case 'number':
    case 'file':
      return value
    default:
      return assertNever(column.kind)
  }
}
