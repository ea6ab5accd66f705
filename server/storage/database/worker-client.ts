/**
 * Calls a database thread from the main thread: named calls, a limit on waiting ones, restarts.
 * When a thread dies, its pending calls fail with StoreBusy: whether they were committed is unknown, and the
 * idempotency key resolves it.
 */
import { Worker } from 'node:worker_threads'
import type { Call, Verbs } from '../operations/writes.ts'
import { StoreBusy } from './store-busy-error.ts'

export type Request = {
  readonly id: number
  readonly verb: string
  readonly args: readonly unknown[]
}
export type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  /** `busy`: nothing was stored and the call can be retried; otherwise the error is a bug in Rollcall. */
  | {
      readonly id: number
      readonly ok: false
      readonly busy: boolean
      readonly message: string
      /** As in `StoreBusy`. */
      readonly code?: string
    }
export type MessageFromThread = { readonly ready: true } | { readonly answers: readonly Answer[] }
/** Requests are sent as JSON of `Request[]`: all since the last message, which is faster than cloning each one. */
export type MessageToThread = { readonly close: true } | { readonly requests: string }

export const requestsIn = (text: string): readonly Request[] => JSON.parse(text) as Request[]

export type Thread<V extends Verbs> = {
  readonly call: Call<V>
  /** Returns the number of calls that wait for a response. */
  waiting(): number
  /** Resolves when every earlier call has been answered and the thread has resolveEnd. */
  close(): Promise<void>
  /** For tests: ends the thread like a crash. */
  kill(): Promise<void>
}
type Waiting = { resolve(value: unknown): void; reject(error: Error): void }

/** A thread that dies again at once is started again at growing intervals up to this. */
const RESTART_MS_MAX = 5_000

/** The thread that works on the database, as this one sees it. */
export type WorkerHandle = {
  readonly send: (message: MessageToThread) => void
  /** Ends the thread as a crash would. */
  readonly kill: () => Promise<unknown>
}
export type WorkerListeners = {
  message(message: MessageFromThread): void
  /** Receives the reason for which the thread ends; `exit` follows. */
  error(error: unknown): void
  exit(): void
}
/** Starts `file` with this data. */
export type StartWorker = (file: URL, data: object, heard: WorkerListeners) => WorkerHandle

const startInThread: StartWorker = (file, data, { message, error, exit }) => {
  const worker = new Worker(file, { workerData: data })
  worker.on('message', message)
  worker.on('error', error)
  worker.on('exit', exit)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    send: (sent) => worker.postMessage(sent),
    kill: () => worker.terminate(),
  }
}

/**
 * Resolves once the thread has opened its database; rejects when the first start fails. With `startsAtFirstCall`, the
 * thread starts at its first call, which waits for it. `startWorker`: runs the code elsewhere than in a thread.
 */
export async function startThread<V extends Verbs>(options: {
  file: URL
  data: object
  waitingMax: number
  startsAtFirstCall?: boolean
  startWorker?: StartWorker
}): Promise<Thread<V>> {
  const { startWorker = startInThread } = options
  const waiting = new Map<number, Waiting>()
  /** Calls that were not sent yet. */
  let unsent: Request[] = []
  /** The number of calls sent and not answered. */
  let unanswered = 0
  let nextId = 1
  let closing = false
  let isStarted = options.startsAtFirstCall !== true
  let failures = 0
  let worker: WorkerHandle | null = null
  let resolveEnd: () => void = () => {}
  const end = new Promise<void>((resolve) => {
    resolveEnd = resolve
  })

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let cause = 'the thread resolveEnd'
      /** The database's error code, by which the caller distinguishes its errors from bugs of Rollcall. */
      let code: unknown
      worker = startWorker(options.file, options.data, {
        message: (message) => {
          if ('ready' in message) {
            failures = 0
            resolve()
            return
          }
          // A call answered before the commit may be answered again when the commit fails: it counts once.
          unanswered -= message.answers.filter(({ id }) => waiting.has(id)).length
          // The thread gets its next calls before the callers get their answers, so that it does not wait.
          send()
          for (const answer of message.answers) {
            const caller = waiting.get(answer.id)
            waiting.delete(answer.id)
            if (answer.ok) caller?.resolve(answer.value)
            else
              caller?.reject(
                answer.busy
                  ? new StoreBusy(answer.message, answer.code)
                  : new Error(answer.message),
              )
          }
        },
        error: (error) => {
          cause = error instanceof Error ? error.message : String(error)
          code = (error as { readonly code?: unknown } | null)?.code
        },
        exit: () => {
          worker = null
          for (const caller of waiting.values()) caller.reject(new StoreBusy(cause))
          waiting.clear()
          unsent = []
          unanswered = 0
          reject(Object.assign(new Error(cause), { code }))
          if (closing) resolveEnd()
          else restartLater()
        },
      })
    })
  const restartLater = (): void => {
    const waitMs = Math.min(RESTART_MS_MAX, 50 * 2 ** failures)
    failures += 1
    setTimeout(
      () => {
        if (!closing) start().catch(() => {})
      },
      failures === 1 ? 0 : waitMs,
    )
  }

  const sendUnsent = (): void => {
    const requests = unsent
    unsent = []
    if (requests.length === 0 || worker === null) return
    unanswered += requests.length
    worker.send({ requests: JSON.stringify(requests) })
  }
  /** Calls made while the thread works wait for its answer: fewer messages, and larger batches for each commit. */
  const send = (): void => {
    if (unanswered === 0) sendUnsent()
  }

  try {
    if (isStarted) await start()
  } catch (error) {
    closing = true
    throw error
  }
  return {
    call: (verb, ...args) =>
      new Promise((resolve, reject) => {
        if (!isStarted && !closing) {
          isStarted = true
          // If the start fails, this call is rejected, and the next start is scheduled.
          start().catch(() => {})
        }
        if (closing || worker === null || waiting.size >= options.waitingMax) {
          reject(
            new StoreBusy(
              closing
                ? 'the store is closing'
                : worker === null
                  ? 'the database thread is being started again'
                  : 'too many requests wait for the database',
            ),
          )
          return
        }
        const id = nextId
        nextId += 1
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        if (unsent.length === 0 && unanswered === 0) setImmediate(send)
        unsent.push({ id, verb, args })
      }),
    waiting: () => waiting.size,
    async close() {
      if (!closing) {
        closing = true
        if (worker === null) resolveEnd()
        else {
          sendUnsent()
          worker.send({ close: true })
        }
      }
      await end
    },
    async kill() {
      await worker?.kill()
    },
  }
}
