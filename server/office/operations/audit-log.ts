/** Serves the audit log, as pages or as CSV. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { dayOf, err, isDay, formatIsoIndia, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { AuditLogResponse, WireAuditEntry } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import type { AuditLogQuery, AuditLogRow, AuditEntryKind } from '../../storage/index.ts'
import { formatCsvRows } from '../spreadsheets/write-csv.ts'
import { findListedEventIds } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** The number of rows on a page. */
const PAGE_ROWS = 50
/** The number of rows read at a time for an export. */
const CHUNK_ROWS = 1_000
const MAX_SEARCH_CHARACTERS = 100

/** The values of `kind`. Without a kind, the log omits page views. */
const KINDS: Readonly<Record<string, readonly AuditEntryKind[] | null>> = {
  '': ['changes', 'exports', 'signing-in'],
  changes: ['changes'],
  exports: ['exports'],
  'signing-in': ['signing-in'],
  looks: ['looks'],
  all: null,
}

const LOG_QUERY = ['from', 'to', 'kind', 'words', 'who', 'before'] as const
type LogCall = Call<'events', (typeof LOG_QUERY)[number]>

/** Adds an entry for each of these events, because owners see only the entries for their own events. */
export async function addEventEntries(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { who, what }: { readonly who: string; readonly what: string },
  eventIds: readonly string[],
): Promise<void> {
  const at = clock()
  for (const eventId of eventIds.length === 0 ? [null] : eventIds)
    await store.addAuditEntry({ at, who, what, eventId, regNo: null })
}

export function addAuditLogRoutes(office: OfficeRoutes, deps: Deps): void {
  const handleQuery = async (
    { user, target, query: params }: LogCall,
    reply: FastifyReply,
    send: (query: AuditLogQuery) => Promise<FastifyReply>,
  ): Promise<FastifyReply> => {
    // Entries without an event are sign-ins, so only a user with access to all events sees them.
    const query = parseQuery(params, findListedEventIds(deps, user, target))
    if (!query.ok) return sendError(reply, 400, 'bad_query', query.error)
    reply.header('cache-control', 'no-store')
    return send(query.value)
  }
  const toWireAuditEntry = (row: AuditLogRow): WireAuditEntry => ({
    id: row.id,
    at: formatIsoIndia(row.at),
    who: row.who,
    what: row.what,
    event_id: row.eventId,
    event: formatEvent(deps, row.eventId),
    reg_no: row.regNo,
  })

  const sendPage = (call: LogCall, reply: FastifyReply): Promise<FastifyReply> =>
    handleQuery(call, reply, async (query) => {
      const beforeId = Number(call.query.before)
      const rows = await deps.store.auditLog(
        query,
        Number.isSafeInteger(beforeId) && beforeId > 0 ? beforeId : null,
        PAGE_ROWS + 1,
      )
      const shownRows = rows.slice(0, PAGE_ROWS)
      const response: AuditLogResponse = {
        status: 'success',
        rows: shownRows.map(toWireAuditEntry),
        before: rows.length > PAGE_ROWS ? (shownRows.at(-1)?.id ?? null) : null,
        people: [...(await deps.store.auditLogUsers(query.events))],
      }
      return reply.send(response)
    })

  const sendCsv = (call: LogCall, reply: FastifyReply): Promise<FastifyReply> =>
    handleQuery(call, reply, async (query) => {
      const at = deps.clock()
      let rows = await deps.store.auditLog(query, null, CHUNK_ROWS)
      await addEventEntries(
        deps,
        { who: call.user.username, what: 'exported the audit log' },
        query.events ?? [],
      )
      const toCsv = (auditLogRows: readonly AuditLogRow[]): string =>
        formatCsvRows(
          auditLogRows
            .map(toWireAuditEntry)
            .map(({ at: time, who: user, what, event, reg_no }) => [
              time.replace('T', ' ').replace(/\+05:30$/, ''),
              user,
              what,
              event,
              reg_no,
            ]),
          false,
        )
      async function* readChunks(): AsyncGenerator<string> {
        yield formatCsvRows([['When', 'Who', 'What', 'Event', 'Registration']], true)
        while (rows.length > 0) {
          yield toCsv(rows)
          rows = await deps.store.auditLog(query, rows.at(-1)?.id ?? 0, CHUNK_ROWS)
        }
      }
      return reply
        .header('content-type', 'text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="activity_${dayOf(at)}.csv"`)
        .send(Readable.from(readChunks()))
    })

  const rule = { minRole: 'owner', target: 'events', query: LOG_QUERY } as const
  office.get('/admin/log', rule, sendPage)
  office.get('/admin/log/export', rule, sendCsv)

  function parseQuery(
    query: LogCall['query'],
    events: AuditLogQuery['events'],
  ): Result<AuditLogQuery, string> {
    const [from, to, kind, searchText, user] = (
      ['from', 'to', 'kind', 'words', 'who'] as const
    ).map((name) => query[name].trim()) as [string, string, string, string, string]
    for (const [name, day] of [
      ['from', from],
      ['to', to],
    ])
      if (day !== '' && !isDay(day ?? ''))
        return err(`“${name}” must be a date such as 2026-01-31, not “${day}”.`)
    if (!Object.hasOwn(KINDS, kind))
      return err(
        `“kind” must be one of ${Object.keys(KINDS).filter(Boolean).join(', ')}, not “${kind}”.`,
      )
    if (searchText.length > MAX_SEARCH_CHARACTERS)
      return err(`Search for at most ${MAX_SEARCH_CHARACTERS} characters.`)
    return ok({
      who: user || null,
      events,
      kinds: KINDS[kind] ?? null,
      words: searchText,
      from: isDay(from) ? from : null,
      to: isDay(to) ? to : null,
    })
  }
}

function formatEvent({ events }: Pick<Deps, 'events'>, id: string | null): string {
  return id === null ? '' : (events.findById(id)?.config.title ?? id)
}
