/** What an export asks of the thread that reads, ahead of whoever writes the file. */
import { expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { Chunk, Cursor } from '../../../server/storage/lists/list-and-search-registrations.ts'
import { storeOf } from '../../../server/storage/operations/dispatch-operations.ts'
import type { OperationCallers } from '../../../server/storage/operations/dispatch-operations.ts'

const ROW = {
  id: 1,
  eventId: 'demo',
  regNo: 'DEMO1',
  inReview: false,
  lines: [],
  orderId: 'DEMO1',
}
const chunk = (next: Cursor | null): Chunk => ({
  rows: { rows: JSON.stringify([ROW]), answers: '[{"name":"Asha"}]' },
  next,
})

/** The chunks of an export that is read so. */
function exporting(
  read: (from: Cursor | null) => Promise<Chunk>,
): AsyncIterator<readonly unknown[]> {
  const list = (_verb: string, _query: object, from: Cursor | null): Promise<Chunk> => read(from)
  const store = storeOf({ list } as unknown as OperationCallers)
  return store.exportRows({ eventId: 'demo', answers: {} })[Symbol.asyncIterator]()
}
const at = (id: number): Cursor => ({ id, createdAt: instant(0) })

test('reads one chunk ahead while the current one is written', async () => {
  const asked: (number | null)[] = []
  const rows = exporting(async (from) => {
    asked.push(from?.id ?? null)
    return chunk(from?.id === 3 ? null : at((from?.id ?? 0) + 1))
  })
  await rows.next()
  expect(asked).toEqual([null, 1])
  await rows.next()
  expect(asked).toEqual([null, 1, 2])
  await rows.next()
  await rows.next()
  expect(asked).toEqual([null, 1, 2, 3])
  expect((await rows.next()).done).toBe(true)
})

test('a reader that stops gets no error of an unread chunk', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown): void => void unheard.push(reason)
  process.on('unhandledRejection', hear)
  const rows = exporting((from) =>
    from === null ? Promise.resolve(chunk(at(1))) : Promise.reject(new Error('the reader died')),
  )
  expect((await rows.next()).value).toMatchObject([{ answers: { name: 'Asha' } }])
  await rows.return?.()
  // Node tells of it once the turn is over.
  await new Promise((done) => setImmediate(done))
  process.off('unhandledRejection', hear)
  expect(unheard).toEqual([])
})

test('a reader that continues gets the error', async () => {
  const rows = exporting((from) =>
    from === null ? Promise.resolve(chunk(at(1))) : Promise.reject(new Error('the reader died')),
  )
  await rows.next()
  await expect(rows.next()).rejects.toThrow('the reader died')
})
