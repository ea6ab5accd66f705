/** Shows the state of a recovery and ends it, for owners with access to all events. */
import type { FastifyReply } from 'fastify'
import { isHeldEmails, formatIsoIndia } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { RecoveryResponse, WireRecovery } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { readRecoveryStatus } from '../../ops/recovery/recovery-status.ts'
import type { RecoveryStatus } from '../../ops/recovery/recovery-status.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

const formatOptional = (at: Instant | null): string | null =>
  at === null ? null : formatIsoIndia(at)

export function addRecoveryRoutes(office: OfficeRoutes, deps: Deps): void {
  const buildResponse = async (): Promise<RecoveryResponse> => {
    const events = deps.events.all().map(({ config }) => config)
    const status = await readRecoveryStatus(deps, events)
    return {
      status: 'success',
      recovery: toWireRecovery(status, (id) => deps.events.findById(id)?.config.title ?? id),
      past: status.figures.past.map(({ code, begunAt, endedAt, endedBy, mails }) => ({
        code,
        begun_at: formatIsoIndia(begunAt),
        ended_at: formatIsoIndia(endedAt),
        ended_by: endedBy,
        mails,
      })),
    }
  }
  const sendRecovery = async (
    _call: Call<'all events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => reply.header('cache-control', 'no-store').send(await buildResponse())
  const endRecovery = async (
    { user, store, body }: Call<'all events', never, 'mails'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { mails } = body
    if (!isHeldEmails(mails))
      return sendError(reply, 422, 'bad_data', 'Choose which of the held emails to send.')
    const result = await store.endRecovery({ at: deps.clock(), who: user.username, mails })
    if (result === null)
      return sendError(reply, 409, 'not_now', 'The installation is no longer in recovery.')
    return reply.header('cache-control', 'no-store').send({
      status: 'success',
      message: `The recovery has ended. Held emails: ${result.sent} to be sent, ${result.discarded} discarded.`,
    })
  }
  const rule = { minRole: 'owner', target: 'all events' } as const
  office.get('/admin/recovery-state', rule, sendRecovery)
  office.post('/admin/recovery-state/end', { ...rule, body: { mails: 'text' } }, endRecovery)
}

function toWireRecovery(
  { recovery, figures, uploads }: RecoveryStatus,
  findEventTitle: (id: string) => string,
): WireRecovery | null {
  if (recovery === null) return null
  const { pending, unknown, held, mails, series } = figures
  return {
    begun_at: formatIsoIndia(recovery.begunAt),
    why: recovery.why,
    code: recovery.code,
    copy_at: formatOptional(recovery.copyAt),
    stored_at: formatOptional(recovery.storedAt),
    served_at: formatOptional(recovery.servedAt),
    pending,
    unknown: { to_decide: unknown.toDecide, to_ask: unknown.toAsk },
    held,
    mails: mails.map(({ id, to, subject, eventId, at }) => ({
      id,
      to,
      subject,
      event: findEventTitle(eventId),
      at: formatIsoIndia(at),
    })),
    series: series.map(({ pattern, year, last }) => ({ pattern, year, last })),
    uploads,
  }
}
