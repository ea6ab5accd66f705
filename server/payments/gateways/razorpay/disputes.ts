/** Queries a dispute at Razorpay and reads its description. */
import { err, instant, ok, readCurrency, toAmount } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import type { DisputeStatus, GatewayDispute } from '../../../storage/index.ts'
import { describeFailure, requestApi, textOf, wholeOf } from './api.ts'
import type { Api, Json } from './api.ts'

const DISPUTE_ID = /^disp_\w+$/
const STATUSES: readonly string[] = [
  'open',
  'under_review',
  'won',
  'lost',
  'closed',
] satisfies readonly DisputeStatus[]

export const isDisputeId = (id: string): boolean => DISPUTE_ID.test(id)

/** `references`: the payments of the order. A dispute about another payment is an error. */
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

/** Null if a value is missing, or a status is undocumented. */
export function readDispute(json: Json): GatewayDispute | null {
  const amount = wholeOf(json['amount'])
  const currency = readCurrency(textOf(json['currency']))
  const status = textOf(json['status'])
  const respondBy = wholeOf(json['respond_by'])
  if (amount === null || currency === null || !isStatus(status)) return null
  return {
    disputeId: textOf(json['id']),
    reference: textOf(json['payment_id']),
    amount: toAmount(amount),
    currency,
    deducted: toAmount(wholeOf(json['amount_deducted']) ?? 0),
    reason: textOf(json['reason_description']) || textOf(json['reason_code']),
    phase: textOf(json['phase']),
    status,
    respondBy: respondBy === null || respondBy === 0 ? null : instant(respondBy * 1000),
  }
}

const isStatus = (text: string): text is DisputeStatus => STATUSES.includes(text)
