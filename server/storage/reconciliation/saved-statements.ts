/** Stores bank statements, with each line once, and decisions by staff on the lines. */
import { createHash } from 'node:crypto'
import { INR, assert, err, ok } from '../../../engine/index.ts'
import type { Currency, Day, Instant, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { LOST_PERMISSION_MESSAGE } from '../staff/lost-permission-error.ts'
import { hasLostPermission } from '../staff/sessions.ts'
import { linkPaymentToLine } from './bank-line-parts.ts'
import type {
  StatementDeposit,
  BankStatementSummary,
  LineDecisionKind,
  NewBankStatement,
  NewLineDecision,
  StatementMatches,
  StatementRow,
  StoredBankLine,
  StoredBankStatement,
  StoredLineDecision,
} from './bank-statement-types.ts'

type NewStatementRow = {
  sha256: string
  currency: Currency
  events: string
  bank: string
  firstDay: Day
  lastDay: Day
  file: string
  open: number
  who: string
  at: Instant
}
const insertStatement = statement((builder, row: NewStatementRow) =>
  builder
    .insertInto('bank_statements')
    .values(({ lit }) => ({
      sha256: row.sha256,
      currency: row.currency,
      events: row.events,
      bank: row.bank,
      first_day: row.firstDay,
      last_day: row.lastDay,
      file: row.file,
      matched: lit(0),
      open: row.open,
      who: row.who,
      at: row.at,
    }))
    .onConflict((conflict) => conflict.columns(['sha256', 'currency', 'events']).doNothing())
    .returning('id'),
)
type LineRow = Omit<StatementRow, 'line' | 'isWithdrawal'> & { key: string; withdrawn: 0 | 1 }
const insertLine = statement((builder, row: LineRow) =>
  builder
    .insertInto('bank_lines')
    .values({
      key: row.key,
      day: row.day,
      narration: row.narration,
      reference: row.reference,
      amount: row.amount,
      withdrawn: row.withdrawn,
    })
    .onConflict((conflict) => conflict.column('key').doNothing()),
)
const linkLine = statement((builder, row: { statementId: number; line: number; key: string }) =>
  builder.insertInto('bank_statement_lines').values(({ selectFrom }) => ({
    statement_id: row.statementId,
    line: row.line,
    bank_line_id: selectFrom('bank_lines')
      .select('id')
      .where('key', '=', row.key)
      .$asScalar()
      .$notNull(),
  })),
)
const SUMMARY_COLUMNS = [
  'id',
  'currency',
  'events',
  'bank',
  'first_day',
  'last_day',
  'matched',
  'open',
  'who',
  'at',
] as const
const statementsWithHash = statement(
  (builder, { sha256, currency }: { sha256: string; currency: Currency }) =>
    builder
      .selectFrom('bank_statements')
      .select(SUMMARY_COLUMNS)
      .where('sha256', '=', sha256)
      .where('currency', '=', currency)
      .orderBy('id'),
)
const statementsBefore = statement(
  (builder, { before, limit }: { before: number; limit: number }, dialect) =>
    builder
      .selectFrom('bank_statements')
      .select(SUMMARY_COLUMNS)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
)
const statementWithId = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('bank_statements')
    .select([...SUMMARY_COLUMNS, 'file'])
    .where('id', '=', id),
)
const linesOfStatement = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('bank_statement_lines as s')
    .innerJoin('bank_lines as l', 'l.id', 's.bank_line_id')
    .select(['s.line', 'l.id', 'l.day', 'l.narration', 'l.reference', 'l.amount', 'l.withdrawn'])
    .where('s.statement_id', '=', id)
    .orderBy('s.line'),
)
const decisionsOfStatement = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('bank_statement_lines as s')
    .innerJoin('bank_line_decisions as d', 'd.bank_line_id', 's.bank_line_id')
    .select(['d.id', 'd.bank_line_id', 'd.decision', 'd.parts', 'd.who', 'd.at'])
    .where('s.statement_id', '=', id)
    .orderBy('d.id'),
)
const newestOfStatement = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('bank_statement_lines as s')
    .innerJoin('bank_line_decisions as d', 'd.bank_line_id', 's.bank_line_id')
    .select(({ fn }) => fn.max('d.id').as('newest'))
    .where('s.statement_id', '=', id),
)
const newestOfLine = statement((builder, { lineId }: { lineId: number }) =>
  builder
    .selectFrom('bank_line_decisions')
    .select(['id', 'decision', 'who', 'at'])
    .where('bank_line_id', '=', lineId)
    .orderBy('id', 'desc')
    .limit(1),
)
const statementsOfLine = statement((builder, { lineId }: { lineId: number }) =>
  builder
    .selectFrom('bank_statement_lines')
    .select('statement_id')
    .where('bank_line_id', '=', lineId)
    .limit(1),
)
type DecisionRow = {
  lineId: number
  decision: LineDecisionKind
  parts: string
  who: string
  at: Instant
}
const insertDecision = statement((builder, row: DecisionRow) =>
  builder
    .insertInto('bank_line_decisions')
    .values({
      bank_line_id: row.lineId,
      decision: row.decision,
      parts: row.parts,
      who: row.who,
      at: row.at,
    })
    .returning('id'),
)
const updateCounts = statement(
  (builder, { id, matched, open }: { id: number; matched: number; open: number }) =>
    builder.updateTable('bank_statements').set({ matched, open }).where('id', '=', id),
)
const depositsOfDays = statement((builder, { first, last }: { first: Day; last: Day }) =>
  builder
    .selectFrom('bank_lines as l')
    .innerJoin('bank_statement_lines as s', 's.bank_line_id', 'l.id')
    .innerJoin('bank_statements as b', 'b.id', 's.statement_id')
    .select(({ eb, exists, fn, lit, or, selectFrom }) => [
      'l.id',
      'l.day',
      'l.narration',
      'l.reference',
      'l.amount',
      'b.events',
      eb
        .case()
        .when(
          or([
            exists(
              selectFrom('bank_line_payments as p')
                .select('p.capture_id')
                .whereRef('p.bank_line_id', '=', 'l.id'),
            ),
            exists(
              selectFrom('bank_line_decisions as d')
                .select('d.id')
                .whereRef('d.bank_line_id', '=', 'l.id'),
            ),
          ]),
        )
        .then(lit(1))
        .else(lit(0))
        .end()
        .as('isResolved'),
      fn.min('s.line').as('line'),
      fn.min('b.id').as('statementId'),
    ])
    .where('l.day', '>=', first)
    .where('l.day', '<=', last)
    .where('l.withdrawn', '=', 0)
    .where('b.currency', '=', INR)
    .groupBy(['l.id', 'l.day', 'l.narration', 'l.reference', 'l.amount', 'b.events'])
    .orderBy('l.id'),
)

const computeHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Stores a statement. A line that several statements contain is stored once. */
export async function saveBankStatement(
  sql: Sql,
  { events, details, unread, repeated, rows, ...row }: NewBankStatement,
): Promise<number> {
  const eventsJson = JSON.stringify(events.toSorted())
  const file = JSON.stringify({ details, unread, repeated })
  // All lines count as open until a user opens the statement, so that its month does not count as matched before that.
  const open = rows.filter(({ isWithdrawal }) => !isWithdrawal).length
  const insertedRow = await insertStatement.get(sql, { ...row, events: eventsJson, file, open })
  if (insertedRow === undefined) {
    const storedStatements = await statementsWithHash.all(sql, row)
    const first = storedStatements.find((known) => known.events === eventsJson)
    assert(first !== undefined, 'a repeated statement was not found')
    return first.id
  }
  for (const { line, day, narration, reference, amount, isWithdrawal } of rows) {
    const key = computeHash([row.currency, day, narration, reference, amount, isWithdrawal])
    const withdrawn = isWithdrawal ? 1 : 0
    insertLine.run(sql, { key, day, narration, reference, amount, withdrawn })
    linkLine.run(sql, { statementId: insertedRow.id, line, key })
  }
  return insertedRow.id
}

type SummaryRow = Awaited<ReturnType<typeof statementsWithHash.all>>[number]
const toSummary = (row: SummaryRow): BankStatementSummary => ({
  id: row.id,
  currency: row.currency,
  events: JSON.parse(row.events) as string[],
  bank: row.bank,
  firstDay: row.first_day,
  lastDay: row.last_day,
  matched: row.matched,
  open: row.open,
  who: row.who,
  at: row.at,
})

export const findStatementsWithHash = async (
  sql: Sql,
  sha256: string,
  currency: Currency,
): Promise<readonly BankStatementSummary[]> =>
  (await statementsWithHash.all(sql, { sha256, currency })).map(toSummary)

export const listBankStatements = async (
  sql: Sql,
  before: number,
  limit: number,
): Promise<readonly BankStatementSummary[]> =>
  (await statementsBefore.all(sql, { before, limit })).map(toSummary)

export async function readBankStatement(sql: Sql, id: number): Promise<StoredBankStatement | null> {
  const row = await statementWithId.get(sql, { id })
  if (row === undefined) return null
  const file = JSON.parse(row.file) as Pick<StoredBankStatement, 'details' | 'unread' | 'repeated'>
  return { ...toSummary(row), ...file }
}

export async function readBankStatementLines(
  sql: Sql,
  statementId: number,
): Promise<readonly StoredBankLine[]> {
  const decisions = Map.groupBy(
    await decisionsOfStatement.all(sql, { id: statementId }),
    (decision) => decision.bank_line_id,
  )
  return (await linesOfStatement.all(sql, { id: statementId })).map(({ withdrawn, ...line }) => {
    const lineDecisions = decisions.get(line.id) ?? []
    const newest = lineDecisions.at(-1)
    return {
      ...line,
      isWithdrawal: withdrawn === 1,
      decision: newest === undefined ? null : toDecision(newest),
      // Later decisions do not change a recorded part.
      parts: [...new Set(lineDecisions.flatMap(({ parts }) => JSON.parse(parts) as string[]))],
    }
  })
}

const toDecision = ({ id, decision, who, at }: StoredLineDecision): StoredLineDecision => ({
  id,
  decision,
  who,
  at,
})

export const findNewestDecision = async (sql: Sql, statementId: number): Promise<number> =>
  (await newestOfStatement.get(sql, { id: statementId }))?.newest ?? 0

/**
 * Stores a decision. If the line has a newer decision than the one that the user saw, returns it as the error. If the
 * statement was removed, the error is null. If the user has lost their permission, the error is a message.
 */
export async function decideBankLine(
  sql: Sql,
  decision: NewLineDecision,
): Promise<Result<number, StoredLineDecision | string | null>> {
  const checkResult = await checkDecision(sql, decision)
  return checkResult.ok ? ok(await storeDecision(sql, decision)) : checkResult
}

/** Checks whether a decision may be stored. The errors are those of `decideBankLine`. */
export async function checkDecision(
  sql: Sql,
  { seen, sender = null, ...decision }: NewLineDecision,
): Promise<Result<null, StoredLineDecision | string | null>> {
  if (sender !== null && (await hasLostPermission(sql, sender))) return err(LOST_PERMISSION_MESSAGE)
  if ((await statementsOfLine.get(sql, decision)) === undefined) return err(null)
  const newest = await newestOfLine.get(sql, decision)
  if (newest !== undefined && newest.id !== seen) return err(newest)
  return ok(null)
}

/** Stores a checked decision, and returns its id. */
export async function storeDecision(
  sql: Sql,
  { lineId, decision, parts, who, at }: NewLineDecision,
): Promise<number> {
  const row = await insertDecision.get(sql, {
    lineId,
    decision,
    parts: JSON.stringify(parts),
    who,
    at,
  })
  assert(row !== undefined, 'an inserted decision has no id')
  return row.id
}

export function saveStatementMatches(
  sql: Sql,
  id: number,
  { matched, open, payments }: StatementMatches,
): void {
  updateCounts.run(sql, { id, matched, open })
  for (const payment of payments) linkPaymentToLine(sql, payment)
}

export const listStatementDeposits = async (
  sql: Sql,
  first: Day,
  last: Day,
): Promise<readonly StatementDeposit[]> =>
  (await depositsOfDays.all(sql, { first, last })).map(({ events, ...deposit }) => ({
    ...deposit,
    events: JSON.parse(events) as string[],
  }))
