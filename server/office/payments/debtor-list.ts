/** Serves the registrations with an amount due, as pages and as a file. */
import type { FastifyReply } from 'fastify'
import { toWireCurrency } from '../../../engine/api.ts'
import type { DebtorsResponse } from '../../../engine/api.ts'
import { dayOf, getDueLabel, formatIsoIndia, toMajorUnits } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Debtor } from '../../storage/index.ts'
import { findListedEventIds, findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { addEventEntries } from '../operations/audit-log.ts'
import { readTableKind, sendTable } from '../spreadsheets/send-table.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { buildAmountCell, getEventTitle } from './movement-rows.ts'

/** The number of rows on a page. With this many, a reminder to all debtors needs few requests. */
const PAGE_ROWS = 100
/** The number of rows read at a time for a file. */
const CHUNK_ROWS = 500

export function addDebtorRoutes(office: OfficeRoutes, deps: Deps): void {
  const findEventIds = ({ user, target }: Pick<Call<'events'>, 'user' | 'target'>) =>
    findListedEventIds(deps, user, target) ?? findUserEvents(deps, user).map(({ id }) => id)

  const sendPage = async (call: Call<'events', 'after'>, reply: FastifyReply) => {
    const eventIds = findEventIds(call)
    const after = call.query.after === '' ? null : call.query.after
    const { rows, next } = await deps.store.debtorPage(eventIds, after, PAGE_ROWS)
    const totals = after === null ? await deps.store.debtorSums(eventIds) : null
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: call.user.username,
      what: `viewed the amounts due (${rows.length})`,
      eventId: getViewedEventId(call.user, call.target),
      regNo: null,
      look: 'payments',
    })
    const response: DebtorsResponse = {
      status: 'success',
      now: formatIsoIndia(deps.clock()),
      debtors: rows.map((row) => ({
        reg_no: row.regNo,
        event_id: row.eventId,
        event: getEventTitle(deps, row.eventId),
        name: row.name,
        phone: row.phone,
        state: row.state,
        in_review: row.isInReview,
        payment_status: row.paymentStatus,
        amount: toMajorUnits(row.amount, row.currency),
        ...toWireCurrency(row.currency),
        since: formatIsoIndia(row.since),
        reminded_at: row.remindedAt === null ? null : formatIsoIndia(row.remindedAt),
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
    return reply.header('cache-control', 'no-store').send(response)
  }

  const sendFile = (call: Call<'events', 'format'>, reply: FastifyReply) => {
    const eventIds = findEventIds(call)
    const kind = readTableKind(call.query.format)
    return sendTable(reply, {
      kind,
      fileName: `amounts-due_${dayOf(deps.clock())}.${kind}`,
      head: DEBTOR_HEADER,
      chunks: readDebtors(deps, eventIds),
      toCells: (row) => buildCells(deps, row),
      advice: 'Choose one event',
      recordExport: () =>
        addEventEntries(
          deps,
          {
            who: call.user.username,
            what: `exported the amounts due${kind === 'csv' ? '' : ' to Excel'}`,
          },
          eventIds,
        ),
    })
  }

  const rule = { minRole: 'treasurer', target: 'events' } as const
  office.get('/admin/debtors', { ...rule, query: ['after'] }, sendPage)
  office.get('/admin/debtors/export', { ...rule, query: ['format'] }, sendFile)
}

const DEBTOR_HEADER: readonly string[] = [
  'Name',
  'Event',
  'Registration',
  'Email',
  'Phone',
  'Amount due',
  'Currency',
  'Owed since',
  'Last reminder',
  'State',
]

const buildCells = (deps: Pick<Deps, 'events'>, row: Debtor): readonly CsvCell[] => [
  row.name,
  getEventTitle(deps, row.eventId),
  row.regNo,
  row.email,
  row.phone,
  buildAmountCell(row.amount, row.currency),
  row.currency,
  dayOf(row.since),
  row.remindedAt === null ? '' : dayOf(row.remindedAt),
  getDueLabel(row),
]

async function* readDebtors(
  { store }: Pick<Deps, 'store'>,
  eventIds: readonly string[],
): AsyncGenerator<readonly Debtor[]> {
  for (let after: string | null = null, isLast = false; !isLast;) {
    const page = await store.debtorPage(eventIds, after, CHUNK_ROWS)
    yield page.rows
    after = page.next
    isLast = after === null
  }
}
