/** Checks in the system calls that the write-ahead log is flushed before each response. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../server/storage/open-store.ts'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { register, getServerCommand, getServerVariables, waitForStart } from './server.ts'
import { canTrace, readTrace, startTrace } from './strace.ts'
import type { SystemCall } from './strace.ts'
import { registerThorough } from '../runs.ts'

// The page cache survives a killed process, but not a power cut, so a kill cannot show a missing flush.

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-fsync-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * A file that must be flushed after its last write. Moving a file into a folder counts as a write to the folder.
 */
type Flush = {
  readonly path: RegExp
  readonly movedInto?: RegExp
  /** Set if other writers may write to the file after the flush. */
  readonly isSharedFile?: true
}
/** The search index writes to the log shortly after a response; on a busy machine, that can be before it is sent. */
const log: Flush = { path: /rollcall\.db-wal>/, isSharedFile: true }
const uploadedDocument: Flush = { path: /uploads\/incoming\/[^>]+>/ }
const documentFolder: Flush = { path: /uploads\/\w\w>/, movedInto: /"[^"]*uploads\/\w\w\/\w{64}"/ }

/**
 * For each response, returns whether every required file was written and then flushed since the previous response,
 * or since startup.
 */
function checkFlushes(
  calls: readonly SystemCall[],
  requiredFlushes: readonly Flush[],
  isReadyCall: (call: SystemCall) => boolean,
  isResponseCall: (call: SystemCall) => boolean,
): readonly boolean[] {
  const written = new Set<Flush>()
  const flushed = new Set<Flush>()
  return calls.flatMap((call) => {
    for (const flush of requiredFlushes.filter(({ path }) =>
      path.test(call.args.split(',')[0] ?? ''),
    )) {
      if (/^p?writev?(64)?$/.test(call.name)) {
        written.add(flush)
        if (flush.isSharedFile !== true) flushed.delete(flush)
      }
      if (/^f(data)?sync$/.test(call.name) && written.has(flush)) flushed.add(flush)
    }
    if (/^rename(at2?)?$/.test(call.name))
      for (const flush of requiredFlushes.filter(({ movedInto }) => movedInto?.test(call.args))) {
        written.add(flush)
        flushed.delete(flush)
      }
    if (!isResponseCall(call) && !isReadyCall(call)) return []
    const hasAllFlushes = requiredFlushes.every((flush) => flushed.has(flush))
    written.clear()
    flushed.clear()
    return isReadyCall(call) ? [] : [hasAllFlushes]
  })
}
const createWriteCheck =
  (text: string) =>
  ({ name, args }: SystemCall): boolean =>
    /^(write|writev|sendto|sendmsg)$/.test(name) && args.includes(text)
const TRACED_CALLS = [
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'sendto',
  'sendmsg',
  'fsync',
  'fdatasync',
  // Which calls are available depends on the machine.
  '?rename',
  '?renameat',
  '?renameat2',
] as const

/** Traces a process that runs only a store. For each response, returns whether all files were flushed before it. */
async function traceStore(
  registrations: number,
  faults: InjectedFaults,
): Promise<readonly boolean[]> {
  const traceFile = join(folder, 'trace')
  const command = [
    process.execPath,
    join(import.meta.dirname, 'store-process.ts'),
    join(folder, 'var'),
    '1',
    String(registrations),
    JSON.stringify(faults),
  ]
  const child = startTrace(traceFile, TRACED_CALLS, command, {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await new Promise((resolve) => {
    child.on('exit', resolve)
  })
  await readFinishedTrace(traceFile, child.pid)
  return checkFlushes(
    readTrace(traceFile),
    [log],
    createWriteCheck('READY'),
    createWriteCheck('ACK '),
  )
}

/** Traces a server process while delegates upload a document. Returns the same result for each response. */
async function traceServer(registrations: number): Promise<readonly boolean[]> {
  const traceFile = join(folder, 'trace')
  const dataDir = join(folder, 'var')
  const server = await waitForStart(
    startTrace(traceFile, TRACED_CALLS, getServerCommand(), {
      env: { ...getServerVariables(dataDir) },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  for (let n = 0; n < registrations; n += 1) expect(await register(server.url)).not.toBeNull()
  await server.end('SIGTERM')
  await readFinishedTrace(traceFile, server.child.pid)
  return checkFlushes(
    readTrace(traceFile),
    [log, uploadedDocument, documentFolder],
    createWriteCheck('Rollcall serves'),
    createWriteCheck('HTTP/1.1 201'),
  )
}

/** Waits until the trace is complete: strace writes its last lines shortly after the process ends. */
async function readFinishedTrace(traceFile: string, pid: number | undefined): Promise<void> {
  await expect
    .poll(() => readFileSync(traceFile, 'utf8'), { timeout: 200_000, interval: 20 })
    .toMatch(new RegExp(`^${pid} +\\+\\+\\+ exited with 0`, 'm'))
}

const repeatValue = (count: number, isFlushed: boolean): readonly boolean[] =>
  Array.from({ length: count }, () => isFlushed)
type Case = readonly [string, number, InjectedFaults, readonly boolean[]]
const testCases: Case[] = [
  ['the log is flushed before every response', 20, {}, repeatValue(20, true)],
]
const controls: readonly Case[] = [
  [
    'negative control: with NORMAL, better-sqlite3’s default for a write-ahead log, no response waits for a flush',
    20,
    { synchronous: 'NORMAL' },
    repeatValue(20, false),
  ],
  // Only one registration, because the flush for the first one would precede the response to a second one.
  [
    'negative control: a store that responds before the commit has not flushed the log',
    1,
    { respondBeforeCommitMs: 5_000 },
    repeatValue(1, false),
  ],
]
registerThorough(() => void testCases.push(...controls))
describe('the trace of system calls', () => {
  if (canTrace()) {
    test.each(testCases)('%s', async (_, registrations, faults, expected) =>
      expect(await traceStore(registrations, faults)).toEqual(expected),
    )
    test('a server flushes the document, its folder and the log before it writes "201" to the socket', async () =>
      expect(await traceServer(5)).toEqual(repeatValue(5, true)))
  } else {
    test('without strace, only the connection’s setting FULL is checked', async () => {
      const { store, writer } = await openSqliteStore({ dataDir: folder })
      expect((await writer.call('pragmas')).synchronous).toBe(2)
      await store.close()
    })
  }
})
