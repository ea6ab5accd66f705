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
export type FromThread = { readonly ready: true } | { readonly answers: readonly Answer[] }
/** Requests are sent as JSON of `Request[]`: all since the last message, which is faster than cloning each one. */
export type ToThread = { readonly close: true } | { readonly requests: string }

export const requestsIn = (text: string): readonly Request[] => JSON.parse(text) as Request[]

export type Thread<V extends Verbs> = {
  readonly call: Call<V>
  /** Returns the number of calls that wait for a response. */
  waiting(): number
  /** Resolves when every earlier call has been answered and the thread has ended. */
  close(): Promise<void>
  /** For tests: ends the thread like a crash. */
  kill(): Promise<void>
}
type Waiting = { resolve(value: unknown): void; reject(error: Error): void }

/** A thread that dies again at once is started again at growing intervals up to this. */
const RESTART_MS_MAX = 5_000

/** The other end of the messages, which works on the database. */
export type Other = {
  readonly tell: (message: ToThread) => void
  /** Ends it like a crash. */
  readonly kill: () => Promise<unknown>
}
export type Heard = {
  message(message: FromThread): void
  /** The reason why it ends; `exit` follows. */
  error(error: unknown): void
  exit(): void
}
/** Starts serving `file` with this data. */
export type Begin = (file: URL, data: object, heard: Heard) => Other

const inThread: Begin = (file, data, { message, error, exit }) => {
  const worker = new Worker(file, { workerData: data })
  worker.on('message', message)
  worker.on('error', error)
  worker.on('exit', exit)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    tell: (told) => worker.postMessage(told),
    kill: () => worker.terminate(),
  }
}

/**
 * Resolves once the thread has opened its database; rejects when the first start fails. With `whenAsked`, it
 * starts at its first call, which waits for it. `begin`: where it runs, if not in a separate thread.
 */
export async function startThread<V extends Verbs>(options: {
  file: URL
  data: object
  waitingMax: number
  whenAsked?: boolean
  begin?: Begin
}): Promise<Thread<V>> {
  const { begin = inThread } = options
  const waiting = new Map<number, Waiting>()
  /** Made and not sent yet. */
  let made: Request[] = []
  /** How many the thread has and has not answered. */
  let atWork = 0
  let nextId = 1
  let closing = false
  let begun = options.whenAsked !== true
  let failures = 0
  let worker: Other | null = null
  let ended: () => void = () => {}
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let cause = 'the thread ended'
      /** Of an error of a database, which whoever starts the thread may tell from a fault of ours. */
      let code: unknown
      worker = begin(options.file, options.data, {
        message: (message) => {
          if ('ready' in message) {
            failures = 0
            resolve()
            return
          }
          // Who was answered before the commit may be told of its failure as well: that counts once.
          atWork -= message.answers.filter(({ id }) => waiting.has(id)).length
          // It gets more to do before anybody hears what it has done.
          send()
          for (const answer of message.answers) {
            const asker = waiting.get(answer.id)
            waiting.delete(answer.id)
            if (answer.ok) asker?.resolve(answer.value)
            else
              asker?.reject(
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
          for (const asker of waiting.values()) asker.reject(new StoreBusy(cause))
          waiting.clear()
          made = []
          atWork = 0
          reject(Object.assign(new Error(cause), { code }))
          if (closing) ended()
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

  const sendAll = (): void => {
    const requests = made
    made = []
    if (requests.length === 0 || worker === null) return
    atWork += requests.length
    worker.tell({ requests: JSON.stringify(requests) })
  }
  /** What is made while the thread works waits for its answer: fewer messages, and larger batches for each commit. */
  const send = (): void => {
    if (atWork === 0) sendAll()
  }

  try {
    if (begun) await start()
  } catch (error) {
    closing = true
    throw error
  }
  return {
    call: (verb, ...args) =>
      new Promise((resolve, reject) => {
        if (!begun && !closing) {
          begun = true
          // Where it cannot, this call is told so, and it is tried again.
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
        if (made.length === 0 && atWork === 0) setImmediate(send)
        made.push({ id, verb, args })
      }),
    waiting: () => waiting.size,
    async close() {
      if (!closing) {
        closing = true
        if (worker === null) ended()
        else {
          sendAll()
          worker.tell({ close: true })
        }
      }
      await end
    },
    async kill() {
      await worker?.kill()
    },
  }
}
