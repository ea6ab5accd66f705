/** Finds the delegate's open cancellation request in the history of a registration. */
import type { Instant } from '../../../engine/index.ts'
import type { StoredAction } from '../../storage/index.ts'

/** Staff actions that count as a response to the request. */
const OFFICE_RESPONSES: ReadonlySet<StoredAction['act']> = new Set([
  'note',
  'cancel',
  'refund',
  'transfer',
])

/** Returns true if the action is a note that its author later removed. */
const isUndone = (
  { act, who, why }: StoredAction,
  laterActions: readonly StoredAction[],
): boolean =>
  act === 'note' &&
  laterActions.some(
    (action) => action.act === 'undo_note' && action.who === who && action.why === why,
  )

/**
 * Returns the time at which the delegate requested cancellation; null if they did not, or if staff have responded.
 */
export function findCancellationRequest(actions: readonly StoredAction[]): Instant | null {
  const latest = actions.findLast(
    (action, index) =>
      action.act === 'ask_cancel' ||
      (OFFICE_RESPONSES.has(action.act) && !isUndone(action, actions.slice(index + 1))),
  )
  return latest?.act === 'ask_cancel' ? latest.at : null
}
