/** Serves the audit log: one page at a time, or everything requested as CSV. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { dayOf, err, isDay, isoIndia, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { ActivityAnswer, WireActivity } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { ActivityQuery, ActivityRow, ActKind } from '../../storage/index.ts'
import { csvRows } from '../spreadsheets/write-csv.ts'
import { idsOf } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

/** Rows of a page, and rows read at a time for an export. */
const PAGE_ROWS = 50
const CHUNK_ROWS = 1_000
const WORDS_CHARACTERS_MAX = 100

/** The values of `kind`; without one, actions that changed something. */
const KINDS: Readonly<Record<string, readonly ActKind[] | null>> = {
  '': ['changes', 'exports', 'signing-in'],
  changes: ['changes'],
  exports: ['exports'],
  'signing-in': ['signing-in'],
  looks: ['looks'],
  all: null,
}

const LOG_QUERY = ['from', 'to', 'kind', 'words', 'who', 'before'] as const
type LogCall = Call<'events', (typeof LOG_QUERY)[number]>

export function activityRoutes(office: OfficeRoutes, deps: Deps): void {
  const handle = async (
    { admin, target, query: said }: LogCall,
    reply: FastifyReply,
    send: (query: ActivityQuery) => Promise<FastifyReply>,
  ): Promise<FastifyReply> => {
    // A user of some events sees those events, but no entries without an event: these are other users' sign-ins.
    const query = readQuery(said, idsOf(deps, admin, target))
    if (!query.ok) return refuse(reply, 400, 'bad_query', query.error)
    reply.header('cache-control', 'no-store')
    return send(query.value)
  }
  const wire = (row: ActivityRow): WireActivity => ({
    id: row.id,
    at: isoIndia(row.at),
    who: row.who,
    what: row.what,
    event_id: row.eventId,
    event: eventText(deps, row.eventId),
    reg_no: row.regNo,
  })

  const page = (call: LogCall, reply: FastifyReply): Promise<FastifyReply> =>
    handle(call, reply, async (query) => {
      const before = Number(call.query.before)
      const rows = await deps.store.activity(
        query,
        Number.isSafeInteger(before) && before > 0 ? before : null,
        PAGE_ROWS + 1,
      )
      const shown = rows.slice(0, PAGE_ROWS)
      const answer: ActivityAnswer = {
        status: 'success',
        rows: shown.map(wire),
        before: rows.length > PAGE_ROWS ? (shown.at(-1)?.id ?? null) : null,
        people: [...(await deps.store.actors(query.events))],
      }
      return reply.send(answer)
    })

  const csv = (call: LogCall, reply: FastifyReply): Promise<FastifyReply> =>
    handle(call, reply, async (query) => {
      const at = deps.clock()
      let rows = await deps.store.activity(query, null, CHUNK_ROWS)
      await deps.store.audit({
        at,
        who: call.admin.username,
        what: 'exported the activity',
        eventId: null,
        regNo: null,
      })
      const lines = (some: readonly ActivityRow[]): string =>
        csvRows(
          some
            .map(wire)
            .map(({ at: when, who, what, event, reg_no }) => [
              when.replace('T', ' ').replace(/\+05:30$/, ''),
              who,
              what,
              event,
              reg_no,
            ]),
          false,
        )
      async function* chunks(): AsyncGenerator<string> {
        yield csvRows([['When', 'Who', 'What', 'Event', 'Registration']], true)
        while (rows.length > 0) {
          yield lines(rows)
          rows = await deps.store.activity(query, rows.at(-1)?.id ?? 0, CHUNK_ROWS)
        }
      }
      return reply
        .header('content-type', 'text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="activity_${dayOf(at)}.csv"`)
        .send(Readable.from(chunks()))
    })

  const owners = { least: 'owner', about: 'events', query: LOG_QUERY } as const
  office.get('/admin/log', owners, page)
  office.get('/admin/log/export', owners, csv)

  function readQuery(
    query: LogCall['query'],
    events: ActivityQuery['events'],
  ): Result<ActivityQuery, string> {
    const [from, to, kind, words, who] = (['from', 'to', 'kind', 'words', 'who'] as const).map(
      (name) => query[name].trim(),
    ) as [string, string, string, string, string]
    for (const [name, day] of [
      ['from', from],
      ['to', to],
    ])
      if (day !== '' && !isDay(day ?? ''))
        return err(`“${name}” must be a day such as 2026-01-31, not “${day}”.`)
    if (!Object.hasOwn(KINDS, kind))
      return err(
        `“kind” must be one of ${Object.keys(KINDS).filter(Boolean).join(', ')}, not “${kind}”.`,
      )
    if (words.length > WORDS_CHARACTERS_MAX)
      return err(`Search for at most ${WORDS_CHARACTERS_MAX} characters.`)
    return ok({
      who: who || null,
      events,
      kinds: KINDS[kind] ?? null,
      words,
      from: isDay(from) ? from : null,
      to: isDay(to) ? to : null,
    })
  }
}

function eventText({ events }: Pick<Deps, 'events'>, id: string | null): string {
  return id === null ? '' : (events.byId(id)?.config.title ?? id)
}
