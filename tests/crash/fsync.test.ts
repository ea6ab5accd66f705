/**
 * A killed process does not lose the page cache, a machine without power does. So that killing
 * proves something, the system calls show that the log was flushed before the answer went out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInside } from '../../server/store/open.ts'
import { canTrace, readTrace, traced } from './strace.ts'
import type { SystemCall } from './strace.ts'

let folder: string
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'rollcall-fsync-')) })
afterEach(() => rmSync(folder, { recursive: true }))

/** For each answer: was the write-ahead log written and then flushed since the answer before it, or since the process was ready? */
function flushedBefore(calls: readonly SystemCall[], isAnswer: (call: SystemCall) => boolean): readonly boolean[] {
  let written = false
  let flushed = false
  return calls.flatMap((call) => {
    if (call.args.includes('rollcall.db-wal>')) {
      if (call.name.startsWith('pwrite')) [written, flushed] = [true, false]
      if (/^f(data)?sync$/.test(call.name) && written) flushed = true
    }
    if (!isAnswer(call) && !isReady(call)) return []
    const answer = written && flushed
    ;[written, flushed] = [false, false]
    return isReady(call) ? [] : [answer]
  })
}
const isReady = ({ name, args }: SystemCall): boolean => name === 'write' && args.includes('READY')
const isAck = ({ name, args }: SystemCall): boolean => name === 'write' && args.includes('ACK ')

async function traceOf(registrations: number, switches: object): Promise<readonly boolean[]> {
  const out = join(folder, 'trace')
  const command = [process.execPath, join(import.meta.dirname, 'store-process.ts'), join(folder, 'var'), '1', String(registrations), JSON.stringify(switches)]
  const child = traced(out, ['write', 'pwrite64', 'fsync', 'fdatasync'], command, { stdio: ['ignore', 'ignore', 'inherit'] })
  const status = await new Promise((resolve) => { child.on('exit', resolve) })
  expect(status).toBe(0)
  return flushedBefore(readTrace(out), isAck)
}

// Where tracing is forbidden the setting of the live connection is all that can be looked at.
const times = (count: number, flushed: boolean): readonly boolean[] => Array.from({ length: count }, () => flushed)
const cases: readonly [string, number, object, readonly boolean[]][] = [
  ['the log is flushed before every answer', 20, {}, times(20, true)],
  ['negative control: NORMAL, in which better-sqlite3 opens a log, flushes for none', 20, { synchronous: 'NORMAL' }, times(20, false)],
  // One only: the flush for the first comes before the answer to the second.
  ['negative control: answering before the commit', 1, { answerBeforeCommitMs: 20 }, times(1, false)],
]
describe('the trace of system calls', () => {
  if (canTrace()) test.each(cases)('%s', async (_, registrations, switches, expected) => expect(await traceOf(registrations, switches)).toEqual(expected))
  else
    test('cannot be had on this machine (strace); the live connection says FULL', async () => {
      const { store, writer } = await openInside({ dataDir: folder })
      expect((await writer.call('pragmas')).synchronous).toBe(2)
      await store.close()
    })
})
