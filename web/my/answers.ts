/** What the calls of a delegate's own page answer, read once where it arrives. */
import type { MyAnswer } from '../../engine/index.ts'
import { readRegistration } from '../answers.ts'
import type { Reader } from '../api.ts'
import { holdsAll, isRecord, recordsOf } from '../shared/shape.ts'

export type Mine = MyAnswer

export const readMine: Reader<Mine> = (body) => {
  const registration = isRecord(body) ? readRegistration(body['registration']) : null
  if (!isRecord(body) || registration === null || !holdsAll(body, 'string', 'state')) return null
  const documents = recordsOf(body['documents']).filter(
    (one) =>
      holdsAll(one, 'string', 'kind', 'serial', 'at') && holdsAll(one, 'number', 'id', 'total'),
  )
  return { ...body, registration, documents } as unknown as Mine
}
