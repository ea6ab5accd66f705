/** A tiny parent that holds a listening socket while servers on it come and go, as systemd does with a socket unit. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PID_FILE } from '../../../server/storage/database/single-server-lock.ts'
import { top } from '../run-command.ts'
import { usual } from './operator.ts'
import type { Folders } from './operator.ts'

/** Starts a server for each line that it reads, on the socket that it has as number 3, and says how each ended. */
const PARENT = `while read -r line; do
  { sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' sh "$@"; echo "ended with $?"; } &
done
wait`

export type Held = {
  readonly url: string
  readonly port: number
  readonly printed: () => string
  /** Begins a server; whoever asks waits until it listens. */
  start(): void
  /** Answers the process of the server once one has begun to serve after `start`. */
  serving(): Promise<number>
  /** Tells the server and answers with its exit status once it has ended; the socket stays. */
  stop(signal?: NodeJS.Signals): Promise<number>
  /** The server and the socket. */
  close(): Promise<void>
}

/** Listens on a free port of this machine for the servers of that folder. */
export async function hold(
  { dataDir, eventsDir }: Folders,
  variables: Readonly<Record<string, string>> = {},
  command: readonly string[] = [process.execPath, join(top, 'bin', 'rollcall.js'), 'start'],
): Promise<Held> {
  const listener = createServer()
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  // Node has no name for it: the number under which this process has the socket.
  const { fd } = (listener as unknown as { readonly _handle: { readonly fd: number } })._handle
  const parent = spawn('sh', ['-c', PARENT, 'sh', ...command], {
    cwd: top,
    env: { ...(await usual({ dataDir, eventsDir }, port)), ...variables },
    stdio: ['pipe', 'pipe', 'pipe', fd],
  })
  // Now it is the parent's alone; nobody has asked for anything yet.
  listener.close()
  let printed = ''
  const waiting = new Set<() => void>()
  for (const stream of [parent.stdout, parent.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      for (const look of waiting) look()
    })
  const count = (text: string): number => printed.split(text).length - 1
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  let started = 0
  const pid = (): number => Number(readFileSync(join(dataDir, PID_FILE), 'utf8'))
  const hasEnded = (): boolean => count('ended with ') >= started
  const held: Held = {
    url: `http://127.0.0.1:${port}`,
    port,
    printed: () => printed,
    start: () => {
      started += 1
      parent.stdin?.write('start\n')
    },
    serving: async () => {
      await until(() => count('/admin/login') >= started || hasEnded())
      if (hasEnded()) throw new Error(`the server did not start:\n${printed}`)
      return pid()
    },
    stop: async (signal = 'SIGTERM') => {
      process.kill(await held.serving(), signal)
      await until(hasEnded)
      return Number(/ended with (\d+)\s*$/.exec(printed.trimEnd())?.[1])
    },
    close: async () => {
      if (started > 0 && !hasEnded()) await held.stop()
      const ended = once(parent, 'exit')
      parent.stdin?.end()
      await ended
    },
  }
  return held
}
