/** Describes disputes to staff: the gateway's amount and deadline, and the next step. */
import { explainWhyTooLateToRefund, formatInstant, formatMoney } from '../../../engine/index.ts'
import type { GatewayKinds, Instant } from '../../../engine/index.ts'
import type { WireDispute } from '../../../engine/api.ts'
import type { OpenDispute, StoredCapture, StoredDispute } from '../../storage/index.ts'

/** Returns one line for the work queue. */
export function summarizeDispute(dispute: OpenDispute): string {
  const { regNo, amount, currency, status } = dispute
  return status === 'unknown'
    ? `${regNo}: ${NOT_DESCRIBED_TEXT}`
    : `${regNo}: ${formatMoney(amount, currency)}, ${formatDeadline(dispute)}`
}

export function describeDispute(dispute: StoredDispute): WireDispute {
  const { disputeId, status, statusAt, reason, phase } = dispute
  const details = [
    phase === '' ? '' : `Phase: ${phase.replaceAll('_', ' ')}`,
    reason === '' ? '' : `reason: ${reason.replaceAll('_', ' ')}`,
  ].filter(Boolean)
  return {
    id: disputeId,
    is_open: status === 'open' || status === 'unknown',
    text: describeStatus(dispute),
    details: details.join(', '),
    since: formatInstant(statusAt),
  }
}

/** Returns the notes that staff see before they make a refund, each sentence once. */
export function buildRefundNotes(
  captures: readonly StoredCapture[],
  disputes: readonly StoredDispute[],
  gatewayKinds: GatewayKinds,
  at: Instant,
): string[] {
  const tooOldNotes = captures.flatMap((capture) =>
    capture.refundableByGateway === 0
      ? []
      : (explainWhyTooLateToRefund(capture, gatewayKinds, at) ?? []),
  )
  const disputeNotes = disputes.flatMap(({ status, disputeId }) => {
    if (status === 'won' || status === 'closed') return []
    return status === 'lost'
      ? `The bank charged back a payment (lost dispute ${disputeId}). Do not refund it again. Record it as already refunded outside Rollcall.`
      : `The bank has not yet decided dispute ${disputeId}. If you refund now and the dispute is lost, the delegate gets the money twice.`
  })
  return [...new Set([...disputeNotes, ...tooOldNotes])]
}

const NOT_DESCRIBED_TEXT = 'the gateway reported a dispute but has not sent its details yet'

function formatDeadline({ respondBy }: StoredDispute): string {
  return respondBy === null
    ? 'the gateway states no deadline'
    : `respond by ${formatInstant(respondBy)}`
}

function describeStatus(dispute: StoredDispute): string {
  const amount = formatMoney(dispute.amount, dispute.currency)
  switch (dispute.status) {
    case 'unknown':
      return `${NOT_DESCRIBED_TEXT.replace('the', 'The')}. Rollcall will query it again. See the gateway’s dashboard.`
    case 'open':
      return `The delegate’s bank disputes ${amount}: ${formatDeadline(dispute)}. Download the evidence below, and upload it to the gateway’s dashboard.`
    case 'under_review':
      return `The bank is reviewing the evidence about ${amount}.`
    case 'won':
      return `Won: the conference keeps the payment of ${amount}.`
    case 'lost':
      return `Lost: the bank charged back ${formatMoney(dispute.deducted, dispute.currency)}. If this is not recorded yet, choose Refund, then “Already refunded outside Rollcall”, with the reference ${dispute.disputeId}. If the money has already been refunded, add a note instead.`
    case 'closed':
      return `The gateway closed the dispute about ${amount}. See the gateway’s dashboard.`
  }
}
