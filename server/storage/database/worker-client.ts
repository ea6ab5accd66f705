/**
 * Calls a database thread from the main thread: named calls, a limit on queued calls, restarts.
 * When a thread dies, its pending calls fail with StoreBusy. They may have been committed, so the caller repeats them
 * with the same idempotency key.
 */
import { Worker } from 'node:worker_threads'
import { reportProgress } from '../../ops/progress.ts'
import type { ProgressReport } from '../../ops/progress.ts'
import type { Call, Operations } from '../operations/writes.ts'
import { StoreBusy } from './store-busy-error.ts'

export type Request = {
  readonly id: number
  readonly verb: string
  readonly args: readonly unknown[]
}
export type WorkerResponse =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  /** `busy`: nothing was stored and the call can be retried. Otherwise the error is a bug in Rollcall. */
  | {
      readonly id: number
      readonly ok: false
      readonly busy: boolean
      readonly message: string
      /** As in `StoreBusy`. */
      readonly code?: string
    }
export type MessageFromThread =
  | { readonly ready: true }
  | { readonly progress: ProgressReport }
  | { readonly responses: readonly WorkerResponse[] }
/** All requests since the last message, as JSON of `Request[]`: this is faster than cloning each request. */
export type MessageToThread = { readonly close: true } | { readonly requests: string }

export const parseRequests = (text: string): readonly Request[] => JSON.parse(text) as Request[]

export type Thread<V extends Operations> = {
  readonly call: Call<V>
  /** Returns the number of calls that are waiting for a response. */
  countWaitingCalls(): number
  /** Resolves when all calls have a response and the thread has ended. */
  close(): Promise<void>
  /** Ends the thread as a crash would, for tests. */
  kill(): Promise<void>
}
type PendingCall = { resolve(value: unknown): void; reject(error: Error): void }

/** The maximum restart delay of a thread that keeps dying immediately. */
const MAX_RESTART_MS = 5_000

/** The main thread's handle to a database thread. */
export type WorkerHandle = {
  readonly send: (message: MessageToThread) => void
  /** Ends the thread as a crash would. */
  readonly kill: () => Promise<unknown>
}
export type WorkerListeners = {
  message(message: MessageFromThread): void
  /** Receives the reason why the thread ends; `exit` follows. */
  error(error: unknown): void
  exit(): void
}
/** Starts `file` with this data. */
export type StartWorker = (file: URL, data: object, listeners: WorkerListeners) => WorkerHandle

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
 * Resolves once the thread has opened its database; rejects if the first start fails. With `startsAtFirstCall`, the
 * thread starts at its first call, and that call waits for it. `startWorker` can run the code without a thread.
 */
export async function startThread<V extends Operations>(options: {
  file: URL
  data: object
  maxQueuedCalls: number
  startsAtFirstCall?: boolean
  startWorker?: StartWorker
}): Promise<Thread<V>> {
  const { startWorker = startInThread } = options
  const pendingCalls = new Map<number, PendingCall>()
  /** Calls that have not been sent yet. */
  let unsentRequests: Request[] = []
  /** The number of sent calls without a response. */
  let pendingCount = 0
  let nextId = 1
  let isClosing = false
  let isStarted = options.startsAtFirstCall !== true
  let failures = 0
  let worker: WorkerHandle | null = null
  let resolveEnd: () => void = () => {}
  const end = new Promise<void>((resolve) => {
    resolveEnd = resolve
  })

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let cause = 'the thread ended'
      /** The database's error code, which distinguishes machine errors from bugs in Rollcall. */
      let code: unknown
      worker = startWorker(options.file, options.data, {
        message: (message) => {
          if ('ready' in message) {
            failures = 0
            resolve()
            return
          }
          if ('progress' in message) {
            reportProgress(message.progress)
            return
          }
          // A call that received its response before the commit may receive another response if the commit fails. The
          // call is counted once.
          pendingCount -= message.responses.filter(({ id }) => pendingCalls.has(id)).length
          // The thread gets its next calls before the callers get their responses, so that it is never idle.
          send()
          for (const response of message.responses) {
            const caller = pendingCalls.get(response.id)
            pendingCalls.delete(response.id)
            if (response.ok) caller?.resolve(response.value)
            else
              caller?.reject(
                response.busy
                  ? new StoreBusy(response.message, response.code)
                  : new Error(response.message),
              )
          }
        },
        error: (error) => {
          cause = error instanceof Error ? error.message : String(error)
          code = (error as { readonly code?: unknown } | null)?.code
        },
        exit: () => {
          worker = null
          for (const caller of pendingCalls.values()) caller.reject(new StoreBusy(cause))
          pendingCalls.clear()
          unsentRequests = []
          pendingCount = 0
          reject(Object.assign(new Error(cause), { code }))
          if (isClosing) resolveEnd()
          else restartLater()
        },
      })
    })
  const restartLater = (): void => {
    const waitMs = Math.min(MAX_RESTART_MS, 50 * 2 ** failures)
    failures += 1
    setTimeout(
      () => {
        if (!isClosing) start().catch(() => {})
      },
      failures === 1 ? 0 : waitMs,
    )
  }

  const sendUnsent = (): void => {
    const requests = unsentRequests
    unsentRequests = []
    if (requests.length === 0 || worker === null) return
    pendingCount += requests.length
    worker.send({ requests: JSON.stringify(requests) })
  }
  /**
   * Calls made while the thread is busy are sent after its response, which results in fewer messages and larger
   * batches.
   */
  const send = (): void => {
    if (pendingCount === 0) sendUnsent()
  }

  try {
    if (isStarted) await start()
  } catch (error) {
    isClosing = true
    throw error
  }
  return {
    call: (verb, ...args) =>
      new Promise((resolve, reject) => {
        if (!isStarted && !isClosing) {
          isStarted = true
          // If the start fails, this call is rejected and the next start is scheduled.
          start().catch(() => {})
        }
        if (isClosing || worker === null || pendingCalls.size >= options.maxQueuedCalls) {
          reject(
            new StoreBusy(
              isClosing
                ? 'the store is closing'
                : worker === null
                  ? 'the database thread is restarting'
                  : 'too many requests are waiting for the database',
            ),
          )
          return
        }
        const id = nextId
        nextId += 1
        pendingCalls.set(id, { resolve: resolve as (value: unknown) => void, reject })
        if (unsentRequests.length === 0 && pendingCount === 0) setImmediate(send)
        unsentRequests.push({ id, verb, args })
      }),
    countWaitingCalls: () => pendingCalls.size,
    async close() {
      if (!isClosing) {
        isClosing = true
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
