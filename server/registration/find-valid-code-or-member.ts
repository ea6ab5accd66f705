/** Finds a typed discount code or member number, if it is valid. */
import { dayOf, foldCode, foldText, getOwn, VALID_TO_COLUMN } from '../../engine/index.ts'
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

/** Returns the member list row for the typed value, if it is valid today. Null if there is none. */
export async function findMemberRow(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  listId: string,
  typed: string,
  at: Instant,
): Promise<Readonly<Record<string, string>> | null> {
  const key = foldText(typed)
  const row = key === '' ? null : await store.memberListRow(event.id, listId, key)
  const lastValidDay = row === null ? undefined : getOwn(row, VALID_TO_COLUMN)
  return lastValidDay !== undefined && lastValidDay !== '' && lastValidDay < dayOf(at) ? null : row
}

/** Returns the cells that conditions can use: the cells of columns with choices. */
export function pickConditionCells(
  event: EventConfig,
  listId: string,
  row: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const columns = event.memberLists.find(({ id }) => id === listId)?.columns ?? []
  return Object.fromEntries(
    columns.flatMap(({ id, type }) => {
      const cell = getOwn(row, id)
      return type === 'choice' && cell !== undefined && cell !== '' ? [[id, cell]] : []
    }),
  )
}
