/** `rollcall db move files-to-s3` and `files-from-s3`: copies uploads to object storage, or back. */
import { createClock } from '../../ops/clock.ts'
import { makePrivate } from '../../ops/file-permissions.ts'
import { reportEach } from '../../ops/progress.ts'
import { openUploads, getUploadLocations } from '../../registration/uploads/store-uploaded-files.ts'
import { lockDataFolder } from '../../storage/database/single-server-lock.ts'
import { UploadsUnavailable } from '../../storage/database/store-busy-error.ts'
import type { Store } from '../../storage/index.ts'
import type { Environment, Uploads } from '../../dependencies.ts'
import type { Status, Terminal } from '../command.ts'
import { openExistingStore, requireDatabase } from '../open-existing-store.ts'
import { showProgress } from '../progress-line.ts'

const NEXT_STEP = {
  'files-to-s3': 'Start the server with UPLOADS_URL.',
  'files-from-s3': 'Start the server without UPLOADS_URL.',
} as const

export async function moveFiles(
  direction: keyof typeof NEXT_STEP,
  terminal: Terminal,
): Promise<Status> {
  const environment = terminal.environment()
  if (environment === null) return 2
  if ((environment.uploadsBucket ?? null) === null) {
    terminal.printError('UPLOADS_URL is not set. Set it to the URL of the bucket.')
    return 2
  }
  // Checked before the lock: a lock file in a folder without a database would indicate a lost database.
  requireDatabase(environment)
  makePrivate(environment.dataDir)
  const release = lockDataFolder(environment.dataDir)
  if (release === null) {
    terminal.printError(`A server is running on ${environment.dataDir}. Stop it first.`)
    return 2
  }
  const store = await openExistingStore(environment)
  try {
    const { copied, missing } = await showProgress(terminal, () =>
      copyFiles(direction, environment, store),
    )
    terminal.print(
      `${copied === 1 ? '1 file was' : `${copied} files were`} copied and compared. ${NEXT_STEP[direction]}`,
    )
    for (const sha256 of missing)
      terminal.printError(`The file ${sha256} is missing or damaged, so it was not copied.`)
    return missing.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof UploadsUnavailable)) throw error
    terminal.printError(`Not all files were copied. Run the command again. ${error.message}.`)
    return 2
  } finally {
    await store.close()
    release()
  }
}

async function copyFiles(
  direction: keyof typeof NEXT_STEP,
  environment: Environment,
  store: Store,
): Promise<{ readonly copied: number; readonly missing: readonly string[] }> {
  const clock = createClock(environment.clockStart)
  const { dataDir } = environment
  const bucketUploads = openUploads({ ...getUploadLocations(environment), store, clock })
  const localUploads = openUploads({ ...getUploadLocations({ dataDir }), store, clock })
  const [source, target] =
    direction === 'files-to-s3' ? [localUploads, bucketUploads] : [bucketUploads, localUploads]
  const storedHashes = new Set(await target.listHashes())
  const missing: string[] = []
  let copied = 0
  const hashesToCopy = (await store.referencedFiles()).filter((sha256) => !storedHashes.has(sha256))
  for (const sha256 of reportEach(hashesToCopy, 'Copying files'))
    if (await copyFile(source, target, sha256)) copied += 1
    else missing.push(sha256)
  return { copied, missing }
}

/** Copies a file. Returns false if it is missing or has a different hash. */
async function copyFile(source: Uploads, target: Uploads, sha256: string): Promise<boolean> {
  const sourceFile = await source.read(sha256)
  if (sourceFile === null) return false
  const file = await target.receive(sourceFile.content, sourceFile.bytes)
  if (!file.ok) throw new UploadsUnavailable(`${sha256}: ${file.error}`)
  try {
    if (file.value.sha256 !== sha256) return false
    await target.storeFile(file.value)
    return true
  } finally {
    await target.discard(file.value)
  }
}
