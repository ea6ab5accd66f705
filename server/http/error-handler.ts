/** Converts errors thrown by a request into responses: client error, temporary overload, or bug. */
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { StoreBusy } from '../storage/index.ts'
import { refusalCause, writeTrouble } from '../storage/database/error-explanations.ts'
import { GivenUp } from './request-body-limits.ts'
import { pathOf } from './event-route-table.ts'
import { refuse, RETRY_SECONDS, toldOf } from './error-response.ts'
import { blanked } from './request-log.ts'

/** No space or file handle: of the disk, the quota, the file system or the process. */
const NO_ROOM = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EMFILE|ENFILE)$/
/** SQLite's messages for it. */
const DATABASE_FULL = /database or disk is full|disk I\/O error/
/** The reason is the same for all refused requests, and logging it each time would fill a full disk further. */
const TOLD_EVERY_MS = 1_000

/** Null also where it cannot be told. */
async function lossOf({ store }: Pick<Deps, 'store'>): Promise<string | null> {
  try {
    return await store.lost()
  } catch {
    return null
  }
}

export type AnswerError = (
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) => unknown

/** `noRoom` is called when the database had no space for a request. */
export function answersErrors(
  deps: Pick<Deps, 'store' | 'events' | 'clock' | 'log'>,
  noRoom: (at: Instant) => void,
): AnswerError {
  let toldAt: Instant | null = null
  const tell = async (error: Error): Promise<void> => {
    const at = deps.clock()
    if (toldAt !== null && at >= toldAt && at - toldAt < TOLD_EVERY_MS) return
    toldAt = at
    const why =
      error instanceof StoreBusy && error.code !== '' ? { why: writeTrouble(error.code) } : {}
    const lost = await lossOf(deps)
    deps.log.error(
      { error: error.message, ...why },
      `requests are refused: ${refusalCause(error, lost)}`,
    )
  }
  const say = (reply: FastifyReply, status: number, as = status): unknown => {
    const { code, message } = toldOf(as)
    const seconds = RETRY_SECONDS[as]
    if (seconds !== undefined) reply.header('retry-after', String(seconds))
    return refuse(reply, status, code, message)
  }
  return (error, request, reply) => {
    if (error instanceof StoreBusy || (error instanceof GivenUp && error.statusCode === 503)) {
      void tell(error)
      if (DATABASE_FULL.test(error.message)) noRoom(deps.clock())
      return say(reply, 503)
    }
    if (NO_ROOM.test(error.code)) {
      void tell(error)
      return say(reply, 503, 507)
    }
    const status = error.statusCode ?? 500
    if (status < 500) {
      const isJson =
        error.code === 'FST_ERR_CTP_INVALID_JSON_BODY' ||
        error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY'
      return isJson
        ? refuse(reply, 400, 'bad_request', REFUSAL_MESSAGES.request.notJson)
        : say(reply, status)
    }
    deps.log.error(
      { id: request.id, error: error.stack ?? error.message, path: blanked(pathOf(request), deps) },
      'a request failed',
    )
    return say(reply, status === 503 ? 503 : 500)
  }
}
