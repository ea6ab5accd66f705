/** The web worker of the event-file checker, so that typing never waits for it. */
import { check } from './check-event-file.ts'
import type { Question } from './check-event-file.ts'

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage(check(data)))
