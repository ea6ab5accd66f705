/**
 * Stores uploads in S3-compatible object storage, where every server can read them.
 * Each submission of a file is an object of its own (`files/HASH/TIME`), and is never changed: a sweep deletes only the
 * objects that it listed, so it cannot delete a file that another server stores at the same moment.
 */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Instant } from '../../../engine/index.ts'
import { UploadsUnavailable } from '../database/store-busy-error.ts'
import type { KeepingStore } from './upload-and-clock-types.ts'
import { describeBucket } from './s3-bucket.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { openS3Requests } from './s3-requests.ts'
import type { S3Requests } from './s3-requests.ts'
import type { ShelfSweep, SweptFiles, UploadStorage } from './upload-storage-types.ts'

const FILES = 'files/'
/** Empty objects (`aside/HASH/TIME`): since then, no record refers to the file. */
const ASIDE = 'aside/'
const PROBES = 'probe/'
/** A younger object protects its file from the sweep for long enough. */
const FRESH_MS = 60 * 60 * 1000
/** Hashes per query. */
const BATCH_MAX = 500
const REQUESTS_MAX = 8

type References = Pick<KeepingStore, 'uploadsInUse' | 'uploadsDropped'>
/** Times by hash, ascending. */
type Times = ReadonlyMap<string, readonly number[]>

export function openS3Uploads(bucket: S3Bucket, references: References): UploadStorage {
  const requests = openS3Requests(bucket)
  return {
    location: `${describeBucket(bucket)}, marked in ${bucket.prefix}${ASIDE}`,
    keep: (file, at) => requests.putFile(fileKey(file.sha256, at), file),
    hold: (sha256, at) => hold(requests, sha256, at),
    async read(sha256) {
      // A second attempt, because a sweep may have deleted an older object of the file.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const newest = await findNewest(requests, sha256)
        const found = newest === null ? null : await requests.get(fileKey(sha256, newest))
        if (found !== null) return found
      }
      return null
    },
    hashes: async () => [...(await listTimes(requests, FILES)).keys()],
    forget: (sha256s) => forget(requests, references, sha256s),
    sweep: (how) => sweep(requests, references, how),
    reclaim: async () => null,
    check: () => check(bucket, requests),
  }
}

const fileKey = (sha256: string, at: number): string => `${FILES}${sha256}/${at}`
const asideKey = (sha256: string, at: number): string => `${ASIDE}${sha256}/${at}`

async function listTimes(requests: S3Requests, prefix: string): Promise<Times> {
  const times = new Map<string, number[]>()
  for await (const key of requests.list(prefix)) {
    const [, sha256, time] = /([0-9a-f]{64})\/(\d{1,16})$/.exec(key) ?? []
    if (sha256 === undefined) continue
    const known = times.get(sha256)
    if (known === undefined) times.set(sha256, [Number(time)])
    else known.push(Number(time))
  }
  for (const known of times.values()) known.sort((a, b) => a - b)
  return times
}

async function findNewest(requests: S3Requests, sha256: string): Promise<number | null> {
  return (await listTimes(requests, `${FILES}${sha256}/`)).get(sha256)?.at(-1) ?? null
}

async function hold(requests: S3Requests, sha256: string, at: Instant): Promise<boolean> {
  const newest = await findNewest(requests, sha256)
  if (newest === null) return false
  if (newest > at - FRESH_MS) return true
  return requests.copy(fileKey(sha256, newest), fileKey(sha256, at))
}

/** Lists the objects before it reads the references: an object that is stored later stays. */
async function forget(
  requests: S3Requests,
  references: References,
  sha256s: readonly string[],
): Promise<number> {
  const listed = await inParallel(sha256s, async (sha256) => {
    const [files, aside] = await Promise.all([
      listTimes(requests, `${FILES}${sha256}/`),
      listTimes(requests, `${ASIDE}${sha256}/`),
    ])
    return { sha256, files: files.get(sha256) ?? [], aside: aside.get(sha256) ?? [] }
  })
  const used = new Set(await inBatches(sha256s, references.uploadsInUse))
  const unused = listed.filter(({ sha256 }) => !used.has(sha256))
  await inParallel(unused.flatMap(keysOf), requests.delete)
  return unused.filter(({ files }) => files.length > 0).length
}

type Listed = {
  readonly sha256: string
  readonly files: readonly number[]
  readonly aside: readonly number[]
}
/** The file first: a marker without its file is deleted by the next sweep. */
const keysOf = ({ sha256, files, aside }: Listed): readonly string[] => [
  ...files.map((at) => fileKey(sha256, at)),
  ...aside.map((at) => asideKey(sha256, at)),
]

async function sweep(
  requests: S3Requests,
  references: References,
  { at, keptBefore, deleteBefore, expected, mayMove }: ShelfSweep,
): Promise<SweptFiles> {
  const markers = await listTimes(requests, ASIDE)
  const times = await listTimes(requests, FILES)
  const all = [...times].map(([sha256, files]): Listed => ({
    sha256,
    files,
    aside: markers.get(sha256) ?? [],
  }))
  const used = new Set(await inBatches([...times.keys()], references.uploadsInUse))
  const isOld = ({ files }: Listed): boolean => (files.at(-1) ?? 0) <= keptBefore
  const unused = all.filter((file) => !used.has(file.sha256) && isOld(file))
  const dropped = new Set(
    await inBatches(
      unused.map(({ sha256 }) => sha256),
      references.uploadsDropped,
    ),
  )
  const sinceOf = ({ files, aside }: Listed): number | null =>
    aside.find((since) => since >= (files.at(-1) ?? 0)) ?? null
  const isOver = (file: Listed): boolean => {
    const since = sinceOf(file)
    return since !== null && deleteBefore !== null && since <= deleteBefore
  }
  const removed = unused.filter((file) => dropped.has(file.sha256) || isOver(file))
  const remaining = unused.filter((file) => !removed.includes(file))
  const unknown = remaining.filter((file) => sinceOf(file) === null)
  const unexpected = unknown.filter(({ sha256 }) => !expected.has(sha256)).length
  const held = mayMove(unknown.length, unexpected, all.length)
  const setAside = held === null ? unknown : []
  const aside = new Set(remaining.filter((file) => sinceOf(file) !== null))
  await inParallel(
    setAside.map(({ sha256 }) => asideKey(sha256, at)),
    (key) => requests.putText(key, ''),
  )
  const outdated = [
    // Earlier objects of files that were submitted again.
    ...all.flatMap(({ sha256, files }) =>
      files
        .slice(0, -1)
        .filter((time) => time <= keptBefore)
        .map((time) => fileKey(sha256, time)),
    ),
    // Markers of files that are referred to or were submitted again, and of deleted ones.
    ...[...markers].flatMap(([sha256, since]) =>
      [...aside].some((file) => file.sha256 === sha256)
        ? []
        : since.map((time) => asideKey(sha256, time)),
    ),
  ]
  await inParallel([...new Set([...removed.flatMap(keysOf), ...outdated])], requests.delete)
  return {
    removed: removed.length,
    setAside: setAside.length,
    held,
    aside: aside.size + setAside.length,
  }
}

/** Writes, reads, lists and deletes a small object. Returns what fails in a sentence; null if all of it works. */
async function check(bucket: S3Bucket, requests: S3Requests): Promise<string | null> {
  const key = `${PROBES}${randomUUID()}`
  const steps: readonly (readonly [string, () => Promise<boolean>])[] = [
    ['written', async () => requests.putText(key, key).then(() => true)],
    [
      'read',
      async () => {
        const found = await requests.get(key)
        return found !== null && (await text(found.content)) === key
      },
    ],
    [
      'listed',
      async () => {
        for await (const one of requests.list(PROBES)) if (one === key) return true
        return false
      },
    ],
    ['deleted', async () => requests.delete(key).then(() => true)],
  ]
  for (const [verb, run] of steps)
    try {
      if (!(await run())) return `A new object could not be ${verb} in ${describeBucket(bucket)}.`
    } catch (error) {
      if (!(error instanceof UploadsUnavailable)) throw error
      return `Objects cannot be ${verb} in ${error.message}.`
    }
  return null
}

async function inParallel<T, R>(
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let from = 0; from < all.length; from += REQUESTS_MAX)
    results.push(...(await Promise.all(all.slice(from, from + REQUESTS_MAX).map(work))))
  return results
}

async function inBatches(
  all: readonly string[],
  query: (batch: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (let from = 0; from < all.length; from += BATCH_MAX)
    found.push(...(await query(all.slice(from, from + BATCH_MAX))))
  return found
}
