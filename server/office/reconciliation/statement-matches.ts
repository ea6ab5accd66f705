/** Stores the current matches of bank statements, and counts their deposits for the month-end close. */
import type { MonthResponse } from '../../../engine/api.ts'
import type { Day, PermissionHolder } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { BankStatementSummary, Store } from '../../storage/index.ts'
import { reportReturnedTransfers } from './match-statement.ts'
import { sumByState } from './statement-line-state.ts'
import { viewStatement } from './statement-view.ts'
import type { ViewedStatement } from './statement-view.ts'

/** More statements than a society uploads in years. */
const MAX_STATEMENTS_READ = 500

type StatementViewDeps = Pick<Deps, 'store' | 'events' | 'clock'>
type User = Pick<PermissionHolder, 'events'>
type Days = { readonly first: Day; readonly last: Day }

/**
 * Stores the numbers of matched and open lines, and links payments to their lines. Then sends to review
 * any payments that the bank may have returned, because a line may be assigned after its return was uploaded.
 */
export async function saveMatches(
  { store }: { readonly store: Pick<Store, 'saveStatementMatches' | 'reportReturned'> },
  user: User,
  { statement, lines, matches }: ViewedStatement,
): Promise<void> {
  const { left, sum_in: total } = sumByState(lines)
  const [matchedCount, openCount] = [total.lines - left.lines, left.lines]
  const payments = lines.flatMap((line) =>
    line.payments.flatMap(({ id, lineId }) =>
      lineId === null ? [{ lineId: line.stored.id, captureId: id }] : [],
    ),
  )
  if (matchedCount !== statement.matched || openCount !== statement.open || payments.length > 0)
    await store.saveStatementMatches(statement.id, {
      matched: matchedCount,
      open: openCount,
      payments,
    })
  await reportReturnedTransfers({ store }, user, matches, statement.currency)
}

/**
 * Counts the deposits on these dates in the statements that cover them. Statements may overlap; each deposit counts
 * once. Statements with open lines are matched again: staff may have recorded a payment since they were last viewed.
 */
export async function countStatementLines(
  deps: StatementViewDeps,
  user: User,
  eventIds: readonly string[] | null,
  { first, last }: Days,
): Promise<MonthResponse['checks']['statements']> {
  const isListed = (eventId: string): boolean => eventIds === null || eventIds.includes(eventId)
  const statements = (
    await deps.store.bankStatements(Number.MAX_SAFE_INTEGER, MAX_STATEMENTS_READ)
  ).filter(
    ({ firstDay, lastDay, events }) =>
      firstDay <= last && lastDay >= first && events.every(isListed),
  )
  const isOpenById = new Map<number, boolean>()
  for (const statement of statements)
    for (const { id, day, isOpen } of await readDeposits(deps, user, statement))
      if (day >= first && day <= last) isOpenById.set(id, isOpen || isOpenById.get(id) === true)
  const openCount = [...isOpenById.values()].filter((isOpen) => isOpen).length
  return { statements: statements.length, matched: isOpenById.size - openCount, open: openCount }
}

async function readDeposits(
  deps: StatementViewDeps,
  user: User,
  { id, open: openCount }: BankStatementSummary,
): Promise<readonly { readonly id: number; readonly day: Day; readonly isOpen: boolean }[]> {
  const statement = openCount === 0 ? null : await deps.store.bankStatement(id)
  if (statement === null)
    return (await deps.store.bankStatementLines(id)).flatMap((line) =>
      line.isWithdrawal ? [] : [{ ...line, isOpen: false }],
    )
  const view = await viewStatement(deps, user, statement)
  await saveMatches(deps, user, view)
  return view.lines.map(({ stored, state }) => ({ ...stored, isOpen: state === 'left' }))
}
