/** Looks up the effect of a typed discount code. */
import { foldCode } from '../../engine/index.ts'
import type { CodeStatus, EventConfig, Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'

/** Longer than any code: codes are short enough to be read aloud. */
const MAX_CODE_CHARACTERS = 64

/**
 * Returns the status of a typed code; `unknown` if the code does not exist or the event file no longer defines its
 * kind.
 */
export async function getCodeStatus(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  typed: string,
  at: Instant,
): Promise<CodeStatus> {
  const normalisedCode = typed.length > MAX_CODE_CHARACTERS ? '' : foldCode(typed)
  if (normalisedCode === '') return { is: 'unknown' }
  const status = await store.discountCode(event.id, normalisedCode, event.holdSeatsMs, at)
  // A code whose kind was removed from the event file has no effect.
  const isKnown = status.is !== 'valid' || event.codeKinds.some(({ id }) => id === status.kind)
  return isKnown ? status : { is: 'unknown' }
}
