/** Serves the payment reviews, and records decisions on them in the signed-in user's name. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { FastifyReply } from 'fastify'
import {
  assertNever,
  listAllowedDecisions,
  formatIsoIndia,
  canSee,
  getReviewVersion,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { DecisionRefusal, Result, Review } from '../../../engine/index.ts'
import type { DecisionResponse, ReviewsResponse, WireReview } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { decideReview } from '../../payments/decide-payment-review.ts'
import type { ReviewResult } from '../../payments/decide-payment-review.ts'
import { findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { toSender } from '../auth/sessions.ts'

export function addReviewRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendReviews = async (
    { user, target: eventId }: Call<'events'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const reviews = (await deps.store.reviews(eventId)).filter((review) =>
      review.eventId === null ? user.events === null : canSee(user, review.eventId),
    )
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: `viewed the reviews (${reviews.length})`,
      eventId: getViewedEventId(user, eventId),
      regNo: null,
      look: 'reviews',
    })
    const response: ReviewsResponse = {
      status: 'success',
      count: reviews.length,
      reviews: reviews.map(toWireReview),
      refund_requests: await countRefundRequests(deps, user, eventId),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }
  const handleDecision = async (
    { user, target: { id, to }, body }: Call<'review', never, DecisionField>,
    reply: FastifyReply,
  ): Promise<FastifyReply> =>
    sendDecision(
      reply,
      await decideReview(deps, id, { ...body, to }, user.username, toSender(user)),
    )
  office.get('/admin/reviews', { minRole: 'treasurer', target: 'events' }, sendReviews)
  office.post(
    '/admin/reviews/:id/decide',
    { minRole: 'treasurer', target: 'review', body: DECISION_FIELDS },
    handleDecision,
  )
}

/** Counts the refund requests of one event, or of all events that the user has access to. */
async function countRefundRequests(
  deps: Deps,
  user: Call<'events'>['user'],
  eventId: string | null,
): Promise<ReviewsResponse['refund_requests']> {
  const events = findUserEvents(deps, user).filter(({ id }) => eventId === null || id === eventId)
  const counts = await Promise.all(
    events.map(async ({ id }) => ({
      event_id: id,
      count: (await deps.store.refundRequests(id)).length,
    })),
  )
  return counts.filter(({ count }) => count > 0)
}

/** The fields of a decision, except the registration to which a payment is moved. */
const DECISION_FIELDS = {
  decision: 'text',
  version: 'text',
  why: 'text',
  reference: 'text',
  amount: 'text',
  by_hand: 'flag',
} as const
type DecisionField = keyof typeof DECISION_FIELDS

function sendDecision(
  reply: FastifyReply,
  result: Result<ReviewResult, DecisionRefusal>,
): FastifyReply {
  if (!result.ok)
    return sendError(
      reply,
      getStatusCode(result.error.code),
      result.error.code,
      result.error.message,
    )
  const { message, regNo, refund } = result.value
  const response: DecisionResponse = {
    status: 'success',
    message,
    reg_no: regNo,
    refund,
  }
  return reply.header('cache-control', 'no-store').send(response)
}

/** Returns 422 if the input can be corrected, and 409 if the state has changed since the user saw it. */
function getStatusCode(code: DecisionRefusal['code']): 403 | 404 | 409 | 422 {
  switch (code) {
    case 'not_your_role':
      return 403
    case 'not_there':
      return 404
    case 'no_grounds':
    case 'no_version':
    case 'no_reference':
    case 'bad_amount':
    case 'no_target':
      return 422
    case 'decided_already':
    case 'review_changed':
    case 'not_allowed':
    case 'reference_taken':
    case 'not_paid':
    case 'under_way':
    case 'not_by_gateway':
      return 409
    default:
      return assertNever(code)
  }
}

/** Converts a review for the office pages and for `rollcall payment reviews --json`. */
export function toWireReview(review: Review): WireReview {
  const { came: receivedPayment, due, currency, dueCurrency } = review
  return {
    id: review.id,
    version: getReviewVersion(review),
    kind: review.is,
    decisions: [...listAllowedDecisions(review)],
    event_id: review.eventId,
    reg_no: review.regNo,
    order_id: review.orderId,
    name: review.name,
    came:
      receivedPayment === null
        ? null
        : {
            amount: toMajorUnits(receivedPayment.amount, currency),
            currency: receivedPayment.currency,
            kind: receivedPayment.kind,
            reference: receivedPayment.reference,
            source: receivedPayment.source,
            paid_at: formatIsoIndia(receivedPayment.paidAt),
          },
    due: due === null ? null : toMajorUnits(due, dueCurrency),
    ...(due !== null && dueCurrency !== currency && { due_currency: dueCurrency }),
    left: toMajorUnits(review.left, currency),
    ...toWireCurrency(currency),
    said: review.gatewayAnswer,
    why: review.why,
    since: formatIsoIndia(review.since),
    unknown_order: review.unknown?.orderId ?? null,
    payer: review.unknown?.payer ?? null,
    suggested: review.unknown?.suggested ?? null,
  }
}
