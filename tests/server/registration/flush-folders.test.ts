/** Folders are flushed for whoever waits, and for several at once. */
import { expect, test } from 'vitest'
import { createFlushes } from '../../../server/registration/uploads/flush-folders.ts'

/** A disk that flushes when it is told to; `begun` counts. */
function slowDisk() {
  const ends: { readonly done: () => void; readonly failed: (error: Error) => void }[] = []
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ done: resolve, failed: reject })
    })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { sync, turn, begun: () => ends.length, end: (at: number) => ends[at] }
}
type State = { is: 'waits' | 'done' | 'failed' }
function seen(promise: Promise<void>): State {
  const state: State = { is: 'waits' }
  promise.then(
    () => (state.is = 'done'),
    () => (state.is = 'failed'),
  )
  return state
}

test('requests during a flush share the next flush', async () => {
  const disk = slowDisk()
  const { flush } = createFlushes(disk.sync)
  const [first, second, third, elsewhere] = ['a', 'a', 'a', 'b'].map((folder) =>
    seen(flush(folder)),
  )
  expect(disk.begun()).toBe(2)
  disk.end(0)?.done()
  await disk.turn()
  expect([first, second, third, elsewhere].map((one) => one?.is)).toEqual([
    'done',
    'waits',
    'waits',
    'waits',
  ])
  expect(disk.begun()).toBe(3)
  const late = seen(flush('a'))
  disk.end(2)?.done()
  await disk.turn()
  expect([second, third, late].map((one) => one?.is)).toEqual(['done', 'done', 'waits'])
  disk.end(3)?.done()
  await disk.turn()
  expect([late.is, disk.begun()]).toEqual(['done', 4])
})

test('a failed flush fails for its requests, and the next one tries again', async () => {
  const disk = slowDisk()
  const { flush, flushOnce } = createFlushes(disk.sync)
  const [first, second] = [seen(flushOnce('shelf', 'ab')), seen(flush('shelf'))]
  disk.end(0)?.failed(new Error('EIO'))
  await disk.turn()
  expect([first.is, second.is]).toEqual(['failed', 'waits'])
  disk.end(1)?.done()
  await disk.turn()
  expect(second.is).toBe('done')
  const again = seen(flushOnce('shelf', 'ab'))
  disk.end(2)?.done()
  await disk.turn()
  expect(again.is).toBe('done')
  seen(flushOnce('shelf', 'ab'))
  expect(disk.begun()).toBe(3)
  seen(flushOnce('shelf', 'cd'))
  expect(disk.begun()).toBe(4)
})
