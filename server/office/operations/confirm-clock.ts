/** Lets owners confirm the clock if it is days ahead of the last recorded time. */
import type { FastifyReply } from 'fastify'
import { CLOCK_CONFIRMED, formatErasurePause } from '../../ops/health/clock-check.ts'
import type { Deps } from '../../dependencies.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

export function addClockRoutes(office: OfficeRoutes, deps: Deps): void {
  const confirmClock = async (
    { user, store }: Call<'all events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const at = deps.clock()
    await store.confirmClock(at)
    await deps.store.addAuditEntry({
      at,
      who: user.username,
      what: CLOCK_CONFIRMED,
      eventId: null,
      regNo: null,
    })
    deps.log.warn({ at }, 'staff confirmed the clock')
    return reply.send({ status: 'success', message: 'The clock is confirmed.' })
  }
  office.post('/admin/clock/confirm', { minRole: 'owner', target: 'all events' }, confirmClock)
}

/** Explains why erasure is paused, as full sentences. Null if it is not paused. */
export async function findErasurePauseReason({
  store,
  clock,
}: Pick<Deps, 'store' | 'clock'>): Promise<string | null> {
  const lastTrustedTime = await store.lastTrustedTime()
  return lastTrustedTime === null || lastTrustedTime.waitsSince === null
    ? null
    : formatErasurePause(lastTrustedTime, clock())
}
