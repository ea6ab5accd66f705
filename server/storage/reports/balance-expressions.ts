/** Builds SQL expressions for the balance of a registration `r`, by the same rule as the counters. */
import { expressionBuilder, sql as raw } from 'kysely'
import { ENDED_STATES } from '../../../engine/index.ts'
import type { Amount } from '../../../engine/index.ts'
import type { Tables } from '../database/statements/tables.ts'

const r = expressionBuilder<{ r: Tables['registrations'] }, 'r'>()
const ZERO = raw.lit(0 as Amount)

/** True for a cancelled or refused registration. An index uses this condition, so do not change it. */
export const isEnded = r(
  'r.state',
  'in',
  ENDED_STATES.map((state) => raw.lit(state)),
)

/** The amount due today: the difference for a paid registration, the whole price for an unpaid one. */
export const amountDue = r
  .case()
  .when('r.payment_status', '=', raw.lit('success'))
  .then(r.case().when('r.due', '>', ZERO).then(r.ref('r.due')).else(ZERO).end())
  .when('r.payment_status', '=', raw.lit('refunded'))
  .then(ZERO)
  .else(r.fn.coalesce('r.total', ZERO))
  .end()

/** The amount due. Zero for ended and expired registrations, which have no balance. */
export const amountOwed = r
  .case()
  .when(
    'r.state',
    'in',
    (['cancelled', 'refused', 'lapsed'] as const).map((state) => raw.lit(state)),
  )
  .then(ZERO)
  .else(amountDue)
  .end()

/** The amount still due for a partly paid registration. 0 for any other, and for a payment without a registration. */
export const openDifference = r
  .case()
  .when('r.payment_status', '=', raw.lit('success'))
  .then(amountOwed)
  .else(ZERO)
  .end()
