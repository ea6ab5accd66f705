/**
 * Recognises a file in which only old keys were replaced by their new names.
 * It counts as the stored version and keeps its hash, so it is not held back, activated or compared.
 */
import { isSameApartFromNames } from '../../../engine/authoring.ts'
import type { ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { CompiledFolder } from '../files/event-folder.ts'

/** The number of events looked up concurrently, so that the store's queue has space for other work. */
const READ_BATCH_SIZE = 50

/** Returns the compiled files, each under the hash of its last stored version if only keys were renamed. */
export async function useStoredHashes(
  store: Pick<Store, 'lastEventFile'>,
  compiledFolder: CompiledFolder,
): Promise<CompiledFolder> {
  const served: ServedEvent[] = []
  for (let start = 0; start < compiledFolder.served.length; start += READ_BATCH_SIZE) {
    const batch = compiledFolder.served.slice(start, start + READ_BATCH_SIZE)
    served.push(
      ...(await Promise.all(
        batch.map(async (event): Promise<ServedEvent> => {
          const lastFile = await store.lastEventFile(event.config.id)
          return lastFile !== null && isSameVersion(lastFile, event)
            ? { ...event, hash: lastFile.hash }
            : event
        }),
      )),
    )
  }
  return { ...compiledFolder, served }
}

type Version = Pick<ServedEvent, 'hash' | 'text' | 'shared'>

/** Returns true if only the names of keys differ between two versions. */
export const isSameVersion = (a: Version, b: Version): boolean =>
  a.hash === b.hash || (a.shared === b.shared && isSameApartFromNames(a.text, b.text))
