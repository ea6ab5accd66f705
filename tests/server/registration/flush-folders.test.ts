/** Concurrent requests share folder flushes. */
import { expect, test } from 'vitest'
import { createFolderFlusher } from '../../../server/registration/uploads/flush-folders.ts'

/** Creates a simulated disk whose flushes end when the test resolves or rejects them. */
function createSlowDisk() {
  const flushes: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      flushes.push({ resolve, reject })
    })
  const waitForTurn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    sync,
    waitForTurn,
    countFlushes: () => flushes.length,
    getFlush: (index: number) => flushes[index],
  }
}
type State = { is: 'waits' | 'done' | 'failed' }
function trackState(promise: Promise<void>): State {
  const state: State = { is: 'waits' }
  promise.then(
    () => (state.is = 'done'),
    () => (state.is = 'failed'),
  )
  return state
}

test('requests that arrive during a flush share the next flush', async () => {
  const disk = createSlowDisk()
  const { flush } = createFolderFlusher(disk.sync)
  const [first, second, third, otherFolder] = ['a', 'a', 'a', 'b'].map((folder) =>
    trackState(flush(folder)),
  )
  expect(disk.countFlushes()).toBe(2)
  disk.getFlush(0)?.resolve()
  await disk.waitForTurn()
  expect([first, second, third, otherFolder].map((state) => state?.is)).toEqual([
    'done',
    'waits',
    'waits',
    'waits',
  ])
  expect(disk.countFlushes()).toBe(3)
  const lateRequest = trackState(flush('a'))
  disk.getFlush(2)?.resolve()
  await disk.waitForTurn()
  expect([second, third, lateRequest].map((state) => state?.is)).toEqual(['done', 'done', 'waits'])
  disk.getFlush(3)?.resolve()
  await disk.waitForTurn()
  expect([lateRequest.is, disk.countFlushes()]).toEqual(['done', 4])
})

test('a failed flush rejects its requests, and the next request flushes again', async () => {
  const disk = createSlowDisk()
  const { flush, flushOnce } = createFolderFlusher(disk.sync)
  const [first, second] = [trackState(flushOnce('shelf', 'ab')), trackState(flush('shelf'))]
  disk.getFlush(0)?.reject(new Error('EIO'))
  await disk.waitForTurn()
  expect([first.is, second.is]).toEqual(['failed', 'waits'])
  disk.getFlush(1)?.resolve()
  await disk.waitForTurn()
  expect(second.is).toBe('done')
  const repeatedFlush = trackState(flushOnce('shelf', 'ab'))
  disk.getFlush(2)?.resolve()
  await disk.waitForTurn()
  expect(repeatedFlush.is).toBe('done')
  trackState(flushOnce('shelf', 'ab'))
  expect(disk.countFlushes()).toBe(3)
  trackState(flushOnce('shelf', 'cd'))
  expect(disk.countFlushes()).toBe(4)
})
