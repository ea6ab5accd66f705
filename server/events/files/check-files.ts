/** Checks the event files in a folder one by one, yielding to requests in between. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { compileFolderStepwise } from '../../../engine/authoring.ts'
import type {
  EventFolder,
  CheckedFolder,
  CachedEvent,
  SourceText,
} from '../../../engine/authoring.ts'

/** While events are compiled, requests wait at most this long plus the time for one file. */
const YIELD_INTERVAL_MS = 10

/** Checks the folder, and lets requests proceed in the meantime. */
export async function checkFolder(
  folder: EventFolder,
  options: { readonly production?: boolean; readonly on?: string },
  findCachedEvent?: (file: SourceText) => CachedEvent | null,
): Promise<CheckedFolder> {
  const steps = compileFolderStepwise(folder, options, findCachedEvent)
  for (let startedAt = performance.now(); ;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - startedAt < YIELD_INTERVAL_MS) continue
    await yieldToEventLoop()
    startedAt = performance.now()
  }
}
