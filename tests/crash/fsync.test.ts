/**
 * A killed process does not lose the page cache, a machine without power does. So that killing
 * proves something, the system calls show that the log was flushed before the answer went out.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInside } from '../../server/storage/open-store.ts'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { register, serverCommand, serverVariables, started } from './server.ts'
import { canTrace, readTrace, traced } from './strace.ts'
import type { SystemCall } from './strace.ts'
import { onlyThorough } from '../runs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-fsync-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What must have been flushed, after it was last written; a folder is written by what is moved into it. */
type Flush = {
  readonly path: RegExp
  readonly movedInto?: RegExp
  /** What is written to it after a flush may be somebody else's. */
  readonly isShared?: true
}
/** The index of searches writes to it a moment after an answer, which a busy machine may send later still. */
const log: Flush = { path: /rollcall\.db-wal>/, isShared: true }
const proof: Flush = { path: /uploads\/incoming\/[^>]+>/ }
const proofFolder: Flush = { path: /uploads\/\w\w>/, movedInto: /"[^"]*uploads\/\w\w\/\w{64}"/ }

/** For each answer: was all of it written and then flushed since the answer before it, or since the process was ready? */
function flushedBefore(
  calls: readonly SystemCall[],
  needed: readonly Flush[],
  isReady: (call: SystemCall) => boolean,
  isAnswer: (call: SystemCall) => boolean,
): readonly boolean[] {
  const written = new Set<Flush>()
  const flushed = new Set<Flush>()
  return calls.flatMap((call) => {
    for (const flush of needed.filter(({ path }) => path.test(call.args.split(',')[0] ?? ''))) {
      if (/^p?writev?(64)?$/.test(call.name)) {
        written.add(flush)
        if (flush.isShared !== true) flushed.delete(flush)
      }
      if (/^f(data)?sync$/.test(call.name) && written.has(flush)) flushed.add(flush)
    }
    if (/^rename(at2?)?$/.test(call.name))
      for (const flush of needed.filter(({ movedInto }) => movedInto?.test(call.args))) {
        written.add(flush)
        flushed.delete(flush)
      }
    if (!isAnswer(call) && !isReady(call)) return []
    const answer = needed.every((flush) => flushed.has(flush))
    written.clear()
    flushed.clear()
    return isReady(call) ? [] : [answer]
  })
}
const says =
  (text: string) =>
  ({ name, args }: SystemCall): boolean =>
    /^(write|writev|sendto|sendmsg)$/.test(name) && args.includes(text)
const calls = [
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'sendto',
  'sendmsg',
  'fsync',
  'fdatasync',
  // Which of them a machine has, differs.
  '?rename',
  '?renameat',
  '?renameat2',
] as const

/** The store by itself. */
async function traceOf(registrations: number, seam: InjectedFaults): Promise<readonly boolean[]> {
  const out = join(folder, 'trace')
  const command = [
    process.execPath,
    join(import.meta.dirname, 'store-process.ts'),
    join(folder, 'var'),
    '1',
    String(registrations),
    JSON.stringify(seam),
  ]
  const child = traced(out, calls, command, { stdio: ['ignore', 'ignore', 'inherit'] })
  await new Promise((resolve) => {
    child.on('exit', resolve)
  })
  await ended(out, child.pid)
  return flushedBefore(readTrace(out), [log], says('READY'), says('ACK '))
}

/** A whole server, and delegates who send a proof. */
async function serverTrace(registrations: number): Promise<readonly boolean[]> {
  const out = join(folder, 'trace')
  const dataDir = join(folder, 'var')
  const server = await started(
    traced(out, calls, serverCommand(), {
      env: { ...serverVariables(dataDir) },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  for (let at = 0; at < registrations; at += 1) expect(await register(server.url)).not.toBeNull()
  await server.end('SIGTERM')
  await ended(out, server.child.pid)
  return flushedBefore(
    readTrace(out),
    [log, proof, proofFolder],
    says('Rollcall serves'),
    says('HTTP/1.1 201'),
  )
}

/** strace writes its last lines a moment after the process has gone. */
async function ended(out: string, pid: number | undefined): Promise<void> {
  await expect
    .poll(() => readFileSync(out, 'utf8'), { timeout: 200_000, interval: 20 })
    .toMatch(new RegExp(`^${pid} +\\+\\+\\+ exited with 0`, 'm'))
}

const times = (count: number, flushed: boolean): readonly boolean[] =>
  Array.from({ length: count }, () => flushed)
type Case = readonly [string, number, InjectedFaults, readonly boolean[]]
const cases: Case[] = [['the log is flushed before every answer', 20, {}, times(20, true)]]
const controls: readonly Case[] = [
  [
    'negative control: NORMAL, in which better-sqlite3 opens a log, flushes for none',
    20,
    { synchronous: 'NORMAL' },
    times(20, false),
  ],
  // One only: the flush for the first comes before the answer to the second.
  [
    'negative control: answering before the commit',
    1,
    { answerBeforeCommitMs: 5_000 },
    times(1, false),
  ],
]
onlyThorough(() => void cases.push(...controls))
describe('the trace of system calls', () => {
  if (canTrace()) {
    test.each(cases)('%s', async (_, registrations, seam, expected) =>
      expect(await traceOf(registrations, seam)).toEqual(expected),
    )
    test('a server flushes the document, its folder and the log before it writes "201" to the socket', async () =>
      expect(await serverTrace(5)).toEqual(times(5, true)))
  } else {
    test('skipped: strace is not installed; the connection uses FULL', async () => {
      const { store, writer } = await openInside({ dataDir: folder })
      expect((await writer.call('pragmas')).synchronous).toBe(2)
      await store.close()
    })
  }
})
