/**
 * The web worker of the event-file checker, which keeps checking from blocking the user's typing.
 */
import { checkEventFile } from './check-event-file.ts'
import type { CheckRequest } from './check-event-file.ts'

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) =>
  postMessage(checkEventFile(data)),
)
