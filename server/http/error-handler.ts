/** Converts errors thrown by a request into responses: client error, temporary overload, or bug. */
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { isUpdatingRegistrations, LostPermissionError, StoreBusy } from '../storage/index.ts'
import { explainRefusal, explainWriteError } from '../storage/database/error-explanations.ts'
import { UploadsUnavailable } from '../storage/database/store-busy-error.ts'
import type { OutageWatch } from './database-outage.ts'
import { BodyAborted } from './request-body-limits.ts'
import { getPath } from './event-route-table.ts'
import { sendError, RETRY_SECONDS, getErrorForStatus } from './error-response.ts'
import { redactPath } from './request-log.ts'

/** Error codes for exhausted disk space, disk quota or file handles. */
const NO_SPACE_CODES = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EMFILE|ENFILE)$/
/** SQLite's messages for a full disk. */
const DATABASE_FULL_MESSAGES = /database or disk is full|disk I\/O error/
/** The interval between log lines. The reason is the same for all failed requests, and each line takes disk space. */
const LOG_INTERVAL_MS = 1_000

/** Describes the loss of the database. Null if it was not lost, or if this is unknown. */
async function describeDatabaseLoss({ store }: Pick<Deps, 'store'>): Promise<string | null> {
  try {
    return await store.findDatabaseLoss()
  } catch {
    return null
  }
}

const isDatabaseError = (error: Error): boolean =>
  error instanceof StoreBusy &&
  !isUpdatingRegistrations(error) &&
  !(error instanceof UploadsUnavailable)

export type ErrorHandler = (
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) => unknown

/**
 * `onNoSpace` is called when the database had no space for a request. `outages` logs when the database responds
 * again.
 */
export function createErrorHandler(
  deps: Pick<Deps, 'store' | 'events' | 'clock' | 'log'>,
  onNoSpace: (at: Instant) => void,
  outages: Pick<OutageWatch, 'begin'>,
): ErrorHandler {
  let loggedAt: Instant | null = null
  const logRejected = async (error: Error): Promise<void> => {
    const at = deps.clock()
    if (loggedAt !== null && at >= loggedAt && at - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = at
    const reason =
      error instanceof StoreBusy && error.code !== '' && !isUpdatingRegistrations(error)
        ? { why: explainWriteError(error.code) }
        : {}
    const lossReason = await describeDatabaseLoss(deps)
    deps.log.error(
      { error: error.message, ...reason },
      `requests are refused: ${explainRefusal(error, lossReason)}`,
    )
  }
  const sendStatusError = (
    reply: FastifyReply,
    status: number,
    messageStatus = status,
  ): unknown => {
    const { code, message } = getErrorForStatus(messageStatus)
    const seconds = RETRY_SECONDS[messageStatus]
    if (seconds !== undefined) reply.header('retry-after', String(seconds))
    return sendError(reply, status, code, message)
  }
  return (error, request, reply) => {
    if (error instanceof LostPermissionError) {
      const { code } = getErrorForStatus(error.status)
      return sendError(reply, error.status, code, error.message)
    }
    if (error instanceof StoreBusy || (error instanceof BodyAborted && error.statusCode === 503)) {
      void logRejected(error)
      if (isDatabaseError(error)) outages.begin()
      if (DATABASE_FULL_MESSAGES.test(error.message)) onNoSpace(deps.clock())
      return sendStatusError(reply, 503)
    }
    if (NO_SPACE_CODES.test(error.code)) {
      void logRejected(error)
      return sendStatusError(reply, 503, 507)
    }
    const status = error.statusCode ?? 500
    if (status < 500) {
      const isJson =
        error.code === 'FST_ERR_CTP_INVALID_JSON_BODY' ||
        error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY'
      return isJson
        ? sendError(reply, 400, 'bad_request', SERVER_MESSAGES.request.notJson)
        : sendStatusError(reply, status)
    }
    deps.log.error(
      {
        id: request.id,
        error: error.stack ?? error.message,
        path: redactPath(getPath(request), deps),
      },
      'a request failed',
    )
    return sendStatusError(reply, status === 503 ? 503 : 500)
  }
}
