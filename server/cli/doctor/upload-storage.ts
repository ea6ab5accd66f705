/** Checks the storage of uploads for `rollcall doctor`, and looks for missing files. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from '../../dependencies.ts'
import {
  openUploadStorage,
  getUploadLocations,
} from '../../registration/uploads/store-uploaded-files.ts'
import { UploadsUnavailable } from '../../storage/database/store-busy-error.ts'
import { describeBucket } from '../../storage/files/s3-bucket.ts'
import type { UploadStorage } from '../../storage/files/upload-storage-types.ts'
import { isOwnMachine } from '../../ops/environment.ts'
import { reportCheck, reportGood, reportWrong } from './finding.ts'
import type { Finding } from './finding.ts'

/** These checks do not sweep uploads, so they need no references to them. */
const NO_REFERENCES = { uploadsInUse: async () => [], uploadsDropped: async () => [] }

/** Opens the uploads bucket. Returns null if uploads are not in a bucket. */
function openBucket(environment: Environment): UploadStorage | null {
  const { uploadsBucket = null } = environment
  return uploadsBucket === null
    ? null
    : openUploadStorage({ ...getUploadLocations(environment), store: NO_REFERENCES })
}

/** Checks the bucket by writing, reading, listing and deleting an object. Empty if uploads are not in a bucket. */
export async function checkBucket(environment: Environment): Promise<readonly Finding[]> {
  const { uploadsBucket: bucket = null, dataDir } = environment
  if (bucket === null) return []
  const problem = (await openBucket(environment)?.check()) ?? null
  const { protocol, hostname } = new URL(bucket.url)
  const remainingCount = countFiles(path.join(dataDir, 'uploads'))
  return [
    problem === null
      ? reportGood(`Uploads can be written, read and deleted in ${describeBucket(bucket)}.`)
      : reportWrong(`${problem} Check UPLOADS_URL, the credentials and their permissions.`),
    ...(protocol === 'http:' && !isOwnMachine(hostname)
      ? [
          reportCheck(
            `Uploads are sent to ${hostname} without encryption. Use https in UPLOADS_URL.`,
          ),
        ]
      : []),
    ...(remainingCount > 0
      ? [
          reportCheck(
            `${remainingCount === 1 ? '1 upload is' : `${remainingCount} uploads are`} still in DATA_DIR. If ${remainingCount === 1 ? 'it is' : 'they are'} not in the bucket yet, stop the server and run rollcall db move files-to-s3.`,
          ),
        ]
      : []),
  ]
}

function countFiles(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^[0-9a-f]{2}.[0-9a-f]{64}$/.test(name),
  ).length
}

/**
 * Reports missing files. `findMissingFiles` finds files that are missing from the database or the disk. If uploads are in
 * a bucket, looks for `referencedHashes` in it instead.
 */
export async function checkFiles(
  environment: Environment,
  referencedHashes: readonly string[],
  findMissingFiles: () => Promise<readonly string[]>,
): Promise<Finding> {
  const bucket = openBucket(environment)
  try {
    const storedHashes = bucket === null ? null : new Set(await bucket.listHashes())
    const missing =
      storedHashes === null
        ? await findMissingFiles()
        : referencedHashes.filter((sha256) => !storedHashes.has(sha256))
    const [firstMissing] = missing
    if (firstMissing === undefined)
      return reportGood('No file that a registration refers to is missing.')
    const [problem, pronoun] =
      missing.length === 1
        ? [`1 file that registrations refer to is missing: ${firstMissing}.`, 'it']
        : [
            `${missing.length} files that registrations refer to are missing, such as ${firstMissing}.`,
            'them',
          ]
    return reportWrong(
      bucket === null
        ? `${problem} Restore ${pronoun} from a backup.`
        : `${problem} Restore ${pronoun} in the bucket, or run rollcall db move files-to-s3.`,
    )
  } catch (error) {
    if (!(error instanceof UploadsUnavailable)) throw error
    return reportCheck(
      'The files in the bucket cannot be listed, so it is unknown whether any are missing.',
    )
  }
}
