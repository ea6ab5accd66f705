/** Serves the payments and refunds of all events of the user, the amounts due, and open refunds. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { toWireCurrency } from '../../../engine/api.ts'
import type {
  DebtorsResponse,
  MovementsResponse,
  OpenRefundsResponse,
} from '../../../engine/api.ts'
import {
  addDays,
  dayOf,
  err,
  listGatewayKinds,
  isoIndia,
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
import { findListedEventIds, findUserEvents } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { addEventEntries } from '../operations/audit-log.ts'
import { countStatementLines } from '../reconciliation/statement-matches.ts'
import { formatCsvRows } from '../spreadsheets/write-csv.ts'
import { buildExcel, XLSX_TYPE } from '../spreadsheets/write-excel.ts'
import {
  getEventTitle,
  MOVEMENT_HEAD,
  buildMovementCells,
  toSheetRow,
  toWireMovement,
  toWireTotals,
} from './movement-rows.ts'
import { readPeriod } from './payment-period.ts'

/** Rows of a page, and rows read at a time for a file. */
const PAGE_ROWS = 50
const CHUNK_ROWS = 500
/** Twice as many, so that a reminder to all needs few requests. */
const DEBTOR_ROWS = 100
/** An Excel file is built in memory; each row needs about 10 kB. */
export const XLSX_ROWS_MAX = 10_000

const FILTERS = ['month', 'from', 'to', 'method', 'unsettled', 'unreconciled'] as const
type Filter = (typeof FILTERS)[number]
type Parsed = MovementQuery & { readonly name: string }

export function paymentListRoutes(office: OfficeRoutes, deps: Deps): void {
  const parse = ({ admin, target, query }: Call<'events', Filter>): Result<Parsed, string> => {
    const period = readPeriod(query, dayOf(deps.clock()))
    if (!period.ok) return period
    for (const name of ['unsettled', 'unreconciled'] as const)
      if (!['', '1'].includes(query[name])) return err(`“${name}” must be 1, or left out.`)
    const { from, to, name } = period.value
    return ok({
      eventIds: findListedEventIds(deps, admin, target),
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
    const query = parse(call)
    if (!query.ok) return sendError(reply, 400, 'bad_query', query.error)
    await matchStatements(call.admin, query.value)
    const after = call.query.after === '' ? null : call.query.after
    const { rows, next } = await deps.store.movementPage(query.value, after, PAGE_ROWS)
    const totals = after === null ? await deps.store.movementSums(query.value) : null
    await recordView(call, `saw the payments (${rows.length})`)
    const answer: MovementsResponse = {
      status: 'success',
      movements: rows.map((row) => toWireMovement(deps, row)),
      after: next,
      totals: totals?.map((sum) => toWireTotals(deps, sum)) ?? null,
      methods: listMethods(deps),
      from: dayOf(query.value.from),
      to: addDays(dayOf(query.value.to), -1),
      today: dayOf(deps.clock()),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  /** A payment may have been recorded by hand after its statement was uploaded. */
  const matchStatements = async (
    admin: Call['admin'],
    { isUnreconciled, eventIds, from, to }: MovementQuery,
  ): Promise<void> => {
    const days = { first: dayOf(from), last: addDays(dayOf(to), -1) }
    if (isUnreconciled === true) await countStatementLines(deps, admin, eventIds, days)
  }

  const recordView = (
    { admin, target }: Pick<Call<'events'>, 'admin' | 'target'>,
    what: string,
  ): Promise<void> =>
    deps.store.addAuditEntry({
      at: deps.clock(),
      who: admin.username,
      what,
      eventId: target,
      regNo: null,
      look: 'payments',
    })

  const sendFile = async (
    call: Call<'events', Filter | 'format'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const query = parse(call)
    if (!query.ok) return sendError(reply, 400, 'bad_query', query.error)
    await matchStatements(call.admin, query.value)
    const kind = call.query.format === 'xlsx' ? 'xlsx' : 'csv'
    const chunks = readMovements(deps, query.value)[Symbol.asyncIterator]()
    const first = await chunks.next()
    const rows: Movement[] = []
    if (kind === 'xlsx')
      for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
        rows.push(...chunk.value)
        if (rows.length > XLSX_ROWS_MAX)
          return sendError(
            reply,
            422,
            'too_many',
            'An Excel file can have at most 10,000 rows. Choose fewer days, or export CSV.',
          )
      }
    await addEventEntries(
      deps,
      {
        who: call.admin.username,
        what: `exported the payments${kind === 'csv' ? '' : ' to Excel'}`,
      },
      query.value.eventIds ?? findUserEvents(deps, call.admin).map(({ id }) => id),
    )
    reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="payments_${query.value.name}.${kind}"`)
    if (kind === 'xlsx')
      return reply.type(XLSX_TYPE).send(
        await buildExcel({
          head: MOVEMENT_HEAD,
          rows: rows.map((row) => toSheetRow(buildMovementCells(deps, row))),
        }),
      )
    async function* csv(): AsyncGenerator<string> {
      yield formatCsvRows([MOVEMENT_HEAD], true)
      for (let chunk = first; chunk.done !== true; chunk = await chunks.next())
        yield formatCsvRows(
          chunk.value.map((row) => buildMovementCells(deps, row)),
          false,
        )
    }
    return reply.header('content-type', 'text/csv; charset=utf-8').send(Readable.from(csv()))
  }

  const sendDebtors = async (
    call: Call<'events', 'after'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const eventIds =
      findListedEventIds(deps, call.admin, call.target) ??
      findUserEvents(deps, call.admin).map(({ id }) => id)
    const after = call.query.after === '' ? null : call.query.after
    const { rows, next } = await deps.store.debtorPage(eventIds, after, DEBTOR_ROWS)
    const totals = after === null ? await deps.store.debtorSums(eventIds) : null
    await recordView(call, `saw the amounts due (${rows.length})`)
    const answer: DebtorsResponse = {
      status: 'success',
      debtors: rows.map((row) => ({
        reg_no: row.regNo,
        event_id: row.eventId,
        event: getEventTitle(deps, row.eventId),
        name: row.name,
        phone: row.phone,
        state: row.state,
        in_review: row.isInReview,
        amount: toMajorUnits(row.amount, row.currency),
        ...toWireCurrency(row.currency),
        since: isoIndia(row.since),
        reminded_at: row.remindedAt === null ? null : isoIndia(row.remindedAt),
      })),
      after: next,
      totals:
        totals?.map(({ eventId, registrations, amount, currency }) => ({
          event: getEventTitle(deps, eventId),
          registrations,
          amount: toMajorUnits(amount, currency),
          ...toWireCurrency(currency),
        })) ?? null,
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const sendRefunds = async (call: Call<'events'>, reply: FastifyReply): Promise<FastifyReply> => {
    const refunds = await deps.store.openRefunds(findListedEventIds(deps, call.admin, call.target))
    await recordView(call, `saw the open refunds (${refunds.length})`)
    const answer: OpenRefundsResponse = {
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
        at: isoIndia(refund.at),
      })),
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const rule = { least: 'treasurer', about: 'events' } as const
  office.get('/admin/movements', { ...rule, query: [...FILTERS, 'after'] }, sendPage)
  office.get('/admin/movements/export', { ...rule, query: [...FILTERS, 'format'] }, sendFile)
  office.get('/admin/debtors', { ...rule, query: ['after'] }, sendDebtors)
  office.get('/admin/open-refunds', rule, sendRefunds)
}

/** Reads all movements of a query in chunks. */
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

/** Lists the methods of the filter: those of the served events, and those that older payments may have. */
function listMethods({ events }: Pick<Deps, 'events'>): MovementsResponse['methods'] {
  const gateways = Object.keys(listGatewayKinds(events.all().map(({ config }) => config)))
  return [...new Set([...gateways, ...MANUAL_METHOD_IDS, 'import', REFUNDED_OUTSIDE])].map(
    (id) => ({ id, label: formatMethod(id) }),
  )
}
