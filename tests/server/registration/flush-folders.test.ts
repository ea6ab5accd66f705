/** Folder flushes are shared by concurrent requests. */
import { expect, test } from 'vitest'
import { createFolderFlusher } from '../../../server/registration/uploads/flush-folders.ts'

/** A simulated disk whose flushes end when the test ends them. */
function createSlowDisk() {
  const flushes: { readonly done: () => void; readonly failed: (error: Error) => void }[] = []
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      flushes.push({ done: resolve, failed: reject })
    })
  const waitForTurn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    sync,
    turn: waitForTurn,
    begun: () => flushes.length,
    end: (index: number) => flushes[index],
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

test('requests during a flush share the next flush', async () => {
  const disk = createSlowDisk()
  const { flush } = createFolderFlusher(disk.sync)
  const [first, second, third, otherFolder] = ['a', 'a', 'a', 'b'].map((folder) =>
    trackState(flush(folder)),
  )
  expect(disk.begun()).toBe(2)
  disk.end(0)?.done()
  await disk.turn()
  expect([first, second, third, otherFolder].map((state) => state?.is)).toEqual([
    'done',
    'waits',
    'waits',
    'waits',
  ])
  expect(disk.begun()).toBe(3)
  const lateRequest = trackState(flush('a'))
  disk.end(2)?.done()
  await disk.turn()
  expect([second, third, lateRequest].map((state) => state?.is)).toEqual(['done', 'done', 'waits'])
  disk.end(3)?.done()
  await disk.turn()
  expect([lateRequest.is, disk.begun()]).toEqual(['done', 4])
})

test('a failed flush rejects its requests, and the next request flushes again', async () => {
  const disk = createSlowDisk()
  const { flush, flushOnce } = createFolderFlusher(disk.sync)
  const [first, second] = [trackState(flushOnce('shelf', 'ab')), trackState(flush('shelf'))]
  disk.end(0)?.failed(new Error('EIO'))
  await disk.turn()
  expect([first.is, second.is]).toEqual(['failed', 'waits'])
  disk.end(1)?.done()
  await disk.turn()
  expect(second.is).toBe('done')
  const repeatedFlush = trackState(flushOnce('shelf', 'ab'))
  disk.end(2)?.done()
  await disk.turn()
  expect(repeatedFlush.is).toBe('done')
  trackState(flushOnce('shelf', 'ab'))
  expect(disk.begun()).toBe(3)
  trackState(flushOnce('shelf', 'cd'))
  expect(disk.begun()).toBe(4)
})
