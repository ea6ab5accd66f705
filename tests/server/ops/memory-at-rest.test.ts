/** A server releases memory after startup and when it becomes idle. */
import { EventEmitter, once } from 'node:events'
import { getHeapSpaceStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import {
  releaseMemory,
  releaseMemoryOfAllThreads,
  scheduleMemoryRelease,
  scheduleMemoryReleaseAfterLoad,
} from '../../../server/ops/release-memory.ts'
import { importLazily } from '../../../server/ops/lazy-import.ts'

/** Returns the size of V8's young generation in bytes. */
const readYoungGenerationBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    ?.physical_space_size ?? 0

test('memory used during startup is released', async () => {
  const objects: object[][] = []
  // Keeps enough objects alive to enlarge the young generation.
  for (let n = 0; n < 200; n += 1) {
    objects.push(Array.from({ length: 5_000 }, (_, index) => ({ at: index })))
    if (objects.length > 20) objects.shift()
  }
  const bytesBefore = readYoungGenerationBytes()
  objects.length = 0
  await releaseMemory()
  expect(readYoungGenerationBytes()).toBeLessThan(bytesBefore / 2)
})

afterEach(() => vi.useRealTimers())

test.each([
  ['that gets only a few status requests releases its memory', 10, 1],
  ['that is busy keeps its memory', 1_000, 0],
])('a server %s', (_, requestCount, times) => {
  vi.useFakeTimers()
  const server = new EventEmitter()
  const collect = vi.fn<() => void>()
  scheduleMemoryRelease(server, collect)
  for (let n = 0; n < requestCount; n += 1) server.emit('request')
  vi.advanceTimersByTime(60_000)
  expect(collect).toHaveBeenCalledTimes(times)
  expect(server.listenerCount('request')).toBe(0)
})

test('a server releases the memory it used during a busy minute once it is idle again', async () => {
  vi.useFakeTimers()
  const server = new EventEmitter()
  const release = vi.fn<() => void>()
  let memoryBytes = 300 * 1024 * 1024
  scheduleMemoryReleaseAfterLoad(server, release, () => memoryBytes)
  const runQuarterMinute = async (requestCount: number): Promise<void> => {
    for (let n = 0; n < requestCount; n += 1) server.emit('request')
    await vi.advanceTimersByTimeAsync(15_000)
  }
  for (let n = 0; n < 4; n += 1) await runQuarterMinute(5_000)
  expect(release).not.toHaveBeenCalled()
  // Only health checks arrive, and the memory is released.
  for (let n = 0; n < 8; n += 1) await runQuarterMinute(5)
  expect(release).toHaveBeenCalledTimes(1)
  await runQuarterMinute(5_000)
  await runQuarterMinute(5)
  expect(release).toHaveBeenCalledTimes(2)
  // Polling open payments makes memory grow again; it is then released.
  memoryBytes += 50 * 1024 * 1024
  for (let n = 0; n < 8; n += 1) await runQuarterMinute(5)
  expect(release).toHaveBeenCalledTimes(3)
})

test('the memory of other threads is also released', async () => {
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads')
     const { getHeapSpaceStatistics } = require('node:v8')
     const alive = []
     for (let round = 0; round < 200; round += 1) {
       alive.push(Array.from({ length: 5_000 }, (_, at) => ({ at })))
       if (alive.length > 20) alive.shift()
     }
     alive.length = 0
     parentPort.on('message', () =>
       parentPort.postMessage(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').physical_space_size))`,
    { eval: true },
  )
  const measureThread = async (): Promise<number> => {
    const answer = once(thread, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage('measure')
    const [bytes] = (await answer) as [number]
    return bytes
  }
  try {
    const bytesBefore = await measureThread()
    await releaseMemoryOfAllThreads()
    expect(await measureThread()).toBeLessThan(bytesBefore / 2)
  } finally {
    await thread.terminate()
  }
})

test('a lazily imported package is loaded once, when it is first used', () => {
  const loadUqr = importLazily<{ readonly renderSVG: unknown }>('uqr')
  expect(loadUqr().renderSVG).toBeTypeOf('function')
  expect(loadUqr()).toBe(loadUqr())
  expect(() => importLazily('no-such-package')()).toThrow('no-such-package')
})
