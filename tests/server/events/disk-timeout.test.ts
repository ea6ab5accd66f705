/** A disk that does not answer keeps the server waiting once, and not for ever. */
import { expect, test } from 'vitest'
import { withTimeout } from '../../../server/events/files/disk-timeout.ts'

test('stops waiting for a file on a hanging network drive, and does not read it again until the first read ends', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let asked = 0
  const ask = (): Promise<string> => {
    asked += 1
    return promise
  }
  expect(await withTimeout('/mnt/a.yaml', ask, 0)).toBeNull()
  expect([await withTimeout('/mnt/a.yaml', ask, 0), asked]).toEqual([null, 1])
  resolve('text')
  await promise
  await new Promise((done) => setImmediate(done))
  expect([await withTimeout('/mnt/a.yaml', ask), asked]).toEqual(['text', 2])
})
