/**
 * Changes an event file under a server with many registrations, and measures when the change shows: a new title, a quota
 * that earlier registrations fill, a unique answer that one of them has.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fixtureEvent } from '../server/small-event.ts'
import { createDelegate } from './bench-servers.ts'
import type { BenchServer } from './bench-servers.ts'

export type Change = {
  readonly what: string
  /** From the new file to the moment when it shows. */
  readonly ms: number
  /** More than a new title takes, which concerns no row. */
  readonly beyondMs: number | null
  /** The longest registration meanwhile. */
  readonly longestMs: number
}

const EVENT = 'million2026'
/** Longer is reported as never, and ends the measurement, because the server may still be at work. */
const SHOWS_MS_MAX = 20_000
const LOOK_MS = 10
/** Changes without effect on any row, of which the middle one is reported. */
const TITLES = 3

export async function measureChanges(
  server: BenchServer,
  headers: Readonly<Record<string, string>>,
  rows: number,
): Promise<readonly Change[]> {
  // Every second registration is paid, and keeps its seat; nearly all of them must be counted.
  const seats = Math.floor(rows / 2) - Math.ceil(rows / 100)
  const quotas = `
quotas:
  - {id: hall, when: {category: member}, max: ${seats}, full: The hall is full}
`
  const unique = `
unique:
  - {fields: [email], on_duplicate: block, message: This email address is registered already.}
`
  const isRefused = (code: string, body: () => string) => async (): Promise<boolean> =>
    (await register(server, body())) === code
  // The first change also starts what judges event files.
  const titles: Change[] = []
  for (let n = 0; n <= TITLES; n += 1)
    titles.push(
      await measureChange(server, headers, 'a title', `Title ${n}`, '', async () => {
        await register(server, createDelegate())
        const answer = await fetch(`${server.url}/api/events/${EVENT}`)
        return (await answer.text()).includes(`Title ${n}`)
      }),
    )
  const title = takeMiddle(titles.slice(1))
  const stored = createDelegate({ email: 'person1@example.org' })
  const duplicate = isRefused('registered_already', () => stored)
  const full = isRefused('full', () => createDelegate())
  const changes: Change[] = [title]
  const rest = [
    ['a unique answer', unique, duplicate],
    ['a quota', quotas, full],
  ] as const
  for (const [what, extra, shows] of rest) {
    const change = await measureChange(server, headers, what, `Title ${TITLES}`, extra, shows)
    changes.push({ ...change, beyondMs: Math.max(0, change.ms - title.ms) })
    if (change.ms === Infinity) break
  }
  return changes
}

function takeMiddle(changes: readonly Change[]): Change {
  const middle = changes.toSorted((a, b) => a.ms - b.ms)[Math.floor(changes.length / 2)]
  if (middle === undefined) throw new Error('nothing was changed')
  return middle
}

async function measureChange(
  server: BenchServer,
  headers: Readonly<Record<string, string>>,
  what: string,
  title: string,
  extra: string,
  shows: () => Promise<boolean>,
): Promise<Change> {
  const text = fixtureEvent({ id: EVENT, prefix: 'AFPI', title, extra })
  const beside = join(server.eventsDir, `.${EVENT}.yaml`)
  writeFileSync(beside, text)
  const began = performance.now()
  renameSync(beside, join(server.eventsDir, `${EVENT}.yaml`))
  // The server would notice it within two seconds; how soon is chance.
  const reloaded = fetch(`${server.url}/admin/served-files/reload/`, { method: 'POST', headers })
    .then((answer) => answer.text())
    // A server that is still at work is killed in the end.
    .catch(() => '')
  let longestMs = 0
  for (;;) {
    const asked = performance.now()
    const isShown = await shows()
    const now = performance.now()
    longestMs = Math.max(longestMs, now - asked)
    if (isShown) {
      await reloaded
      return { what, ms: now - began, beyondMs: null, longestMs }
    }
    if (now - began > SHOWS_MS_MAX) return { what, ms: Infinity, beyondMs: null, longestMs }
    await pause(LOOK_MS)
  }
}

/** The code of a refusal; null: it is registered. */
async function register(server: BenchServer, body: string): Promise<string | null> {
  try {
    const answer = await fetch(`${server.url}/api/${EVENT}/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(SHOWS_MS_MAX),
    })
    const { code } = (await answer.json()) as { code?: string }
    return answer.status === 201 ? null : (code ?? String(answer.status))
  } catch {
    return 'no answer'
  }
}
