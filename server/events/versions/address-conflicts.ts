/** Decides which event versions can be served together: no shared paths, no broken buttons. */
import { clashesAmong, strandedAmong } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { ServedEvent } from '../../dependencies.ts'

export type Settled = {
  readonly served: readonly ServedEvent[]
  /** New versions that could not be accepted, and why. */
  readonly put: readonly { readonly event: ServedEvent; readonly why: string }[]
}

/**
 * Returns `wanted`, with versions of `before` in place of new ones that conflict with the rest. A file may be
 * valid in a folder whose check fails: while one event keeps its old version, another must not take its path. The
 * events of `before` were served together, so this terminates.
 */
export function settled(wanted: readonly ServedEvent[], before: readonly ServedEvent[]): Settled {
  const put: { event: ServedEvent; why: string }[] = []
  const old = new Map(before.map((event) => [event.config.id, event]))
  const isOld = (event: ServedEvent): boolean => old.get(event.config.id)?.hash === event.hash
  // The target of a button may have been removed since: no version of the other events restores it.
  const strandedBefore = new Set(
    strandedAmong(configsOf(before)).map((at) => before[at]?.config.id),
  )
  let served = wanted
  for (;;) {
    const troubles = troublesOf(served)
    const tied = [...troubles.keys()].filter(isOld)
    const fresh = [...troubles.keys()].filter((event) => !isOld(event))
    const hopeless = tied.every(({ config }) => strandedBefore.has(config.id))
    const back = new Set(
      fresh.length > 0 || hopeless ? fresh : served.filter((event) => !isOld(event)),
    )
    if (back.size === 0) return { served, put }
    for (const event of back)
      put.push({ event, why: troubles.get(event) ?? 'another event needs it as it was' })
    served = served.flatMap((event) => {
      const stands = old.get(event.config.id)
      return !back.has(event) ? [event] : stands === undefined ? [] : [stands]
    })
  }
}

function configsOf(served: readonly ServedEvent[]): readonly EventConfig[] {
  return served.map(({ config }) => config)
}

/** Returns the events that cannot be served in this combination, with the reasons. */
function troublesOf(served: readonly ServedEvent[]): ReadonlyMap<ServedEvent, string> {
  const troubles = new Map<ServedEvent, string>()
  const say = (at: number, why: string): void => {
    const event = served[at]
    if (event !== undefined && !troubles.has(event)) troubles.set(event, why)
  }
  const configs = configsOf(served)
  for (const { later, earlier, message } of clashesAmong(configs)) {
    say(later, message)
    say(earlier, message)
  }
  for (const at of strandedAmong(configs))
    say(at, 'one of its buttons leads to a page that nobody serves')
  return troubles
}
