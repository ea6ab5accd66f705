/**
 * Marks saved settlement lines as handled if they differ from the records, and reopens them.
 * Rollcall has no other action for them: a chargeback, or a fee that the gateway charged twice, is settled outside
 * Rollcall.
 */
import type { FastifyReply } from 'fastify'
import type { SettlementHandledResponse } from '../../../engine/api.ts'
import { trimReason } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { readText } from '../../registration/actions/action-input.ts'
import type { LatestLineDecision } from '../../storage/index.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { matchSettlements } from './match-settlements.ts'
import { buildViewer } from './registration-numbers-in-statement.ts'
import { loadSettlementAccounts } from './settlement-account.ts'
import { findEventOfOrder } from './settlement-line-events.ts'
import { findOwner, listShownAccounts, toWireLine } from './settlement-import.ts'

const MAX_REASON_CHARACTERS = 500

export function addSettlementLineRoutes(office: OfficeRoutes, deps: Deps): void {
  const handleLine = async (
    { user, store, target, body }: Call<'event', never, 'line' | 'why' | 'seen'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const event = target.config
    const why = body.why === undefined ? null : trimReason(readText(body, 'why'))
    if (why !== null && (why === '' || [...why].length > MAX_REASON_CHARACTERS))
      return sendError(
        reply,
        422,
        'bad_data',
        `Enter a reason of at most ${MAX_REASON_CHARACTERS} characters.`,
      )
    const accounts = await loadSettlementAccounts(deps.store, event)
    const viewer = buildViewer(deps, user)
    const settlements =
      accounts === null ? null : await matchSettlements(deps, accounts, null, viewer)
    // Includes only lines that the page shows to this user, because lines of other events have no id.
    const shownLines =
      settlements === null
        ? []
        : listShownAccounts(settlements).flatMap(({ all, ownership }) =>
            all
              .filter(({ line }) => ownership.isOwn(line))
              .map((settledLine) => ({
                id: toWireLine(settledLine, ownership).id,
                name: settledLine.line.reference || settledLine.line.order,
                order: settledLine.line.order,
                owner: findOwner(settledLine),
              })),
          )
    const line = shownLines.find(({ id }) => id !== null && String(id) === String(body.line))
    if (line?.id === null || line === undefined)
      return sendError(
        reply,
        404,
        'not_there',
        'This line is not in your settlements, or needs no decision. Reload the page.',
      )
    const handleResult = await store.handleSettlementLine({
      id: line.id,
      why,
      seen: readSeenDecisionId(body.seen),
      who: user.username,
      at: deps.clock(),
      // An event's page lists the whole account, but the audit entry belongs to the line's event.
      eventId: line.owner?.eventId ?? findEventOfOrder(viewer.all, line.order)?.id ?? event.id,
      name: line.name,
      regNo: (line.owner?.regNo ?? null) as RegNo | null,
    })
    if (!handleResult.ok)
      return sendError(reply, 409, 'decided_already', describeDecision(handleResult.error))
    const response: SettlementHandledResponse = {
      status: 'success',
      message: why === null ? 'Line reopened.' : 'Line marked as handled.',
    }
    return reply.send(response)
  }

  office.post(
    '/admin/settlements/handle',
    { minRole: 'treasurer', target: 'event', body: { line: 'text', seen: 'text', why: 'text' } },
    handleLine,
  )
}

const readSeenDecisionId = (id: unknown): number | null =>
  /^\d{1,15}$/.test(String(id)) ? Number(id) : null

/** Describes the latest decision to a user who has not seen it. */
function describeDecision(latest: LatestLineDecision | null): string {
  if (latest === null) return 'The line already needs attention. Reload the page.'
  const what =
    latest.why === null
      ? 'reopened this line, or changed its amounts'
      : 'marked this line as handled'
  return `${latest.who} has ${what}. Reload the page.`
}
