/** Serves lists (one page of rows) and their exports (all rows as CSV), with the same filters. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { FastifyReply } from 'fastify'
import { getCurrency, listColumns, toAmount, toMajorUnits } from '../../../engine/index.ts'
import type { Currency, EventConfig, PaymentStatus, WireSums } from '../../../engine/index.ts'
import type { ListResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { ListQuery, StatusSum, ListedRegistration } from '../../storage/index.ts'
import { sendError } from '../../http/error-response.ts'
import type { EventRouteTable } from '../../http/event-route-table.ts'
import { sendExport } from './list-export.ts'
import { readListQuery, readPage, describeQuery } from './list-filters.ts'
import { createListedRowBuilder, buildListRow } from './list-rows.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { listRoutePaths } from './list-paths.ts'
import { readTableKind } from '../spreadsheets/send-table.ts'

export function addListRoutes(
  office: OfficeRoutes,
  deps: Deps,
  eventRoutes: EventRouteTable,
): void {
  const handleList = async (call: Call<'list'>, reply: FastifyReply): Promise<FastifyReply> => {
    const { user, target, filters } = call
    const listQuery = readListQuery(target.event, target.list, filters, deps.clock())
    if (!listQuery.ok) return sendError(reply, 400, 'bad_query', listQuery.error)
    if (target.kind === 'list') return sendPage(deps, call, listQuery.value, reply)
    const kind = readTableKind(filters.get('as'))
    return sendExport(deps, target, listQuery.value, user.username, kind, reply)
  }
  const rule = { minRole: 'viewer', target: 'list', filters: true } as const
  office.get('/admin/export', rule, handleList)
  eventRoutes.add(({ config }) =>
    config.admin.lists.flatMap(({ api, export: { api: exportApi } }) =>
      [...listRoutePaths(api), ...listRoutePaths(exportApi)].map((path) =>
        office.listCall(path, rule, handleList),
      ),
    ),
  )
}

async function sendPage(
  deps: Deps,
  { user, target: { event, list }, filters: params, path }: Call<'list'>,
  query: ListQuery,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const pageResult = readPage(list, params)
  if (!pageResult.ok) return sendError(reply, 400, 'bad_query', pageResult.error)
  const { page, pageSize } = pageResult.value
  const listPage = await deps.store.listPage(query, page, pageSize)
  const isListed =
    params.get('rows') === 'listed' && !list.filters.some(({ sentAs }) => sentAs === 'rows')
  const toRow = isListed
    ? createListedRowBuilder(event, listColumns(list))
    : (registration: ListedRegistration) => buildListRow(event, registration)
  const rows = listPage.rows.map(toRow)
  const description = describeQuery(event, list, query, listPage.count, listPage.isCountCapped)
  await deps.store.addAuditEntry({
    at: deps.clock(),
    who: user.username,
    // The search text may be a person's name or number, and the audit log is kept permanently.
    what: `viewed page ${page} of the list ${list.id}: ${describeQuery(event, list, query, listPage.count, listPage.isCountCapped, true)}`,
    eventId: event.id,
    regNo: null,
    look: `list ${list.id}`,
  })
  const refundRequests =
    query.waiting?.is === 'second_payment' ? await deps.store.refundRequests(event.id) : null
  const hasMore = rows.length === pageSize && page * pageSize < listPage.count
  const response: Omit<ListResponse, 'results'> = {
    status: 'success',
    count: listPage.count,
    count_capped: listPage.isCountCapped,
    ...toWireCurrency(event.currency),
    sums: listPage.sums === null ? null : toWireSums(listPage.sums, event),
    not_sorted: listPage.isSorted ? null : NOT_SORTED_MESSAGE,
    next: hasMore ? buildPageUrl(deps, path, params, page + 1) : null,
    previous: page > 1 ? buildPageUrl(deps, path, params, page - 1) : null,
    page,
    page_size: pageSize,
    shown: description,
    ...(refundRequests !== null && { refund_requested: [...refundRequests] }),
    registrations: rows,
  }
  // Our own list page receives the rows once. Other clients may also read them from `results`.
  return reply
    .header('cache-control', 'no-store')
    .send(
      isListed
        ? response
        : ({ ...response, results: { registrations: rows } } satisfies ListResponse),
    )
}

/** The maximum in this message is also the limit for counting search results. */
const NOT_SORTED_MESSAGE =
  'There are too many registrations to sort, so the newest are first. Filter the list to at most 10,000.'

/** Converts the sums: amounts in the event's currency, and those in other currencies separately, never added up. */
function toWireSums(sums: readonly StatusSum[], event: EventConfig): WireSums {
  const countStatus = (status: PaymentStatus): number =>
    sums.reduce((n, sum) => (sum.status === status ? n + sum.count - sum.ended : n), 0)
  const sumAmounts = (part: 'booked' | 'owed', currency: Currency): number => {
    const sumsInCurrency = sums.filter(({ category }) => getCurrency(event, category) === currency)
    const total = sumsInCurrency.reduce((sum, row) => sum + row[part], 0)
    return toMajorUnits(toAmount(total), currency)
  }
  const usedCurrencies = new Set(sums.map(({ category }) => getCurrency(event, category)))
  const others = [...usedCurrencies].filter((currency) => currency !== event.currency)
  return {
    paid: countStatus('success'),
    pending: countStatus('pending'),
    failed: countStatus('failed'),
    refunded: countStatus('refunded'),
    ended: sums.reduce((n, { ended }) => n + ended, 0),
    money: sumAmounts('booked', event.currency),
    due: sumAmounts('owed', event.currency),
    ...(others.length > 0 && {
      others: others.map((currency) => ({
        currency,
        money: sumAmounts('booked', currency),
        due: sumAmounts('owed', currency),
      })),
    }),
  }
}

function buildPageUrl(deps: Deps, path: string, params: URLSearchParams, page: number): string {
  const query = new URLSearchParams(params)
  query.set('page', String(page))
  return `${deps.environment.publicUrl}${path}?${query}`
}
