/**
 * Changes an event file on a server with many registrations, and measures when the change is visible: a new title, a
 * quota that earlier registrations fill, and a rule for unique answers that one of them already has. The last two
 * are compared with the same change to an event without registrations, because checking the file, which comes
 * first, takes longest.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildFixtureEvent } from '../server/small-event.ts'
import type { FixtureOptions } from '../server/small-event.ts'
import { createDelegate } from './bench-servers.ts'
import type { BenchServer } from './bench-servers.ts'

export type Change = {
  readonly what: string
  /** The time from writing the new file until the change is visible. */
  readonly ms: number
  /** The additional time compared with the same change to an event without registrations. Null if not compared. */
  readonly additionalMs: number | null
  /** The longest response time of a registration during the change. */
  readonly longestMs: number
}

const EVENT = 'million2026'
export const EMPTY_EVENT = { id: 'empty2026', prefix: 'EMPT' }
/**
 * The longest wait for a change. Afterwards, it is reported as not visible and the measurement ends, because the
 * server may still be busy.
 */
const MAX_VISIBLE_MS = 20_000
const POLL_MS = 10
/** The number of title changes, which affect no row; their median is reported. */
const TITLE_COUNT = 3

export async function measureChanges(
  server: BenchServer,
  headers: Readonly<Record<string, string>>,
  rowCount: number,
): Promise<readonly Change[]> {
  // Every second registration is paid and keeps its seat; the quota is filled by nearly all of the paid registrations.
  const seats = Math.floor(rowCount / 2) - Math.ceil(rowCount / 100)
  const quotasYaml = `
quotas:
  - {id: hall, when: {category: member}, max: ${seats}, full: The hall is full}
`
  const uniqueYaml = `
unique:
  - {fields: [email], on_duplicate: block, message: This email address is registered already.}
`
  const createRefusalCheck = (code: string, body: () => string) => async (): Promise<boolean> =>
    (await register(server, body())) === code
  // The first change also starts the checker of event files.
  const titleChanges: Change[] = []
  for (let n = 0; n <= TITLE_COUNT; n += 1)
    titleChanges.push(
      await measureChange(server, headers, 'a title', { title: `Title ${n}` }, async () => {
        await register(server, createDelegate())
        return isTitleShown(server, EVENT, `Title ${n}`)
      }),
    )
  const medianTitleChange = takeMedian(titleChanges.slice(1))
  const storedDelegate = createDelegate({ email: 'person1@example.org' })
  const isDuplicate = createRefusalCheck('registered_already', () => storedDelegate)
  const isFull = createRefusalCheck('full', () => createDelegate())
  const changes: Change[] = [medianTitleChange]
  const otherChanges = [
    ['a unique answer', uniqueYaml, isDuplicate],
    ['a quota', quotasYaml, isFull],
  ] as const
  for (const [label, extraYaml, isVisible] of otherChanges) {
    const emptyEventOptions = { ...EMPTY_EVENT, title: label, extra: extraYaml }
    const baseline = await measureChange(server, headers, label, emptyEventOptions, () =>
      isTitleShown(server, EMPTY_EVENT.id, label),
    )
    const file = { title: `Title ${TITLE_COUNT}`, extra: extraYaml }
    const change = await measureChange(server, headers, label, file, isVisible)
    changes.push({ ...change, additionalMs: Math.max(0, change.ms - baseline.ms) })
    if (change.ms === Infinity) break
  }
  return changes
}

async function isTitleShown(server: BenchServer, event: string, title: string): Promise<boolean> {
  const response = await fetch(`${server.url}/api/events/${event}`)
  return (await response.text()).includes(title)
}

function takeMedian(changes: readonly Change[]): Change {
  const median = changes.toSorted((a, b) => a.ms - b.ms)[Math.floor(changes.length / 2)]
  if (median === undefined) throw new Error('the file was not changed')
  return median
}

async function measureChange(
  server: BenchServer,
  headers: Readonly<Record<string, string>>,
  what: string,
  changedOptions: FixtureOptions,
  isVisible: () => Promise<boolean>,
): Promise<Change> {
  const options = { id: EVENT, prefix: 'AFPI', ...changedOptions }
  const text = buildFixtureEvent(options)
  const temporaryFile = join(server.eventsDir, `.${options.id}.yaml`)
  writeFileSync(temporaryFile, text)
  const startedAt = performance.now()
  renameSync(temporaryFile, join(server.eventsDir, `${options.id}.yaml`))
  // The server would detect the change within two seconds, at a random time.
  const reloadRequest = fetch(`${server.url}/admin/served-files/reload/`, {
    method: 'POST',
    headers,
  })
    .then((response) => response.text())
    // A server that is still busy at the end is killed.
    .catch(() => '')
  let longestMs = 0
  for (;;) {
    const requestedAt = performance.now()
    const isShown = await isVisible()
    const now = performance.now()
    longestMs = Math.max(longestMs, now - requestedAt)
    if (isShown) {
      await reloadRequest
      return { what, ms: now - startedAt, additionalMs: null, longestMs }
    }
    if (now - startedAt > MAX_VISIBLE_MS)
      return { what, ms: Infinity, additionalMs: null, longestMs }
    await pause(POLL_MS)
  }
}

/** Registers a delegate and returns the code of a rejection. Null if the registration was accepted. */
async function register(server: BenchServer, body: string): Promise<string | null> {
  try {
    const response = await fetch(`${server.url}/api/${EVENT}/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(MAX_VISIBLE_MS),
    })
    const { code } = (await response.json()) as { code?: string }
    return response.status === 201 ? null : (code ?? String(response.status))
  } catch {
    return 'no answer'
  }
}
