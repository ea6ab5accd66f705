/** Queries Razorpay about a dispute, and parses the response. */
import { err, instant, ok, readCurrency, toAmount } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import type { DisputeStatus, GatewayDispute } from '../../../storage/index.ts'
import { describeFailure, requestApi, asText, asWholeNumber } from './api.ts'
import type { Api, Json } from './api.ts'

const DISPUTE_ID_PATTERN = /^disp_\w+$/
const STATUSES: readonly string[] = [
  'open',
  'under_review',
  'won',
  'lost',
  'closed',
] satisfies readonly DisputeStatus[]

export const isDisputeId = (id: string): boolean => DISPUTE_ID_PATTERN.test(id)

/**
 * Queries a dispute. `references`: the order's payment references. Returns an error if the dispute is about another
 * payment.
 */
export async function requestDispute(
  api: Api,
  disputeId: string,
  references: readonly string[],
): Promise<Result<GatewayDispute, string>> {
  if (!isDisputeId(disputeId)) return err(`"${disputeId}" is not the id of a Razorpay dispute`)
  const response = await requestApi(api, 'GET', `disputes/${disputeId}`)
  if (response.is !== 'ok') return err(describeFailure(response))
  const dispute = readDispute(response.json)
  if (dispute === null || dispute.disputeId !== disputeId) return err('the dispute cannot be read')
  return references.includes(dispute.reference)
    ? ok(dispute)
    : err('the dispute is about a payment of another order')
}

/** Returns the dispute. Null if a value is missing, or the status is undocumented. */
export function readDispute(json: Json): GatewayDispute | null {
  const amount = asWholeNumber(json['amount'])
  const currency = readCurrency(asText(json['currency']))
  const status = asText(json['status'])
  const respondBy = asWholeNumber(json['respond_by'])
  if (amount === null || currency === null || !isStatus(status)) return null
  return {
    disputeId: asText(json['id']),
    reference: asText(json['payment_id']),
    amount: toAmount(amount),
    currency,
    deducted: toAmount(asWholeNumber(json['amount_deducted']) ?? 0),
    reason: asText(json['reason_description']) || asText(json['reason_code']),
    phase: asText(json['phase']),
    status,
    respondBy: respondBy === null || respondBy === 0 ? null : instant(respondBy * 1000),
  }
}

const isStatus = (text: string): text is DisputeStatus => STATUSES.includes(text)
