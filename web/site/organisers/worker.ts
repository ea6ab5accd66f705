import { check } from './check.ts'
import type { Question } from './check.ts'

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage(check(data)))
