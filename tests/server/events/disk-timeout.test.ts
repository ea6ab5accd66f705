/** A disk that does not respond delays the server once, for a limited time. */
import { expect, test } from 'vitest'
import { withTimeout } from '../../../server/events/files/disk-timeout.ts'

test('stops waiting for a file on a hanging network drive, and does not read it again until the first read ends', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let readCount = 0
  const readFile = (): Promise<string> => {
    readCount += 1
    return promise
  }
  expect(await withTimeout('/mnt/a.yaml', readFile, 0)).toBeNull()
  expect([await withTimeout('/mnt/a.yaml', readFile, 0), readCount]).toEqual([null, 1])
  resolve('text')
  await promise
  await new Promise((done) => setImmediate(done))
  expect([await withTimeout('/mnt/a.yaml', readFile), readCount]).toEqual(['text', 2])
})
