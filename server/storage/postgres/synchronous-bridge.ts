/**
 * Gives a thread that may block a synchronous PostgreSQL connection.
 * It sends its statements to a second thread and sleeps until the answer arrives, so that the store's functions
 * are the same on both databases.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'

/** A statement with a name under which the server keeps its plan; `params` as text, null or bytes. */
export type BridgeRequest = {
  readonly text: string
  readonly name: string
  readonly params: readonly unknown[]
}
/**
 * The result of one statement: its rows, or the error. `lost`: the connection is lost, and it is unknown what was
 * done.
 */
export type BridgeResponse =
  | {
      readonly ok: true
      readonly columns: readonly string[]
      readonly rows: readonly (readonly unknown[])[]
      readonly changes: number
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly lost: boolean }

export type ToSpeaker =
  | { readonly id: number; readonly asked: readonly BridgeRequest[] }
  | { close: true }
export type FromSpeaker = { readonly id: number; readonly said: readonly BridgeResponse[] }
export type SpeakerData = {
  readonly url: string
  readonly signal: SharedArrayBuffer
}

/** Longer than any statement may take: then the thread beside has died, or the machine sleeps. */
const ANSWER_MS_MAX = 120_000

export type Bridge = {
  /** Sends all at once; answers each. Blocks. */
  ask(asked: readonly BridgeRequest[]): readonly BridgeResponse[]
  close(): void
}

export function openBridge(url: string): Bridge {
  const { port1: ours, port2: theirs } = new MessageChannel()
  const signal = new SharedArrayBuffer(4)
  const answered = new Int32Array(signal)
  const data: SpeakerData = { url, signal }
  const speaker = new Worker(new URL('./connection-worker.ts', import.meta.url), {
    workerData: { ...data, port: theirs },
    transferList: [theirs],
  })
  speaker.unref()
  ours.unref()
  let last = 0
  return {
    ask(asked) {
      last += 1
      const before = Atomics.load(answered, 0)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      ours.postMessage({ id: last, asked } satisfies ToSpeaker)
      return answerTo(last, asked.length, before)
    },
    close() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      ours.postMessage({ close: true } satisfies ToSpeaker)
    },
  }

  function answerTo(id: number, count: number, before: number): readonly BridgeResponse[] {
    for (let seen = before; ; seen = Atomics.load(answered, 0)) {
      const message = receiveMessageOnPort(ours)?.message as FromSpeaker | undefined
      // An older one is of a question that was waited for too long.
      if (message?.id === id) return message.said
      if (message === undefined && Atomics.wait(answered, 0, seen, ANSWER_MS_MAX) === 'timed-out')
        return Array.from({ length: count }, () => SILENCE)
    }
  }
}

const SILENCE: BridgeResponse = {
  ok: false,
  code: '',
  message: 'PostgreSQL does not answer',
  lost: true,
}
