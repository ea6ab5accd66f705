/** A parent process that holds a listening socket for successive servers, as a systemd socket unit does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PID_FILE } from '../../../server/storage/database/single-server-lock.ts'
import { top } from '../run-command.ts'
import { getDefaultVariables } from './operator.ts'
import type { Folders } from './operator.ts'

/** A shell script that starts a server on file descriptor 3 for each input line, and prints its exit status. */
const PARENT_SCRIPT = `while read -r line; do
  { sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' sh "$@"; echo "ended with $?"; } &
done
wait`

export type SocketParent = {
  readonly url: string
  readonly port: number
  readonly readOutput: () => string
  /** Starts a server. Clients wait until it listens. */
  start(): void
  /** Returns the process id of the server that `start` started, once it serves. */
  waitUntilServing(): Promise<number>
  /** Sends the server a signal and returns its exit status. The socket stays open. */
  stop(signal?: NodeJS.Signals): Promise<number>
  /** Ends the server and the socket. */
  close(): Promise<void>
}

/** Listens on a free local port for servers with these folders. */
export async function startSocketParent(
  { dataDir, eventsDir }: Folders,
  variables: Readonly<Record<string, string>> = {},
  command: readonly string[] = [process.execPath, join(top, 'bin', 'rollcall.js'), 'start'],
): Promise<SocketParent> {
  const listener = createServer()
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  // Node has no API for a socket's file descriptor.
  const { fd } = (listener as unknown as { readonly _handle: { readonly fd: number } })._handle
  const parent = spawn('sh', ['-c', PARENT_SCRIPT, 'sh', ...command], {
    cwd: top,
    env: { ...(await getDefaultVariables({ dataDir, eventsDir }, port)), ...variables },
    stdio: ['pipe', 'pipe', 'pipe', fd],
  })
  // From here on, only the parent has the socket. No request has arrived yet.
  listener.close()
  let output = ''
  const checks = new Set<() => void>()
  for (const stream of [parent.stdout, parent.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      for (const check of checks) check()
    })
  const countOccurrences = (text: string): number => output.split(text).length - 1
  const waitUntil = (isReached: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return
        checks.delete(check)
        resolve()
      }
      checks.add(check)
      check()
    })
  let startedCount = 0
  const readPid = (): number => Number(readFileSync(join(dataDir, PID_FILE), 'utf8'))
  const hasEnded = (): boolean => countOccurrences('ended with ') >= startedCount
  const socketParent: SocketParent = {
    url: `http://127.0.0.1:${port}`,
    port,
    readOutput: () => output,
    start: () => {
      startedCount += 1
      parent.stdin?.write('start\n')
    },
    waitUntilServing: async () => {
      await waitUntil(() => countOccurrences('/admin/login') >= startedCount || hasEnded())
      if (hasEnded()) throw new Error(`the server did not start:\n${output}`)
      return readPid()
    },
    stop: async (signal = 'SIGTERM') => {
      process.kill(await socketParent.waitUntilServing(), signal)
      await waitUntil(hasEnded)
      return Number(/ended with (\d+)\s*$/.exec(output.trimEnd())?.[1])
    },
    close: async () => {
      if (startedCount > 0 && !hasEnded()) await socketParent.stop()
      const exit = once(parent, 'exit')
      parent.stdin?.end()
      await exit
    },
  }
  return socketParent
}
