/** The verdict on a folder of event files, made file by file so that a server rests in between. */
import { setImmediate as rest } from 'node:timers/promises'
import { compilingFolder } from '../../../engine/authoring.ts'
import type {
  EventFolder,
  FolderVerdict,
  KnownEvent,
  SourceText,
} from '../../../engine/authoring.ts'

/** While events are compiled, requests wait no longer than this and one file. */
const BUSY_MS_MAX = 10

/** The verdict, which lets requests through while it is made. */
export async function judgeFolder(
  folder: EventFolder,
  options: { readonly production?: boolean; readonly on?: string },
  known?: (file: SourceText) => KnownEvent | null,
): Promise<FolderVerdict> {
  const steps = compilingFolder(folder, options, known)
  for (let since = performance.now(); ;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - since < BUSY_MS_MAX) continue
    await rest()
    since = performance.now()
  }
}
