/**
 * Performs one action on many registrations.
 * Each is processed separately: one failure does not stop the others.
 */
import type { FastifyReply } from 'fastify'
import { isActionName, canSee } from '../../../engine/index.ts'
import type { ActionName, RegNo, Result } from '../../../engine/index.ts'
import type { BulkActionResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { ActionDenial } from '../../storage/index.ts'
import { sendError } from '../../http/error-response.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { toSender } from '../auth/sessions.ts'
import type { User } from '../auth/sessions.ts'
import type { NamedRow } from '../auth/request-targets.ts'
import { ACTION_PARAMETERS, readText } from '../../registration/actions/action-input.ts'
import type {
  ActionParameter,
  ActionParameters,
  ActionRequest,
} from '../../registration/actions/action-input.ts'
import { confirmPaymentClaim } from '../../registration/actions/confirm-payment-claim.ts'
import { ACTION_HANDLERS } from '../../registration/actions/action-handlers.ts'

/** Actions whose input is the same for every registration. */
const BULK_ACTIONS: ReadonlySet<ActionName> = new Set([
  'accept',
  'approve',
  'confirm',
  'note',
  'resend',
  'send_pay_link',
])

/** `versions` are the payment review versions that the user saw, for `accept`. */
const BULK_PARAMETERS = { ...ACTION_PARAMETERS, versions: 'list' } as const

type BulkRow = NamedRow & { readonly params: ActionParameters }
type BulkResult = Pick<BulkActionResponse, 'done' | 'refused'>

/** Returns the version of a review that the user saw; '' if the user did not see the review. */
function findSeenVersion(versions: unknown, review: string): string {
  const seenVersions: readonly unknown[] = Array.isArray(versions) ? versions : []
  const version = seenVersions.find(
    (seenVersion) => typeof seenVersion === 'string' && seenVersion.startsWith(`${review}:`),
  )
  return typeof version === 'string' ? version : ''
}

/**
 * Performs the action on each registration. If `eventId` is null, accepts every event that the user has access to.
 */
export async function performEach(
  deps: Deps,
  user: User,
  rows: readonly BulkRow[],
  task: {
    readonly act: ActionName
    readonly why: string
    readonly handler: (request: ActionRequest) => Promise<Result<unknown, ActionDenial>>
    readonly eventId: string | null
  },
): Promise<BulkResult> {
  const doneNumbers: string[] = []
  const refusedRows: BulkResult['refused'] = []
  for (const { requestedNo, regNo: foundNo, params } of rows) {
    const reject = (message: string): void =>
      void refusedRows.push({ reg_no: requestedNo, message })
    // The registration is read again, because a previous action may have changed it.
    const registration = foundNo === null ? null : await deps.store.registration(foundNo)
    const served = registration === null ? null : deps.events.findById(registration.eventId)
    if (registration === null || served === null) {
      reject('No registration has this number.')
      continue
    }
    if (
      !canSee(user, registration.eventId) ||
      (task.eventId !== null && task.eventId !== registration.eventId)
    ) {
      reject('This registration belongs to another event.')
      continue
    }
    const { regNo } = registration
    const { act, why: reason } = task
    const { role: actor, username: who } = user
    const request = {
      regNo,
      act,
      actor,
      who,
      why: reason,
      at: deps.clock(),
      idempotencyKey: null,
      previousAnswers: registration.answers,
      sender: toSender(user),
      ...(act === 'send_pay_link' && { isReminder: true as const }),
    }
    const result = await task.handler({
      deps,
      served,
      registration,
      newAction: request,
      params,
    })
    if (result.ok) doneNumbers.push(regNo)
    else
      refusedRows.push({
        reg_no: requestedNo,
        message: result.error.message,
        ...(result.error.code === 'reminded' && { is_reminded: true as const }),
      })
  }
  return { done: doneNumbers, refused: refusedRows }
}

export function buildBulkResponse(
  { done: doneNumbers, refused }: BulkResult,
  label: string,
): BulkActionResponse {
  const summary = `${doneNumbers.length} ${label}`
  const message =
    refused.length === 0
      ? `${summary}.`
      : `${summary}; ${refused.length} failed, for the reasons below.`
  return { status: 'success', message, done: doneNumbers, refused }
}

export function addBulkRoutes(office: OfficeRoutes, deps: Deps): void {
  const performAction = async (
    { user, target, body }: Call<'registrations', never, ActionParameter | 'versions'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { act: actionName, versions, ...texts } = body
    const isKnown =
      typeof actionName === 'string' && isActionName(actionName) && BULK_ACTIONS.has(actionName)
    // Each payment is confirmed with the data of its payment claim.
    const handler = !isKnown
      ? undefined
      : actionName === 'confirm'
        ? confirmPaymentClaim
        : ACTION_HANDLERS[actionName]
    if (!isKnown || handler === undefined)
      return sendError(
        reply,
        422,
        'act_unknown',
        'This action is not available for several registrations.',
      )
    const reason = readText(texts, 'why')
    const reviews = actionName === 'accept' ? await deps.store.reviews(null) : []
    const buildInput = (regNo: RegNo | null): ActionParameters => {
      // If there are several reviews, the user has to choose one.
      const [onlyReview, ...otherReviews] = reviews.filter((review) => review.regNo === regNo)
      if (onlyReview === undefined || otherReviews.length > 0) return texts
      return { ...texts, review: onlyReview.id, version: findSeenVersion(versions, onlyReview.id) }
    }
    const result = await performEach(
      deps,
      user,
      target.rows.map((row) => ({ ...row, params: buildInput(row.regNo) })),
      { act: actionName, why: reason, handler, eventId: target.eventId },
    )
    return reply.header('cache-control', 'no-store').send(buildBulkResponse(result, 'done'))
  }
  office.post(
    '/admin/registrations/bulk',
    { minRole: 'desk', target: 'registrations', body: BULK_PARAMETERS },
    performAction,
  )
}
