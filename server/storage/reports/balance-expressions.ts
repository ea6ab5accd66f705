/** Builds the balance of a registration `r` by the rule of its counters, for every statement that reads it. */
import { expressionBuilder, sql as raw } from 'kysely'
import { ENDED_STATES } from '../../../engine/index.ts'
import type { Amount } from '../../../engine/index.ts'
import type { Tables } from '../database/statements/tables.ts'

const r = expressionBuilder<{ r: Tables['registrations'] }, 'r'>()
const ZERO = raw.lit(0 as Amount)

/** Cancelled or refused. An index uses this condition, so it must not change. */
export const isEnded = r(
  'r.state',
  'in',
  ENDED_STATES.map((state) => raw.lit(state)),
)

/** The amount due today: if paid, the difference; if unpaid, the whole. */
export const amountDue = r
  .case()
  .when('r.payment_status', '=', raw.lit('success'))
  .then(r.case().when('r.due', '>', ZERO).then(r.ref('r.due')).else(ZERO).end())
  .when('r.payment_status', '=', raw.lit('refunded'))
  .then(ZERO)
  .else(r.fn.coalesce('r.total', ZERO))
  .end()

/** The same for registrations that await payment: ended or expired ones have no balance. */
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

/** The amount due of a registration that is paid in part; 0 for all others, also for a payment of no registration. */
export const openDifference = r
  .case()
  .when('r.payment_status', '=', raw.lit('success'))
  .then(amountOwed)
  .else(ZERO)
  .end()
