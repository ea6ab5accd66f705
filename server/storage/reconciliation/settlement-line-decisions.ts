/** Stores decisions by staff on settlement lines, and deductions that a later report changes. */
import { INR, err, formatMoney, ok } from '../../../engine/index.ts'
import type { Deductions, Instant, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { LatestLineDecision, SettlementLineDecision } from './settlement-types.ts'

const latestDecision = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('settlement_line_decisions')
    .select(['id', 'why', 'who'])
    .where('settlement_line_id', '=', id)
    .orderBy('id', 'desc')
    .limit(1),
)
type NewDecision = Pick<SettlementLineDecision, 'id' | 'why' | 'who' | 'at'>
const insertDecision = statement((builder, { id, why, who, at }: NewDecision) =>
  builder.insertInto('settlement_line_decisions').values({ settlement_line_id: id, why, who, at }),
)
const updateDeductions = statement(
  (builder, { id, fee, tax, net }: Deductions & { readonly id: number }) =>
    builder.updateTable('settlement_lines').set({ fee, tax, net }).where('id', '=', id),
)

/**
 * Marks a stored line as handled, or reopens it. If the latest decision is not the one that the user saw, or the line
 * is already in that state, writes nothing and returns the latest decision as the error.
 */
export async function handleSettlementLine(
  sql: Sql,
  decision: SettlementLineDecision,
): Promise<Result<null, LatestLineDecision | null>> {
  const { id, why, who, at, eventId, name, regNo, seen } = decision
  const latest = (await latestDecision.get(sql, { id })) ?? null
  const isHandled = latest !== null && latest.why !== null
  if ((latest?.id ?? null) !== seen) return err(latest)
  if (isHandled === (why !== null)) return err(latest)
  insertDecision.run(sql, { id, why, who, at })
  addAuditEntry(sql, {
    at,
    who,
    what:
      why === null
        ? `reopened the settlement line ${name}`
        : `marked the settlement line ${name} as handled: ${why}`,
    eventId,
    regNo,
  })
  return ok(null)
}

/** Replaces the deductions of a stored line. This reopens the line, because staff decided on it with other amounts. */
export function changeDeductions(
  sql: Sql,
  stored: Deductions & { readonly id: number; readonly name: string },
  deductions: Deductions,
  by: { readonly who: string; readonly at: Instant; readonly eventId: string },
): void {
  const { who, at, eventId } = by
  updateDeductions.run(sql, { id: stored.id, ...deductions })
  insertDecision.run(sql, { id: stored.id, why: null, who, at })
  const format = ({ fee, tax, net }: Deductions): string =>
    `fee ${formatMoney(fee, INR)}, tax ${formatMoney(tax, INR)}, net ${formatMoney(net, INR)}`
  const what = `changed the settlement line ${stored.name} from ${format(stored)} to ${format(deductions)}`
  addAuditEntry(sql, { at, who, what, eventId, regNo: null })
}
