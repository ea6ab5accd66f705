/** Parsers of the self-service calls' answers. */
import type { MyAnswer } from '../../engine/api.ts'
import { readRegistration } from '../app/api-responses.ts'
import type { Reader } from '../app/api-client.ts'
import { holdsAll, isRecord, recordsOf, textOf } from '../app/json-readers.ts'

export type Mine = MyAnswer

export const readMine: Reader<Mine> = (body) => {
  const registration = isRecord(body) ? readRegistration(body['registration']) : null
  if (!isRecord(body) || registration === null || !holdsAll(body, 'string', 'state')) return null
  const documents = recordsOf(body['documents']).filter(
    (one) =>
      holdsAll(one, 'string', 'title', 'serial', 'at') && holdsAll(one, 'number', 'id', 'total'),
  )
  const refused = readRefused(body['refused'])
  const edit = isRecord(body['edit']) ? body['edit'] : {}
  const fields = recordsOf(edit['fields']).filter((one) =>
    holdsAll(one, 'string', 'id', 'label', 'kind'),
  )
  const files = recordsOf(body['files']).filter(
    (one) => holdsAll(one, 'string', 'id', 'label') && holdsAll(one, 'number', 'bytes_max'),
  )
  const cancel = isRecord(body['cancel']) ? body['cancel'] : null
  return {
    ...body,
    registration,
    documents,
    refused,
    paying: readPaying(body['paying']),
    edit: { fields, until: textOf(edit['until']) },
    files: files.map((one) => ({ ...one, name: textOf(one['name']) })),
    second_payment: readSecond(body['second_payment']),
    cancel: cancel !== null && holdsAll(cancel, 'number', 'kept') ? cancel : null,
  } as unknown as Mine
}

/** What was done, as a sentence from the server. */
export const readDone: Reader<string> = (body) => (isRecord(body) ? textOf(body['message']) : null)

function readSecond(value: unknown): MyAnswer['second_payment'] {
  return isRecord(value) &&
    holdsAll(value, 'string', 'first') &&
    holdsAll(value, 'number', 'amount')
    ? {
        first: String(value['first']),
        amount: Number(value['amount']),
        asked_at: textOf(value['asked_at']),
      }
    : null
}

function readPaying(value: unknown): unknown {
  return isRecord(value) && holdsAll(value, 'string', 'way', 'label', 'tell') ? value : null
}

function readRefused(value: unknown): MyAnswer['refused'] {
  if (!isRecord(value) || !holdsAll(value, 'string', 'why')) return null
  const { why, say, offer } = value
  const isOffer =
    isRecord(offer) &&
    holdsAll(offer, 'string', 'category', 'label') &&
    holdsAll(offer, 'number', 'total')
  return {
    why: String(why),
    say: typeof say === 'string' ? say : null,
    offer: isOffer
      ? {
          category: String(offer['category']),
          label: String(offer['label']),
          total: Number(offer['total']),
        }
      : null,
  }
}
