/** Erases personal data: from each registration, then from files and emails outside the database. */
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { dayOf } from '../../../engine/index.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import { byItself } from '../../ops/clock.ts'
import type { ByItself } from '../../ops/clock.ts'
import type { ActionOutcome, NewAction, StoredRegistration } from '../../storage/index.ts'

/** Name of the automatic actor in the history, where users have their own names. */
const WHO = 'rollcall'
/** Retention ends on a day, so an hourly check is soon enough. */
const TICK_MS = 60 * 60_000
const KEPT_LONG_ENOUGH = 'kept for as long as the event file says'

export type ErasingDeps = Pick<Deps, 'store' | 'uploads' | 'environment'>

/** When this returns, the personal data is gone from every table and from the upload and mail folders. */
export async function eraseOne(
  { store, uploads, environment }: ErasingDeps,
  { regNo, uploads: files }: StoredRegistration,
  wanted: NewAction,
): Promise<ActionOutcome> {
  const done = await store.erase(wanted)
  if (!done.ok) return done
  await uploads.forget(files.map(({ sha256 }) => sha256))
  await forgetMails(path.join(environment.dataDir, 'mail'), regNo)
  return done
}

/** Without a mail server, emails are files whose names end with the registration number. */
async function forgetMails(folder: string, regNo: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith(`-${regNo}.eml`)) await rm(path.join(folder, name), { force: true })
}

type KeepingDeps = ErasingDeps &
  Pick<Deps, 'events' | 'clock' | 'log'> & {
    /** Whether age may be used as a reason to erase. */
    readonly isClockTrusted: () => Promise<boolean>
  }

/**
 * Erases registrations whose retention period (`retention` in the event file) is over. `run` returns the number of
 * registrations erased.
 */
export function openKeeping(deps: KeepingDeps, { works }: { readonly works: boolean }): ByItself {
  const run = async (): Promise<number> => {
    if (!(await deps.isClockTrusted())) return 0
    let erased = 0
    for (const served of deps.events.all()) erased += await keepTo(deps, served)
    return erased
  }
  return byItself(run, works, TICK_MS, (error) =>
    deps.log.error({ error: String(error) }, 'erasing what was kept long enough stumbled'),
  )
}

async function keepTo(deps: KeepingDeps, { config }: ServedEvent): Promise<number> {
  const { store, clock } = deps
  const at = clock()
  const today = dayOf(at)
  const { answers, files } = config.retention
  if (files !== null && today > files) {
    let dropped = 0
    for (;;) {
      const now = await store.dropEventFiles(config.id, at, KEPT_LONG_ENOUGH)
      if (now === 0) break
      dropped += now
    }
    if (dropped > 0) tell(deps, config.id, dropped, 'the files of registrations were dropped')
  }
  if (answers === null || today <= answers) return 0
  let erased = 0
  for (let left = await store.toErase(config.id, 0); left.length > 0;) {
    let last = 0
    for (const { id, regNo } of left) {
      last = id
      const registration = await store.registration(regNo)
      if (registration === null) continue
      const wanted = { regNo, act: 'erase', actor: 'owner', who: WHO, at, once: null } as const
      const done = await eraseOne(deps, registration, { ...wanted, why: KEPT_LONG_ENOUGH })
      if (done.ok) erased += 1
      // A pending payment review prevents erasure. It is reported elsewhere; the next hour tries again.
      else
        deps.log.warn({ event: config.id, code: done.error.code }, 'a registration was not erased')
    }
    left = await store.toErase(config.id, last)
  }
  if (erased > 0) tell(deps, config.id, erased, 'the persons of registrations were erased')
  return erased
}

function tell(
  { log }: Pick<KeepingDeps, 'log'>,
  event: string,
  registrations: number,
  what: string,
): void {
  log.warn({ event, registrations }, `${what}: ${KEPT_LONG_ENOUGH}`)
}
