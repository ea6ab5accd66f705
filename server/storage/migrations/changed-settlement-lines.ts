/**
 * Allows a later report to change the deductions of a stored settlement line.
 * The previous deductions stay in the audit log.
 */
const FIXED_COLUMNS =
  'id, settlement_id, source, account, key, line, kind, order_id, reference, amount, day, utr, paid_on, nth, utr_key'

export const changedSettlementLines = `
DROP TRIGGER settlement_lines_never_edited;
CREATE TRIGGER settlement_lines_never_edited BEFORE UPDATE OF ${FIXED_COLUMNS} ON settlement_lines
BEGIN SELECT RAISE(ABORT, 'settlement_lines: only deductions change'); END;
`

export const changedSettlementLinesOnPostgres: readonly string[] = [
  'DROP TRIGGER settlement_lines_never_edited ON settlement_lines',
  `CREATE TRIGGER settlement_lines_never_edited BEFORE UPDATE OF ${FIXED_COLUMNS} ON settlement_lines
    FOR EACH ROW EXECUTE FUNCTION settlement_lines_never_edited()`,
]
