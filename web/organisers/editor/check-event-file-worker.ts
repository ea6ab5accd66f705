/** The web worker that checks event files, so that checking does not block typing. */
import { checkEventFile } from './check-event-file.ts'
import type { CheckRequest } from './check-event-file.ts'

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) =>
  postMessage(checkEventFile(data)),
)
