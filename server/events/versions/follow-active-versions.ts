/**
 * Keeps a server in step with the active versions of its shared database.
 * It adopts what other servers activate, and itself activates only what is new on its own disk, because the files
 * of several machines do not change at the same moment.
 */
import { repeating } from '../../ops/clock.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import { compileActive } from './active-versions.ts'
import type { ServedNow } from './active-versions.ts'
import { openCache } from '../files/compiled-event-cache.ts'

/** How often a server checks for a new activation. */
const LOOK_MS = 1_000

type Options = {
  readonly cacheFolder: string
  readonly store: Pick<Store, 'activeEvents' | 'eventFile' | 'inUse' | 'isShared'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
  readonly cannotServe?: (event: EventConfig) => string | null
}
export type Following = {
  /**
   * Returns the compiled active versions; null: the given number is the current one, or there are no other
   * servers.
   */
  active(
    number: number,
    onDisk: readonly ServedEvent[],
    before: readonly ServedEvent[],
  ): Promise<ServedNow | null>
  /** Returns what this server wants to serve from its disk; files that were overruled stay as activated. */
  wanted(onDisk: readonly ServedEvent[], active: readonly ServedEvent[]): readonly ServedEvent[]
  /** Marks files that another server's decision overrules. */
  pass(onDisk: readonly ServedEvent[], active: readonly ServedEvent[]): void
  /** At start: marks versions that were served before, because they are not new. Logs it. */
  passKnown(onDisk: readonly ServedEvent[], active: readonly ServedEvent[]): Promise<void>
  /** Event → hash of the file on this disk that is ignored. */
  passed(): ReadonlyMap<string, string>
  /** Makes the files on this disk count again, on request. */
  forgetPassed(): void
  /** Checks repeatedly; returns a function that stops it. */
  keepUp(follow: () => Promise<boolean>): () => Promise<void>
}

export async function openFollowing(options: Options): Promise<Following> {
  const { store, log, print, production, cannotServe = () => null } = options
  const follower = { store, cache: await openCache(options.cacheFolder), production, cannotServe }
  const passed = new Map<string, string>()
  const isActive = ({ hash, config }: ServedEvent, active: readonly ServedEvent[]): boolean =>
    active.some((one) => one.config.id === config.id && one.hash === hash && one.isGone !== true)
  return {
    active: async (number, onDisk, before) => {
      const found = store.isShared ? await store.activeEvents(number) : null
      if (found === null) return null
      const now = await compileActive(follower, found, [...onDisk, ...before], before)
      for (const why of now.unable.values()) log.error({}, why)
      return now
    },
    wanted: (onDisk, active) =>
      onDisk.flatMap((event) => {
        const { id } = event.config
        if (passed.get(id) !== event.hash) return [event]
        return active.filter(({ config }) => config.id === id)
      }),
    pass: (onDisk, active) => {
      for (const event of onDisk)
        if (!isActive(event, active)) passed.set(event.config.id, event.hash)
    },
    passKnown: async (onDisk, active) => {
      for (const event of onDisk) {
        const { id } = event.config
        if (isActive(event, active) || (await store.eventFile(event.hash)) === null) continue
        passed.set(id, event.hash)
        log.warn({ event: id }, passedOver(id))
        print(passedOver(id))
      }
    },
    passed: () => passed,
    forgetPassed: () => passed.clear(),
    keepUp: (follow) => {
      let isTold = false
      return repeating(
        LOOK_MS,
        async () => {
          await follow()
          isTold = false
        },
        (error) => {
          if (!isTold) log.error({ error: String(error) }, 'what is active could not be looked up')
          isTold = true
        },
      )
    },
  }
}

export const passedOver = (id: string): string =>
  `${id}.yaml on this machine is another version than the one that all servers serve, and one that was served before. rollcall event reload serves it again, on all of them.`

/** Runs one check at a time: a call during a check waits for the next, which starts after the call. */
export function followed(look: () => Promise<boolean>): () => Promise<boolean> {
  let running: Promise<boolean> | null = null
  let next: Promise<boolean> | null = null
  const follow = (): Promise<boolean> => {
    if (running === null) {
      running = look().finally(() => {
        running = null
      })
      return running
    }
    next ??= running
      .catch(() => false)
      .then(() => {
        next = null
        return follow()
      })
    return next
  }
  return follow
}
