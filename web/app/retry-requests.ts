/** Calls of which nobody may be left without an answer: what may be sent twice without harm is sent again when none comes. */
import { err } from '../../engine/index.ts'
import { call } from './api-client.ts'
import type { Answered, CallOptions, Reader } from './api-client.ts'

/** What has not been answered by then seldom is, on any line: milliseconds. */
const PATIENCE_MS = 20_000
/** A file may take as long as a line of 200 kbit a second needs for it. */
const SLOWEST_BYTES_PER_MS = 25
/** Three waits make a minute; whoever stands there any longer would rather press again. */
const TRIES_MAX = 3

/** Said while the same is on its way once more. */
export const TRYING_AGAIN = 'No answer yet. Nothing has been charged. We are trying again.'
const NO_ANSWER =
  'Our server has not answered. Nothing has been charged. You can safely try again: nobody is charged twice.'

/**
 * As `call`, for what the server takes for the same when it comes twice (the same key, the same order). `waits` is
 * told each time that no answer came and the same is sent again. The error is `no_answer` when none came at all.
 */
export async function callUntilAnswered<T>(
  path: string,
  read: Reader<T>,
  options: Omit<CallOptions, 'signal' | 'form'> & { readonly form?: FormData },
  waits: () => void,
): Promise<Answered<T>> {
  for (let tried = 1; ; tried++) {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), patienceMs(options.form))
    const answer = await call(path, read, { ...options, signal: patience.signal })
    clearTimeout(timer)
    if (answer.ok || answer.error.code !== 'aborted') return answer
    if (tried === TRIES_MAX)
      return err({ status: 0, code: 'no_answer', message: NO_ANSWER, answer: null })
    waits()
  }
}

function patienceMs(form: FormData | undefined): number {
  const bytes = [...(form?.values() ?? [])].reduce(
    (sum, value) => sum + (typeof value === 'string' ? 0 : value.size),
    0,
  )
  return PATIENCE_MS + bytes / SLOWEST_BYTES_PER_MS
}
