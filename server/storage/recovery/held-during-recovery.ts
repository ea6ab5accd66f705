/** Defines the conditions under which work is held during a recovery. */
import { expressionBuilder } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Tables } from '../database/statements/tables.ts'

// These conditions are part of the SQL, so that they apply to every server and command.

type WithRecovery = Tables & { v: Tables['recoveries'] }
const builder = expressionBuilder<Tables>()
const selectRecoveries = () => builder.selectFrom('recoveries as v').select('v.id')

/** True if no recovery is open. */
export const noRecoveryIsOpen = builder.not(
  builder.exists(selectRecoveries().where('v.ended_at', 'is', null)),
)

/**
 * For an automatic email that is due after the time in `recoveryCondition`: true if such emails were discarded at the
 * end of a recovery `v`, because they may have been sent before the restore.
 */
export const emailsWereDiscarded = (
  recoveryCondition: (recovery: ExpressionBuilder<WithRecovery, 'v'>) => Expression<SqlBool>,
): Expression<SqlBool> =>
  builder.exists(selectRecoveries().where('v.mails', '<>', 'send').where(recoveryCondition))
