/** Serves a list's sales report: items and options, accompanying persons, seats. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { FastifyReply } from 'fastify'
import {
  buildSalesGroups,
  buildSalesRows,
  buildSeatRows,
  dayOf,
  getDecimals,
  readCurrency,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Currency, Money, SalesResponse, SeatsResponse } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { readListQuery } from './list-filters.ts'
import { formatCsvRows } from '../spreadsheets/write-csv.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** Converts the paid amounts that no row contains: in the event's currency, and in each other currency. */
function toWirePaidWithoutRow(
  unassignedAmounts: readonly Money[],
  eventCurrency: Currency,
): Pick<SalesResponse, 'paid_beside' | 'others_beside'> {
  const sums = unassignedAmounts.map(({ amount: unassignedAmount, currency }) => ({
    currency,
    amount: toMajorUnits(unassignedAmount, currency),
  }))
  const others = sums.filter(({ currency }) => currency !== eventCurrency)
  return {
    paid_beside: sums.find(({ currency }) => currency === eventCurrency)?.amount ?? 0,
    ...(others.length > 0 && { others_beside: others }),
  }
}

/**
 * Builds the report's rows for CSV. Each states its currency, because users add up the columns in a spreadsheet.
 */
function buildSalesFile(
  { rows, paid_beside: paidWithoutRow, others_beside: otherPaidWithoutRow = [] }: SalesResponse,
  eventCurrency: Currency,
): string {
  const toAmountCell = (value: number, currency: string) => ({
    amount: value,
    decimals: getDecimals(readCurrency(currency) ?? eventCurrency),
  })
  const paymentsWithoutRow = [
    { currency: eventCurrency, amount: paidWithoutRow },
    ...otherPaidWithoutRow,
  ].filter((entry) => entry.amount !== 0)
  return formatCsvRows(
    [
      [
        'Item',
        'Option',
        'Delegates',
        'Quantity',
        'Paid quantity',
        'Currency',
        'Amount',
        'Received',
      ],
      ...rows.map((row) => {
        const currency = row.currency ?? eventCurrency
        return [
          row.label,
          row.option_label,
          row.registrations,
          row.quantity,
          row.paid_quantity,
          currency,
          toAmountCell(row.total, currency),
          toAmountCell(row.paid_total, currency),
        ]
      }),
      ...paymentsWithoutRow.map((entry) => [
        'Not on a bill',
        null,
        null,
        null,
        null,
        entry.currency,
        null,
        toAmountCell(entry.amount, entry.currency),
      ]),
    ],
    true,
  )
}

export function addSalesRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendSales = async (
    { user, target, query, filters }: Call<'event', 'list_id'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const event = target.config
    const list = event.admin.lists.find(({ id }) => id === query.list_id)
    if (list === undefined) return sendError(reply, 404, 'not_found', 'No list has this name.')
    const listQuery = readListQuery(event, list, filters, deps.clock())
    if (!listQuery.ok) return sendError(reply, 400, 'bad_query', listQuery.error)
    const seats: SeatsResponse = {
      status: 'success',
      places: buildSeatRows(event, await deps.store.listTakenSeats(event.id, deps.clock())),
    }
    reply.header('cache-control', 'no-store')
    if (filters.get('as') === 'seats') return reply.send(seats)
    const fields = event.fields.filter(({ type }) => type === 'people')
    const { sums, unassignedAmounts, groups, people, isCapped } = await deps.store.salesOfList(
      listQuery.value,
      fields.map(({ id }) => id),
    )
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: `viewed the sales of the list ${list.id}`,
      eventId: event.id,
      regNo: null,
      look: `sums ${list.id}`,
    })
    const response: SalesResponse = {
      ...seats,
      ...toWireCurrency(event.currency),
      capped: isCapped,
      rows: buildSalesRows(event, sums),
      ...toWirePaidWithoutRow(unassignedAmounts, event.currency),
      ...buildSalesGroups(event, groups),
      people: people.map(({ field, count, paid }) => ({
        id: field,
        label: fields.find(({ id }) => id === field)?.label ?? field,
        count,
        paid,
      })),
    }
    if (filters.get('as') !== 'csv') return reply.send(response)
    const fileName = `${list.export.file.replace(/\.csv$/, '')}_sales_${dayOf(deps.clock())}.csv`
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(buildSalesFile(response, event.currency))
  }
  office.get(
    '/admin/sold',
    { minRole: 'viewer', target: 'event', query: ['list_id'], filters: true },
    sendSales,
  )
}
