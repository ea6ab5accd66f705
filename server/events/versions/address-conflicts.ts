/** Which versions of events can be served beside each other: no two at one address, no button to nowhere. */
import { clashesAmong, strandedAmong } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { ServedEvent } from '../../dependencies.ts'

export type Settled = {
  readonly served: readonly ServedEvent[]
  /** New versions that could not be taken, and why. */
  readonly put: readonly { readonly event: ServedEvent; readonly why: string }[]
}

/**
 * `wanted`, with the versions in `before` in the place of new ones that do not go with the rest. A
 * file may be clean in a folder whose verdict is not: while one event keeps its old version, another
 * must not take its page. What was served before is served together, so this comes to an end.
 */
export function settled(wanted: readonly ServedEvent[], before: readonly ServedEvent[]): Settled {
  const put: { event: ServedEvent; why: string }[] = []
  const old = new Map(before.map((event) => [event.config.id, event]))
  const isOld = (event: ServedEvent): boolean => old.get(event.config.id)?.hash === event.hash
  // The file that a button led to may have gone since: no version of the others brings it back.
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

/** Events that cannot be served as they stand here, with why. */
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
