/** Defines the conditions that hold work during a recovery. */
import { expressionBuilder } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../database/statements/tables.ts'

// The database evaluates these conditions, so that every server and command applies them.

type WithRecovery = Tables & { v: Tables['recoveries'] }
const builder = expressionBuilder<Tables>()
const selectRecoveries = () => builder.selectFrom('recoveries as v').select('v.id')

/** True if no recovery is open. */
export const noRecoveryIsOpen = builder.not(
  builder.exists(selectRecoveries().where('v.ended_at', 'is', null)),
)

/**
 * For an automatic email that is due after the time in `recoveryCondition`: true if a recovery `v` has ended in which
 * such emails were discarded because they may have been sent before the restore.
 */
export const emailsWereDiscarded = (
  recoveryCondition: (recovery: ExpressionBuilder<WithRecovery, 'v'>) => Expression<SqlBool>,
): Expression<SqlBool> =>
  builder.exists(selectRecoveries().where('v.mails', '<>', 'send').where(recoveryCondition))
