/** Parsers for the responses of action calls. */
import { isActionName } from '../../../../engine/index.ts'
import type { ActionsResponse } from '../../../../engine/api.ts'
import type { Reader } from '../../../app/api-client.ts'
import { hasAll, isAmount, isRecord, readArray } from '../../../app/json-readers.ts'
import { readReview } from '../../reconciliation/payment-review-api-responses.ts'

/** Parses the available actions of a registration, and its history. */
export const readActions: Reader<ActionsResponse> = (body) => {
  if (
    !isRecord(body) ||
    !hasAll(body, 'string', 'reg_no', 'state', 'state_display', 'today') ||
    !hasAll(body, 'string', 'duplicates_version', 'cancellation_version')
  )
    return null
  const {
    due,
    to_pay: toPay,
    pay_back: refundDue,
    goodwill,
    received,
    refunded,
    refunding,
    kept: refundable,
    back_by_gateway: gatewayRefundable,
    refund_unsettled: isRefundUnsettled,
    second_payment: secondPayment,
    full_refund_cancels: isCancelledByFullRefund,
    cancel_asked: cancellationRequest,
    proposed_back: proposedRefund,
    cancellation,
    allowed,
    fields,
    persons,
    approval,
    told: claim,
    reviews,
    trail: history,
  } = body
  const isReadable =
    [due, toPay, refundDue, goodwill, received, refunded].every(isAmount) &&
    [refunding, refundable, gatewayRefundable].every(isAmount) &&
    typeof isRefundUnsettled === 'boolean' &&
    (secondPayment === null || isSecondPayment(secondPayment)) &&
    typeof isCancelledByFullRefund === 'boolean' &&
    (cancellationRequest === null || isCancellationRequest(cancellationRequest)) &&
    (proposedRefund === null || isAmount(proposedRefund)) &&
    isCancellation(cancellation) &&
    readArray(allowed, (name) => (typeof name === 'string' && isActionName(name) ? name : null)) !==
      null &&
    readArray(fields, readEditableField) !== null &&
    readArray(body['refund_notes'], (text) => (typeof text === 'string' ? text : null)) !== null &&
    readArray(persons, (id) => (typeof id === 'string' ? id : null)) !== null &&
    (body['to_pay_by_method'] === undefined ||
      (isRecord(body['to_pay_by_method']) &&
        Object.values(body['to_pay_by_method']).every(isAmount))) &&
    (body['office_methods'] === undefined ||
      readArray(body['office_methods'], readOfficeMethod) !== null) &&
    (approval === null || isApproval(approval)) &&
    (claim === null || isPaymentClaim(claim)) &&
    readArray(reviews, readReview) !== null &&
    readArray(history, (entry) =>
      isRecord(entry) && hasAll(entry, 'string', 'at', 'who', 'act', 'text', 'why') ? entry : null,
    ) !== null
  return isReadable ? (body as ActionsResponse) : null
}

const readOfficeMethod = (value: unknown): unknown =>
  isRecord(value) &&
  hasAll(value, 'string', 'id', 'label', 'reference') &&
  Array.isArray(value['fields']) &&
  typeof value['required'] === 'boolean'
    ? value
    : null

const isSecondPayment = (value: unknown): boolean =>
  isRecord(value) && hasAll(value, 'string', 'first') && isAmount(value['amount'])

const isCancellationRequest = (value: unknown): boolean =>
  isRecord(value) &&
  hasAll(value, 'string', 'at') &&
  (value['back'] === null || isAmount(value['back']))

const isApproval = (value: unknown): boolean => {
  if (!isRecord(value)) return false
  const { look_at: documents, offer } = value
  const readDocument = (file: unknown): Record<string, unknown> | null =>
    isRecord(file) && hasAll(file, 'string', 'id', 'label', 'name') ? file : null
  const isOffer = isRecord(offer) && hasAll(offer, 'string', 'label') && isAmount(offer['total'])
  return readArray(documents, readDocument) !== null && (offer === null || isOffer)
}

const isPaymentClaim = (value: unknown): boolean =>
  isRecord(value) &&
  hasAll(value, 'string', 'label', 'reference') &&
  isAmount(value['amount']) &&
  readArray(value['answers'], (answer) =>
    isRecord(answer) && hasAll(answer, 'string', 'label', 'text') ? answer : null,
  ) !== null

const readEditableField = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'id', 'label', 'kind') &&
  Array.isArray(value['options']) &&
  (typeof value['value'] === 'string' || Array.isArray(value['value']))
    ? value
    : null

const isCancellation = (value: unknown): boolean =>
  isRecord(value) &&
  [value['paid'], value['owed'], value['remaining'], value['refunded']].every(isAmount) &&
  (value['percent'] === null || typeof value['percent'] === 'number') &&
  (value['share'] === null || isAmount(value['share']))
