/** Office routes that list emails and retry failed ones. */
import type { FastifyReply } from 'fastify'
import { err, formatIsoIndia, ok } from '../../../engine/index.ts'
import {
  LINK_PLACEHOLDER,
  LOST_LINK_PLACEHOLDER,
  readLinkPlaceholder,
} from '../../../engine/messages.ts'
import type { Result } from '../../../engine/index.ts'
import type { EmailsResponse, WireMail } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { MAX_COUNTED } from '../../storage/lists/list-and-search-registrations.ts'
import { MAIL_STATES } from '../../storage/mail/email-list-types.ts'
import type { ListedMail, MailsQuery } from '../../storage/mail/email-list-types.ts'
import { findListedEventIds, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { addEventEntries } from './audit-log.ts'

const PAGE_ROWS = 50
const MAX_ADDRESS_CHARACTERS = 100
/** The maximum number of selected emails. To retry more, users retry all failed emails. */
const MAX_IDS = 200

export function addEmailRoutes(office: OfficeRoutes, deps: Deps): void {
  const findEventTitle = (id: string): string => deps.events.findById(id)?.config.title ?? id
  const toWireEmail = (email: ListedMail): WireMail => ({
    id: email.id,
    to: email.to,
    subject: email.subject,
    event_id: email.eventId,
    event: findEventTitle(email.eventId),
    reg_no: email.regNo,
    status: email.status,
    tries: email.attempts,
    at: formatIsoIndia(email.sentAt ?? email.at),
    next_at: email.nextAt === null ? null : formatIsoIndia(email.nextAt),
    error: email.error,
    ...(email.text === undefined
      ? {}
      : {
          details: {
            queued_at: formatIsoIndia(email.at),
            sent_at: email.sentAt === null ? null : formatIsoIndia(email.sentAt),
            tried_at: email.triedAt === null ? null : formatIsoIndia(email.triedAt),
            text: hideLinks(email.text),
          },
        }),
  })
  const sendEmailList = async (
    { user, target, query: params }: Call<'events', 'status' | 'address' | 'before' | 'id'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const query = parseQuery(params, findListedEventIds(deps, user, target))
    if (!query.ok) return sendError(reply, 400, 'bad_query', query.error)
    const beforeId = Number(params.before)
    const emails = await deps.store.mails(
      query.value,
      Number.isSafeInteger(beforeId) && beforeId > 0 ? beforeId : null,
      PAGE_ROWS + 1,
    )
    const pageEmails = emails.slice(0, PAGE_ROWS)
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      ...((query.value.id ?? null) === null
        ? {
            what: 'viewed the emails',
            look: 'mails',
            eventId: getViewedEventId(user, target),
            regNo: null,
          }
        : {
            what: 'opened the email',
            look: `mail ${query.value.id}`,
            eventId: pageEmails[0]?.eventId ?? null,
            regNo: pageEmails[0]?.regNo ?? null,
          }),
    })
    const response: EmailsResponse = {
      status: 'success',
      counts: await deps.store.mailCounts(query.value.events),
      counted_to: MAX_COUNTED,
      mails: pageEmails.map(toWireEmail),
      before: emails.length > PAGE_ROWS ? (pageEmails.at(-1)?.id ?? null) : null,
    }
    return reply.header('cache-control', 'no-store').send(response)
  }
  const retryEmails = async (
    { user, store, target, body }: Call<'events', never, 'ids' | 'all'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const ids = parseIds(body)
    if (!ids.ok) return sendError(reply, 422, 'bad_data', ids.error)
    const eventIds = findListedEventIds(deps, user, target)
    const count = await store.retryMails(deps.clock(), { ids: ids.value, events: eventIds })
    const message =
      count === 0
        ? 'None of these emails is queued or failed, so none was retried.'
        : `${count} ${count === 1 ? 'email' : 'emails'} queued again.`
    if (count > 0)
      await addEventEntries(
        deps,
        { who: user.username, what: `retried emails (${count})` },
        eventIds ?? [],
      )
    return reply.send({ status: 'success', message })
  }
  // Users with this role may also resend a confirmation.
  office.get(
    '/admin/mail',
    { minRole: 'desk', target: 'events', query: ['status', 'address', 'before', 'id'] },
    sendEmailList,
  )
  office.post(
    '/admin/mail/retry',
    { minRole: 'desk', target: 'events', body: { ids: 'list', all: 'flag' } },
    retryEmails,
  )
}

/** Replaces link placeholders in the queued text, because personal links exist only in the email that was sent. */
const hideLinks = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line === LINK_PLACEHOLDER || readLinkPlaceholder(line) !== null ? '[personal link]' : line,
    )
    .join('\n')
    .replace(LOST_LINK_PLACEHOLDER, '[lost-link page]')

function parseQuery(
  params: { readonly status: string; readonly address: string; readonly id: string },
  events: MailsQuery['events'],
): Result<MailsQuery, string> {
  const [statusText, address] = [params.status.trim(), params.address.trim()]
  const status = MAIL_STATES.find((state) => state === statusText) ?? null
  if (statusText !== '' && status === null)
    return err(`“status” must be one of ${MAIL_STATES.join(', ')}, not “${statusText}”.`)
  if (address.length > MAX_ADDRESS_CHARACTERS)
    return err(`Search for at most ${MAX_ADDRESS_CHARACTERS} characters.`)
  const id = Number(params.id)
  if (params.id !== '' && !Number.isSafeInteger(id))
    return err(`“id” must be the number of an email, not “${params.id}”.`)
  return ok({ events, status, address, id: params.id === '' ? null : id })
}

/** Returns the ids of the selected emails. Null means all failed ones. */
function parseIds({
  ids,
  all,
}: {
  readonly ids?: unknown
  readonly all?: unknown
}): Result<readonly number[] | null, string> {
  if (Array.isArray(ids) && ids.length <= MAX_IDS && ids.every((id) => Number.isSafeInteger(id)))
    return ok(ids as number[])
  return all === true ? ok(null) : err(`Send “ids” of at most ${MAX_IDS} emails, or “all”: true.`)
}
