/** Removes a saved bank statement, unless a payment or decision depends on it. */
import { sql as raw } from 'kysely'
import { err, ok } from '../../../engine/index.ts'
import type { Amount, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { StatementRemoval } from './bank-statement-types.ts'

const linesOfStatement = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('bank_statement_lines').select('bank_line_id').where('statement_id', '=', id),
)
/** Selects the lines with a recorded payment, or with a decision that has not been undone. */
const usedLines = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('bank_statement_lines as s')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('s.statement_id', '=', id)
    .where(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom('bank_line_payments as p')
            .select('p.capture_id')
            .whereRef('p.bank_line_id', '=', 's.bank_line_id'),
        ),
        exists(
          selectFrom('bank_line_decisions as d')
            .select('d.id')
            .whereRef('d.bank_line_id', '=', 's.bank_line_id')
            .where('d.decision', '<>', 'undone')
            .where(
              'd.id',
              '=',
              selectFrom('bank_line_decisions as n')
                .select(({ fn }) => fn.max('n.id').as('newest'))
                .whereRef('n.bank_line_id', '=', 's.bank_line_id'),
            ),
        ),
      ]),
    ),
)
const deleteLinks = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('bank_statement_lines').where('statement_id', '=', id),
)
const deleteStatement = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('bank_statements').where('id', '=', id).returning('id'),
)
/**
 * Blanks the lines of a statement, unless another statement contains them, or they have decisions, which are never
 * deleted. The blank rows are kept: SQLite would reuse their ids for new lines, so that a decision on a page opened
 * earlier could apply to a different line.
 */
const blankUnusedLines = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .updateTable('bank_lines')
    .set(({ lit }) => ({
      key: raw<string>`'removed ' || bank_lines.id`,
      narration: '',
      reference: '',
      amount: lit(0 as Amount),
    }))
    .where(({ ref }) => dialect.isIn(ref('bank_lines.id'), ids))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('bank_statement_lines as s')
            .select('s.line')
            .whereRef('s.bank_line_id', '=', 'bank_lines.id'),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('bank_line_decisions as d')
            .select('d.id')
            .whereRef('d.bank_line_id', '=', 'bank_lines.id'),
        ),
      ),
    ),
)

/**
 * Removes a statement. If a payment or a decision depends on some of its lines, the error is the number of these lines.
 * If the statement has already been removed, nothing happens.
 */
export async function removeBankStatement(
  sql: Sql,
  { id, name, events, who, at }: StatementRemoval,
): Promise<Result<null, number>> {
  const { count = 0 } = (await usedLines.get(sql, { id })) ?? {}
  if (count > 0) return err(count)
  const lines = await linesOfStatement.all(sql, { id })
  deleteLinks.run(sql, { id })
  if ((await deleteStatement.get(sql, { id })) === undefined) return ok(null)
  blankUnusedLines.run(sql, { ids: JSON.stringify(lines.map((line) => line.bank_line_id)) })
  const what = `removed a bank statement: ${name}`
  for (const eventId of events.length === 0 ? [null] : events)
    addAuditEntry(sql, { at, who, what, eventId, regNo: null })
  return ok(null)
}
