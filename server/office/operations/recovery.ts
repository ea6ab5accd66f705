/** Shows the state of a recovery and ends it, for owners of all events. */
import type { FastifyReply } from 'fastify'
import { isHeldMails, isoIndia } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { RecoveryAnswer, WireRecovery } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import { recoveryStatusOf } from '../../ops/recovery/recovery-status.ts'
import type { RecoveryStatus } from '../../ops/recovery/recovery-status.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

const isoOrNone = (at: Instant | null): string | null => (at === null ? null : isoIndia(at))

export function recoveryRoutes(office: OfficeRoutes, deps: Deps): void {
  const answer = async (): Promise<RecoveryAnswer> => {
    const events = deps.events.all().map(({ config }) => config)
    const standing = await recoveryStatusOf(deps, events)
    return {
      status: 'success',
      recovery: wire(standing, (id) => deps.events.byId(id)?.config.title ?? id),
      past: standing.figures.past.map(({ code, begunAt, endedAt, endedBy, mails }) => ({
        code,
        begun_at: isoIndia(begunAt),
        ended_at: isoIndia(endedAt),
        ended_by: endedBy,
        mails,
      })),
    }
  }
  const show = async (_call: Call<'every'>, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header('cache-control', 'no-store').send(await answer())
  const end = async (
    { admin, body }: Call<'every', never, 'mails'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { mails } = body
    if (!isHeldMails(mails))
      return refuse(reply, 422, 'bad_data', 'Choose which of the held emails are sent.')
    const ended = await deps.store.endRecovery({ at: deps.clock(), who: admin.username, mails })
    if (ended === null)
      return refuse(reply, 409, 'not_now', 'The installation is not in recovery any more.')
    return reply.header('cache-control', 'no-store').send({
      status: 'success',
      message: `The recovery has ended. Held emails: ${ended.sent} to be sent, ${ended.discarded} discarded.`,
    })
  }
  const owners = { least: 'owner', about: 'every' } as const
  office.get('/admin/recovery-state', owners, show)
  office.post('/admin/recovery-state/end', { ...owners, body: { mails: 'text' } }, end)
}

function wire(
  { recovery, figures, uploads }: RecoveryStatus,
  titleOf: (id: string) => string,
): WireRecovery | null {
  if (recovery === null) return null
  const { pending, unknown, held, mails, series } = figures
  return {
    begun_at: isoIndia(recovery.begunAt),
    why: recovery.why,
    code: recovery.code,
    copy_at: isoOrNone(recovery.copyAt),
    stored_at: isoOrNone(recovery.storedAt),
    served_at: isoOrNone(recovery.servedAt),
    pending,
    unknown: { to_decide: unknown.toDecide, to_ask: unknown.toAsk },
    held,
    mails: mails.map(({ id, to, subject, eventId, at }) => ({
      id,
      to,
      subject,
      event: titleOf(eventId),
      at: isoIndia(at),
    })),
    series: series.map(({ pattern, year, last }) => ({ pattern, year, last })),
    uploads,
  }
}
