/** The web worker of the event-file checker, so that typing never waits for it. */
import { checkEventFile } from './check-event-file.ts'
import type { CheckRequest } from './check-event-file.ts'

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) =>
  postMessage(checkEventFile(data)),
)
