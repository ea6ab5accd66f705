/** The checker in a thread of its own, so that typing never waits for a proof. */
import { check } from './check-event-file.ts'
import type { Question } from './check-event-file.ts'

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage(check(data)))
