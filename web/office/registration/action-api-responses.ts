/** Parsers of the action calls' answers. */
import { fromRupees, isActionName } from '../../../engine/index.ts'
import type { ActionsAnswer } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'
import { reviewIn } from '../reconciliation/payment-review-api-responses.ts'

/** The available actions of a registration, and its history. */
export const readActs: Reader<ActionsAnswer> = (body) => {
  if (!isRecord(body) || !hasAll(body, 'string', 'reg_no', 'state', 'state_display', 'today'))
    return null
  const {
    due,
    pay_back: back,
    kept,
    back_by_gateway: byGateway,
    refund_unsettled: isUnsettled,
    second_payment: second,
    proposed_back: proposed,
    cancellation,
    allowed,
    fields,
    persons,
    approval,
    told,
    reviews,
    trail,
  } = body
  const isReadable =
    [due, back, kept, byGateway].every((amount) => fromRupees(amount) !== null) &&
    typeof isUnsettled === 'boolean' &&
    (second === null || isSecond(second)) &&
    (proposed === null || fromRupees(proposed) !== null) &&
    isCancellation(cancellation) &&
    listOf(allowed, (act) => (typeof act === 'string' && isActionName(act) ? act : null)) !==
      null &&
    listOf(fields, readField) !== null &&
    listOf(persons, (id) => (typeof id === 'string' ? id : null)) !== null &&
    (approval === null || isApproval(approval)) &&
    (told === null || isTold(told)) &&
    listOf(reviews, reviewIn) !== null &&
    listOf(trail, (line) =>
      isRecord(line) && hasAll(line, 'string', 'at', 'who', 'act', 'text', 'why') ? line : null,
    ) !== null
  return isReadable ? (body as ActionsAnswer) : null
}

const isSecond = (value: unknown): boolean =>
  isRecord(value) && hasAll(value, 'string', 'first') && fromRupees(value['amount']) !== null

const isApproval = (value: unknown): boolean => {
  if (!isRecord(value)) return false
  const { look_at: lookAt, offer } = value
  const isFile = (one: unknown): Record<string, unknown> | null =>
    isRecord(one) && hasAll(one, 'string', 'id', 'label', 'name') ? one : null
  const isOffer =
    isRecord(offer) && hasAll(offer, 'string', 'label') && fromRupees(offer['total']) !== null
  return listOf(lookAt, isFile) !== null && (offer === null || isOffer)
}

const isTold = (value: unknown): boolean =>
  isRecord(value) &&
  hasAll(value, 'string', 'label', 'reference') &&
  fromRupees(value['amount']) !== null &&
  listOf(value['answers'], (one) =>
    isRecord(one) && hasAll(one, 'string', 'label', 'text') ? one : null,
  ) !== null

/** What was done, as a sentence from the server. */
export const readActed: Reader<string> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? body['message'] : null

const readField = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'id', 'label', 'kind') &&
  Array.isArray(value['options']) &&
  (typeof value['value'] === 'string' || Array.isArray(value['value']))
    ? value
    : null

const isCancellation = (one: unknown): boolean =>
  isRecord(one) &&
  [one['paid'], one['owed'], one['remaining'], one['refunded']].every(
    (amount) => fromRupees(amount) !== null,
  ) &&
  (one['percent'] === null || typeof one['percent'] === 'number') &&
  (one['share'] === null || fromRupees(one['share']) !== null)
