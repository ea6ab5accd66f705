/** The office's calls about mails: which wait, were given up and went out, and trying those again that did not. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { err, isoIndia, ok, own } from '../../engine/index.ts'
import type { MailsAnswer, Result, WireMail } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import { COUNT_MAX } from '../store/lists.ts'
import { MAIL_STATES } from '../store/mailing.ts'
import type { ListedMail, MailsQuery } from '../store/mailing.ts'
import { eventsOf, requireAdmin } from './guard.ts'
import { queryOf } from './lists.ts'
import type { Admin } from './session.ts'

const PAGE_ROWS = 50
const ADDRESS_CHARACTERS_MAX = 100
/** Ticked by hand; more are tried again all at once. */
const IDS_MAX = 200

export function mailRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const titleOf = (id: string): string => deps.events.byId(id)?.config.title ?? id
  const wire = (mail: ListedMail): WireMail => ({
    id: mail.id,
    to: mail.to,
    subject: mail.subject,
    event_id: mail.eventId,
    event: titleOf(mail.eventId),
    reg_no: mail.regNo,
    status: mail.status,
    tries: mail.attempts,
    at: isoIndia(mail.sentAt ?? mail.at),
    next_at: mail.nextAt === null ? null : isoIndia(mail.nextAt),
    error: mail.error,
  })
  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    const params = queryOf(request)
    const query = readQuery(deps, params, admin)
    if (!query.ok) return refuse(reply, 400, 'bad_query', query.error)
    const before = Number(params.get('before'))
    const found = await deps.store.mails(
      query.value,
      Number.isSafeInteger(before) && before > 0 ? before : null,
      PAGE_ROWS + 1,
    )
    const shown = found.slice(0, PAGE_ROWS)
    await deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what: 'saw the mails',
      eventId: null,
      regNo: null,
      look: 'mails',
    })
    const answer: MailsAnswer = {
      status: 'success',
      counts: await deps.store.mailCounts(query.value.events),
      counted_to: COUNT_MAX,
      mails: shown.map(wire),
      before: found.length > PAGE_ROWS ? (shown.at(-1)?.id ?? null) : null,
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }
  const retry = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    const ids = readIds(request.body)
    if (!ids.ok) return refuse(reply, 400, 'bad_request', ids.error)
    const at = deps.clock()
    const count = await deps.store.retryMails(at, { ids: ids.value, events: theirs(deps, admin) })
    const what =
      count === 0
        ? 'No mail of these waits or was given up.'
        : `${count} ${count === 1 ? 'mail goes' : 'mails go'} out again.`
    if (count > 0)
      await deps.store.audit({
        at,
        who: admin.username,
        what: `tried mails again (${count})`,
        eventId: null,
        regNo: null,
      })
    return reply.send({ status: 'success', message: what })
  }
  // Whoever may send somebody their confirmation again.
  const desk = { config: { office: { least: 'desk', about: 'event' } } } as const
  for (const path of paths('/admin/mail')) app.get(path, desk, list)
  for (const path of paths('/admin/mail/retry')) app.post(path, desk, retry)
}

/** Ids; null: all, and what belongs to an event that is not served any more. */
function theirs(deps: Deps, admin: Admin): readonly string[] | null {
  return admin.events === null ? null : eventsOf(deps, admin).map(({ id }) => id)
}

function readQuery(deps: Deps, params: URLSearchParams, admin: Admin): Result<MailsQuery, string> {
  const said = (name: string): string => params.get(name)?.trim() ?? ''
  const status = MAIL_STATES.find((one) => one === said('status')) ?? null
  if (said('status') !== '' && status === null)
    return err(`“status” must be one of ${MAIL_STATES.join(', ')}, not “${said('status')}”.`)
  if (said('address').length > ADDRESS_CHARACTERS_MAX)
    return err(`Please search for at most ${ADDRESS_CHARACTERS_MAX} characters.`)
  const event = said('event')
  return ok({
    events: event === '' ? theirs(deps, admin) : [event],
    status,
    address: said('address'),
  })
}

/** `ids` of mails; null: `all` that were given up. */
function readIds(body: unknown): Result<readonly number[] | null, string> {
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const ids = own(said, 'ids')
  if (Array.isArray(ids) && ids.length <= IDS_MAX && ids.every((id) => Number.isSafeInteger(id)))
    return ok(ids as number[])
  return own(said, 'all') === true
    ? ok(null)
    : err(`Say “ids” of at most ${IDS_MAX} mails, or “all”: true.`)
}
