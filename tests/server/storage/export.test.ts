/** An export fetches each chunk from the reader thread while the previous one is being written. */
import { expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { Chunk, Cursor } from '../../../server/storage/lists/list-and-search-registrations.ts'
import { assembleStore } from '../../../server/storage/operations/dispatch-operations.ts'
import type { OperationCallers } from '../../../server/storage/operations/dispatch-operations.ts'

const ROW = {
  id: 1,
  eventId: 'demo',
  regNo: 'DEMO1',
  inReview: false,
  lines: [],
  orderId: 'DEMO1',
}
const createChunk = (next: Cursor | null): Chunk => ({
  rows: { rows: JSON.stringify([ROW]), answers: '[{"name":"Asha"}]' },
  next,
})

/** Runs an export with this reader. Returns its rows. */
function runExport(
  read: (from: Cursor | null) => Promise<Chunk>,
): AsyncIterator<readonly unknown[]> {
  const list = (_verb: string, _query: object, from: Cursor | null): Promise<Chunk> => read(from)
  const store = assembleStore({ list } as unknown as OperationCallers)
  return store.exportRows({ eventId: 'demo', answers: {} })[Symbol.asyncIterator]()
}
const createCursor = (id: number): Cursor => ({ id, createdAt: instant(0) })

test('an export reads one chunk ahead while the current one is written', async () => {
  const requestedIds: (number | null)[] = []
  const rows = runExport(async (from) => {
    requestedIds.push(from?.id ?? null)
    return createChunk(from?.id === 3 ? null : createCursor((from?.id ?? 0) + 1))
  })
  await rows.next()
  expect(requestedIds).toEqual([null, 1])
  await rows.next()
  expect(requestedIds).toEqual([null, 1, 2])
  await rows.next()
  await rows.next()
  expect(requestedIds).toEqual([null, 1, 2, 3])
  expect((await rows.next()).done).toBe(true)
})

test('an abandoned export does not report an error in a chunk that was read ahead', async () => {
  const unhandledErrors: unknown[] = []
  const recordError = (reason: unknown): void => void unhandledErrors.push(reason)
  process.on('unhandledRejection', recordError)
  const rows = runExport((from) =>
    from === null
      ? Promise.resolve(createChunk(createCursor(1)))
      : Promise.reject(new Error('the reader died')),
  )
  expect((await rows.next()).value).toMatchObject([{ answers: { name: 'Asha' } }])
  await rows.return?.()
  // Node reports an unhandled error at the end of the turn.
  await new Promise((done) => setImmediate(done))
  process.off('unhandledRejection', recordError)
  expect(unhandledErrors).toEqual([])
})

test('an export that continues reports an error in a chunk that was read ahead', async () => {
  const rows = runExport((from) =>
    from === null
      ? Promise.resolve(createChunk(createCursor(1)))
      : Promise.reject(new Error('the reader died')),
  )
  await rows.next()
  await expect(rows.next()).rejects.toThrow('the reader died')
})
