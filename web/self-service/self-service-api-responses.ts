/** Parsers for the responses to self-service requests. */
import { toWireCurrency } from '../../engine/api.ts'
import type { SelfServiceResponse } from '../../engine/api.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import {
  readReceivedAmounts,
  readRegistration,
  readSecondPayment,
} from '../results/registration-responses.ts'
import type { Reader } from '../app/api-client.ts'
import { hasAll, isRecord, readRecords, readString } from '../app/json-readers.ts'

export type SelfServiceData = SelfServiceResponse

export const readSelfServiceData: Reader<SelfServiceData> = (body) => {
  const registration = isRecord(body) ? readRegistration(body['registration']) : null
  if (!isRecord(body) || registration === null || !hasAll(body, 'string', 'state')) return null
  const documents = readRecords(body['documents']).filter(
    (candidate) =>
      hasAll(candidate, 'string', 'title', 'serial', 'at') &&
      hasAll(candidate, 'number', 'id', 'total'),
  )
  const refusal = readRefusal(body['refused'])
  const edit = isRecord(body['edit']) ? body['edit'] : {}
  const fields = readRecords(edit['fields']).filter((candidate) =>
    hasAll(candidate, 'string', 'id', 'label', 'kind'),
  )
  const files = readRecords(body['files']).filter(
    (candidate) =>
      hasAll(candidate, 'string', 'id', 'label') && hasAll(candidate, 'number', 'bytes_max'),
  )
  const cancel = isRecord(body['cancel']) ? body['cancel'] : null
  return {
    ...body,
    registration,
    documents,
    refused: refusal,
    under_review: readReceivedAmounts(body['under_review']),
    paying: readManualPayment(body['paying']),
    edit: { fields, until: readString(edit['until']) },
    files: files.map((file) => ({ ...file, name: readString(file['name']) })),
    second_payment: readSecondPayment(body['second_payment']),
    cancel: cancel !== null && hasAll(cancel, 'number', 'kept') ? cancel : null,
  } as unknown as SelfServiceData
}

/** Returns the server's sentence about the result of an action. */
export const readActionMessage: Reader<string> = (body) =>
  isRecord(body) ? readString(body['message']) : null

function readManualPayment(value: unknown): unknown {
  return isRecord(value) && hasAll(value, 'string', 'way', 'label', 'tell') ? value : null
}

function readRefusal(value: unknown): SelfServiceResponse['refused'] {
  if (!isRecord(value) || !hasAll(value, 'string', 'why')) return null
  const { why, say, offer } = value
  const isOffer =
    isRecord(offer) &&
    hasAll(offer, 'string', 'category', 'label') &&
    hasAll(offer, 'number', 'total')
  return {
    why: String(why),
    say: typeof say === 'string' ? say : null,
    offer: isOffer
      ? {
          category: String(offer['category']),
          label: String(offer['label']),
          total: Number(offer['total']),
          ...toWireCurrency(readResponseCurrency(offer)),
        }
      : null,
  }
}
