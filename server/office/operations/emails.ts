/** Defines the office's routes for emails: waiting, failed and sent ones, and retrying failed ones. */
import type { FastifyReply } from 'fastify'
import { err, isoIndia, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { MailsAnswer, WireMail } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import { COUNT_MAX } from '../../storage/lists/list-and-search-registrations.ts'
import { MAIL_STATES } from '../../storage/mail/email-list-types.ts'
import type { ListedMail, MailsQuery } from '../../storage/mail/email-list-types.ts'
import { idsOf } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

const PAGE_ROWS = 50
const ADDRESS_CHARACTERS_MAX = 100
/** Selected by hand; more are retried all at once. */
const IDS_MAX = 200

export function mailRoutes(office: OfficeRoutes, deps: Deps): void {
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
  const list = async (
    { admin, target, query: said }: Call<'events', 'status' | 'address' | 'before'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const query = readQuery(said, idsOf(deps, admin, target))
    if (!query.ok) return refuse(reply, 400, 'bad_query', query.error)
    const before = Number(said.before)
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
  const retry = async (
    { admin, target, body }: Call<'events', never, 'ids' | 'all'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const ids = readIds(body)
    if (!ids.ok) return refuse(reply, 422, 'bad_data', ids.error)
    const at = deps.clock()
    const count = await deps.store.retryMails(at, {
      ids: ids.value,
      events: idsOf(deps, admin, target),
    })
    const what =
      count === 0
        ? 'None of these emails is waiting or failed.'
        : `${count} ${count === 1 ? 'email' : 'emails'} queued again.`
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
  // Users who may resend a confirmation.
  office.get(
    '/admin/mail',
    { least: 'desk', about: 'events', query: ['status', 'address', 'before'] },
    list,
  )
  office.post(
    '/admin/mail/retry',
    { least: 'desk', about: 'events', body: { ids: 'list', all: 'flag' } },
    retry,
  )
}

function readQuery(
  said: { readonly status: string; readonly address: string },
  events: MailsQuery['events'],
): Result<MailsQuery, string> {
  const [asked, address] = [said.status.trim(), said.address.trim()]
  const status = MAIL_STATES.find((one) => one === asked) ?? null
  if (asked !== '' && status === null)
    return err(`“status” must be one of ${MAIL_STATES.join(', ')}, not “${asked}”.`)
  if (address.length > ADDRESS_CHARACTERS_MAX)
    return err(`Search for at most ${ADDRESS_CHARACTERS_MAX} characters.`)
  return ok({ events, status, address })
}

/** `ids` of emails; null: `all` failed ones. */
function readIds({
  ids,
  all,
}: {
  readonly ids?: unknown
  readonly all?: unknown
}): Result<readonly number[] | null, string> {
  if (Array.isArray(ids) && ids.length <= IDS_MAX && ids.every((id) => Number.isSafeInteger(id)))
    return ok(ids as number[])
  return all === true ? ok(null) : err(`Send “ids” of at most ${IDS_MAX} emails, or “all”: true.`)
}
