/** Decides which event versions can be served together: no shared paths, no broken buttons. */
import { findClashes, findEventsWithDeadButtons } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { ServedEvent } from '../../dependencies.ts'

export type ConflictResult = {
  readonly served: readonly ServedEvent[]
  /** New versions that could not be accepted, with the reasons. */
  readonly rejectedEvents: readonly { readonly event: ServedEvent; readonly why: string }[]
}

/**
 * Returns `wantedEvents`, with previous versions in place of new ones that conflict with the other events. The check
 * of the folder does not find such conflicts: while an event keeps its old version, another event must not use the path
 * of that version. The events of `previousEvents` were served together, so this terminates.
 */
export function resolveConflicts(
  wantedEvents: readonly ServedEvent[],
  previousEvents: readonly ServedEvent[],
): ConflictResult {
  const rejectedEvents: { event: ServedEvent; why: string }[] = []
  const previousById = new Map(previousEvents.map((event) => [event.config.id, event]))
  const isUnchanged = (event: ServedEvent): boolean =>
    previousById.get(event.config.id)?.hash === event.hash
  // The target of a button may have been removed in the meantime, in which case no version of the other events
  // restores it.
  const idsWithBrokenButtonsBefore = new Set(
    findEventsWithDeadButtons(getConfigs(previousEvents)).map(
      (index) => previousEvents[index]?.config.id,
    ),
  )
  let served = wantedEvents
  for (;;) {
    const conflicts = findConflicts(served)
    const conflictingOld = [...conflicts.keys()].filter(isUnchanged)
    const conflictingNew = [...conflicts.keys()].filter((event) => !isUnchanged(event))
    const isUnfixable = conflictingOld.every(({ config }) =>
      idsWithBrokenButtonsBefore.has(config.id),
    )
    const revertedIds = new Set(
      conflictingNew.length > 0 || isUnfixable
        ? conflictingNew
        : served.filter((event) => !isUnchanged(event)),
    )
    if (revertedIds.size === 0) return { served, rejectedEvents }
    for (const event of revertedIds)
      rejectedEvents.push({
        event,
        why: conflicts.get(event) ?? 'another event needs its previous version',
      })
    served = served.flatMap((event) => {
      const oldVersion = previousById.get(event.config.id)
      return !revertedIds.has(event) ? [event] : oldVersion === undefined ? [] : [oldVersion]
    })
  }
}

function getConfigs(served: readonly ServedEvent[]): readonly EventConfig[] {
  return served.map(({ config }) => config)
}

/** Returns the events that cannot be served in this combination, with the reasons. */
function findConflicts(served: readonly ServedEvent[]): ReadonlyMap<ServedEvent, string> {
  const conflicts = new Map<ServedEvent, string>()
  const addConflict = (index: number, reason: string): void => {
    const event = served[index]
    if (event !== undefined && !conflicts.has(event)) conflicts.set(event, reason)
  }
  const configs = getConfigs(served)
  for (const { laterIndex, earlierIndex, message } of findClashes(configs)) {
    addConflict(laterIndex, message)
    addConflict(earlierIndex, message)
  }
  for (const index of findEventsWithDeadButtons(configs))
    addConflict(index, 'one of its buttons leads to a page that is not served')
  return conflicts
}
