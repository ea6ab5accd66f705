/**
 * Stores uploads in S3-compatible object storage, where every server can read them.
 * Each submission of a file is a separate object (`files/HASH/TIME`) that never changes. A sweep deletes only objects
 * that it listed, so it cannot delete a file that another server is storing.
 */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Instant } from '../../../engine/index.ts'
import { UploadsUnavailable } from '../database/store-busy-error.ts'
import type { RetentionStore } from './upload-and-clock-types.ts'
import { describeBucket } from './s3-bucket.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { openS3Requests } from './s3-requests.ts'
import type { S3Requests } from './s3-requests.ts'
import type { SweepOptions, SweptFiles, UploadStorage } from './upload-storage-types.ts'

const FILES_PREFIX = 'files/'
/**
 * Prefix of empty marker objects (`aside/HASH/TIME`). TIME is the time at which the file was first found unreferenced.
 */
const ASIDE_PREFIX = 'aside/'
const PROBES_PREFIX = 'probe/'
/** An object more recent than this protects its file from the sweep. */
const PROTECTION_MS = 60 * 60 * 1000
/** The number of hashes per query. */
const BATCH_SIZE = 500
const MAX_PARALLEL_REQUESTS = 8

type References = Pick<RetentionStore, 'uploadsInUse' | 'uploadsDropped'>
/** The times of each hash, ascending. */
type TimesByHash = ReadonlyMap<string, readonly number[]>

export function openS3Uploads(bucket: S3Bucket, references: References): UploadStorage {
  const requests = openS3Requests(bucket)
  return {
    location: `${describeBucket(bucket)}, marked in ${bucket.prefix}${ASIDE_PREFIX}`,
    storeFile: (file, at) => requests.putFile(getFileKey(file.sha256, at), file),
    protectFile: (sha256, at) => protectUpload(requests, sha256, at),
    async read(sha256) {
      // Tries twice, because a sweep may delete the object between the two requests.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const newestTime = await findNewestTime(requests, sha256)
        const object =
          newestTime === null ? null : await requests.get(getFileKey(sha256, newestTime))
        if (object !== null) return object
      }
      return null
    },
    listHashes: async () => [...(await listTimes(requests, FILES_PREFIX)).keys()],
    removeFiles: (sha256s) => removeUploads(requests, references, sha256s),
    sweep: (options) => sweepUploads(requests, references, options),
    reclaim: async () => null,
    check: () => checkBucket(bucket, requests),
  }
}

const getFileKey = (sha256: string, at: number): string => `${FILES_PREFIX}${sha256}/${at}`
const getAsideKey = (sha256: string, at: number): string => `${ASIDE_PREFIX}${sha256}/${at}`

async function listTimes(requests: S3Requests, prefix: string): Promise<TimesByHash> {
  const times = new Map<string, number[]>()
  for await (const key of requests.list(prefix)) {
    const [, sha256, time] = /([0-9a-f]{64})\/(\d{1,16})$/.exec(key) ?? []
    if (sha256 === undefined) continue
    const hashTimes = times.get(sha256)
    if (hashTimes === undefined) times.set(sha256, [Number(time)])
    else hashTimes.push(Number(time))
  }
  for (const hashTimes of times.values()) hashTimes.sort((a, b) => a - b)
  return times
}

async function findNewestTime(requests: S3Requests, sha256: string): Promise<number | null> {
  return (await listTimes(requests, `${FILES_PREFIX}${sha256}/`)).get(sha256)?.at(-1) ?? null
}

async function protectUpload(requests: S3Requests, sha256: string, at: Instant): Promise<boolean> {
  const newestTime = await findNewestTime(requests, sha256)
  if (newestTime === null) return false
  if (newestTime > at - PROTECTION_MS) return true
  return requests.copy(getFileKey(sha256, newestTime), getFileKey(sha256, at))
}

/** Lists the objects before reading the references, so that an object stored later is not removed. */
async function removeUploads(
  requests: S3Requests,
  references: References,
  sha256s: readonly string[],
): Promise<number> {
  const listedUploads = await runInParallel(sha256s, async (sha256) => {
    const [files, aside] = await Promise.all([
      listTimes(requests, `${FILES_PREFIX}${sha256}/`),
      listTimes(requests, `${ASIDE_PREFIX}${sha256}/`),
    ])
    return { sha256, files: files.get(sha256) ?? [], aside: aside.get(sha256) ?? [] }
  })
  const usedHashes = new Set(await queryInBatches(sha256s, references.uploadsInUse))
  const unusedUploads = listedUploads.filter(({ sha256 }) => !usedHashes.has(sha256))
  await runInParallel(unusedUploads.flatMap(listKeys), requests.delete)
  return unusedUploads.filter(({ files }) => files.length > 0).length
}

type ListedUpload = {
  readonly sha256: string
  readonly files: readonly number[]
  readonly aside: readonly number[]
}
/**
 * Lists the file's objects before its markers, so that the objects are deleted first. The next sweep deletes a marker
 * without a file.
 */
const listKeys = ({ sha256, files, aside }: ListedUpload): readonly string[] => [
  ...files.map((at) => getFileKey(sha256, at)),
  ...aside.map((at) => getAsideKey(sha256, at)),
]

async function sweepUploads(
  requests: S3Requests,
  references: References,
  { at, keptBefore, deleteBefore, expected, findHoldReason }: SweepOptions,
): Promise<SweptFiles> {
  const markers = await listTimes(requests, ASIDE_PREFIX)
  const times = await listTimes(requests, FILES_PREFIX)
  const uploads = [...times].map(([sha256, files]): ListedUpload => ({
    sha256,
    files,
    aside: markers.get(sha256) ?? [],
  }))
  const usedHashes = new Set(await queryInBatches([...times.keys()], references.uploadsInUse))
  const isOld = ({ files }: ListedUpload): boolean => (files.at(-1) ?? 0) <= keptBefore
  const unusedUploads = uploads.filter((file) => !usedHashes.has(file.sha256) && isOld(file))
  const droppedHashes = new Set(
    await queryInBatches(
      unusedUploads.map(({ sha256 }) => sha256),
      references.uploadsDropped,
    ),
  )
  const getAsideTime = ({ files, aside }: ListedUpload): number | null =>
    aside.find((markerTime) => markerTime >= (files.at(-1) ?? 0)) ?? null
  const isExpired = (file: ListedUpload): boolean => {
    const asideTime = getAsideTime(file)
    return asideTime !== null && deleteBefore !== null && asideTime <= deleteBefore
  }
  const removedUploads = unusedUploads.filter(
    (file) => droppedHashes.has(file.sha256) || isExpired(file),
  )
  const remainingUploads = unusedUploads.filter((file) => !removedUploads.includes(file))
  const unknownUploads = remainingUploads.filter((file) => getAsideTime(file) === null)
  const unexpectedCount = unknownUploads.filter(({ sha256 }) => !expected.has(sha256)).length
  const heldReason = findHoldReason(unknownUploads.length, unexpectedCount, uploads.length)
  const newlyAside = heldReason === null ? unknownUploads : []
  const asideUploads = new Set(remainingUploads.filter((file) => getAsideTime(file) !== null))
  await runInParallel(
    newlyAside.map(({ sha256 }) => getAsideKey(sha256, at)),
    (key) => requests.putText(key, ''),
  )
  const outdatedKeys = [
    // Earlier objects of files that were submitted again.
    ...uploads.flatMap(({ sha256, files }) =>
      files
        .slice(0, -1)
        .filter((time) => time <= keptBefore)
        .map((time) => getFileKey(sha256, time)),
    ),
    // Markers of deleted files, and of files that are referenced or were submitted again.
    ...[...markers].flatMap(([sha256, markerTimes]) =>
      [...asideUploads].some((file) => file.sha256 === sha256)
        ? []
        : markerTimes.map((time) => getAsideKey(sha256, time)),
    ),
  ]
  await runInParallel(
    [...new Set([...removedUploads.flatMap(listKeys), ...outdatedKeys])],
    requests.delete,
  )
  return {
    removed: removedUploads.length,
    setAside: newlyAside.length,
    held: heldReason,
    asideCount: asideUploads.size + newlyAside.length,
  }
}

/**
 * Writes, reads, lists and deletes a small object. Returns a sentence that explains what fails. Null if everything
 * works.
 */
async function checkBucket(bucket: S3Bucket, requests: S3Requests): Promise<string | null> {
  const key = `${PROBES_PREFIX}${randomUUID()}`
  const steps: readonly (readonly [string, () => Promise<boolean>])[] = [
    ['write objects to', async () => requests.putText(key, key).then(() => true)],
    [
      'read objects in',
      async () => {
        const object = await requests.get(key)
        return object !== null && (await text(object.content)) === key
      },
    ],
    [
      'list objects in',
      async () => {
        for await (const listedKey of requests.list(PROBES_PREFIX))
          if (listedKey === key) return true
        return false
      },
    ],
    ['delete objects from', async () => requests.delete(key).then(() => true)],
  ]
  for (const [action, run] of steps)
    try {
      if (!(await run()))
        return `Cannot ${action} ${describeBucket(bucket)}: a new object is missing or incomplete.`
    } catch (error) {
      if (!(error instanceof UploadsUnavailable)) throw error
      return `Cannot ${action} ${error.message}.`
    }
  return null
}

async function runInParallel<T, R>(
  items: readonly T[],
  task: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += MAX_PARALLEL_REQUESTS)
    results.push(
      ...(await Promise.all(items.slice(start, start + MAX_PARALLEL_REQUESTS).map(task))),
    )
  return results
}

async function queryInBatches(
  hashes: readonly string[],
  query: (batch: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const results: string[] = []
  for (let start = 0; start < hashes.length; start += BATCH_SIZE)
    results.push(...(await query(hashes.slice(start, start + BATCH_SIZE))))
  return results
}
