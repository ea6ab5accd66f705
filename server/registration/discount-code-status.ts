/** Looks up what a typed discount code is worth. */
import { foldCode } from '../../engine/index.ts'
import type { CodeStatus, EventConfig, Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'

/** Codes that people read aloud are far shorter; a longer one does not exist. */
const CODE_CHARACTERS_MAX = 64

/** Unknown: no such code, or one whose kind the event file no longer has. */
export async function getCodeStatus(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  typed: string,
  at: Instant,
): Promise<CodeStatus> {
  const normalisedCode = typed.length > CODE_CHARACTERS_MAX ? '' : foldCode(typed)
  if (normalisedCode === '') return { is: 'unknown' }
  const status = await store.discountCode(event.id, normalisedCode, event.holdSeatsMs, at)
  // A code whose kind was removed from the event file gives nothing.
  const isKnown = status.is !== 'valid' || event.codeKinds.some(({ id }) => id === status.kind)
  return isKnown ? status : { is: 'unknown' }
}
