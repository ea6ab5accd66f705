/** Confirms what a delegate told, as it was told: for rows that are ticked against the bank's page. */
import { rupees } from '../../engine/index.ts'
import { badData } from './asked.ts'
import type { Doer } from './asked.ts'
import { confirm } from './confirming.ts'
import { owed } from './telling.ts'

/** The money is what is to be paid; what came otherwise is confirmed by itself, with its own amount. */
export const confirmTold: Doer = async (asked) => {
  const { deps, registration } = asked
  const [telling] = await deps.store.tellings(registration.regNo)
  if (telling === undefined || telling.endedAs !== null)
    return badData('Nothing was told of it that is still looked for.')
  const { reference, paidOn } = telling
  const amount = rupees(owed(registration))
  const words = { way: 'transfer', reference, amount, day: paidOn ?? '' }
  return confirm({ ...asked, words })
}
