/**
 * Defines the tables as a list of migrations: step n migrates a database from `user_version` n to n + 1.
 * A released step is never edited. Instants are stored as milliseconds since 1970, dates as calendar dates in India,
 * and amounts as whole paise.
 */
import type Database from 'better-sqlite3'
import { amountsDue } from '../migrations/amounts-due.ts'
import { createAppendOnlyTrigger } from '../migrations/append-only-trigger.ts'
import { initialSchema } from '../migrations/initial-schema.ts'
import { draftUploads, droppedUploads } from '../migrations/dropped-and-draft-uploads.ts'
import { paymentAttempts } from '../migrations/payment-attempts.ts'
import { billLines } from '../migrations/bill-lines.ts'
import { corrections } from '../migrations/corrections.ts'
import { seatTables } from '../migrations/seats.ts'
import { reviewDecisions } from '../migrations/review-decisions.ts'
import { pricingContextTables } from '../migrations/unique-answers-codes-member-lists.ts'
import { actionTables } from '../migrations/actions.ts'
import { approval } from '../migrations/approval.ts'
import { documentLines } from '../migrations/document-lines.ts'
import { documents } from '../migrations/documents.ts'
import { earlierRegistrations } from '../migrations/earlier-registrations.ts'
import { erasure } from '../migrations/erasure.ts'
import { searchFields } from '../migrations/search-fields.ts'
import { importedNumbers } from '../migrations/imported-numbers.ts'
import { endedRegistrationCounts } from '../migrations/ended-registrations.ts'
import { failureTracking } from '../migrations/failure-tracking.ts'
import { batchCounters } from '../migrations/batch-counters.ts'
import { paymentClaims, paymentClaimsByEvent } from '../migrations/payment-claims.ts'
import { staffTables } from '../migrations/staff.ts'
import { listTotals } from '../migrations/list-and-dashboard-totals.ts'
import { savedViews } from '../migrations/saved-views.ts'
import { emailLimits } from '../migrations/email-limits.ts'
import { bankLinePayments } from '../migrations/bank-line-payments.ts'
import { handledSettlementLines } from '../migrations/handled-settlement-lines.ts'
import { changedSettlementLines } from '../migrations/changed-settlement-lines.ts'
import { bankStatements } from '../migrations/bank-statements.ts'
import { disputes } from '../migrations/disputes.ts'
import { monthClosings } from '../migrations/month-closings.ts'
import { gatewayCheckouts } from '../migrations/gateway-checkouts.ts'
import { exchangeRates } from '../migrations/exchange-rates.ts'
import { revenueByCurrency } from '../migrations/revenue-by-currency.ts'
import { seatQuantities } from '../migrations/seat-quantities.ts'
import { receivedPaymentTexts } from '../migrations/received-payments-texts.ts'
import { refundedAmounts } from '../migrations/refunded-amounts.ts'
import { activeEvents } from '../migrations/active-event-versions.ts'
import {
  assignOlderReferences,
  assignOlderImportReferences,
  normaliseOlderClaims,
} from '../reconciliation/older-references.ts'
import { addOlderChequeNumbers } from '../reconciliation/unmatched-lines.ts'
import { updateOldBalances } from '../payments/stored-balance.ts'
import { restoreOlderCancellations } from '../payments/balance-adjustments.ts'
import { reportProgress } from '../../ops/progress.ts'
import { runInTransaction, toSql, type Sql } from './sqlite-connection.ts'
import { bankReferences, releasedReferences } from '../migrations/bank-references.ts'
import { recoveryTables } from '../migrations/recovery.ts'
import { dueNotices, registeredPersons, secondPayments } from '../migrations/duplicate-payments.ts'
import { settlements } from '../migrations/settlements.ts'
import { recordOlderPayers } from '../payments/find-duplicate-payments.ts'

/** Audit rows are indexed by registration id, because ids increase and a batch then writes one index page. */
const auditByRegistration = `
ALTER TABLE audit_log ADD COLUMN registration_id INTEGER;
DROP TRIGGER audit_log_never_edited;
UPDATE audit_log SET registration_id = (SELECT id FROM registrations WHERE registrations.reg_no = audit_log.reg_no) WHERE reg_no IS NOT NULL;
CREATE TRIGGER audit_log_never_edited BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;
DROP INDEX audit_log_of;
CREATE INDEX audit_log_of ON audit_log (registration_id) WHERE registration_id IS NOT NULL;
`

/** How long a closed payment of an older version is polled: the same as `WATCH_MS` in the engine. */
const WATCH_PERIOD_MS = '864000000'

/**
 * Stores separate rows for attempts (amounts requested), captures (amounts received), refunds, and decisions (who
 * decided, and why). Successes and reviews of older versions become captures.
 */
const paymentTables = `
-- The account whose credentials requested the payment, and its id at the gateway. Null: unknown (attempts of older versions).
ALTER TABLE payments ADD COLUMN account TEXT;
ALTER TABLE payments ADD COLUMN merchant_id TEXT;
-- Until then, the gateway is still queried about an ended payment.
ALTER TABLE payments ADD COLUMN watch_until INTEGER;
ALTER TABLE payments ADD COLUMN hold_until INTEGER;
ALTER TABLE payments ADD COLUMN handed_off_at INTEGER;
CREATE INDEX payments_watched ON payments (next_ask_at) WHERE watch_until IS NOT NULL;

CREATE TABLE captures (
  id INTEGER PRIMARY KEY,
  -- Null: a payment that has not been matched yet.
  payment_id INTEGER REFERENCES payments (id),
  registration_id INTEGER REFERENCES registrations (id),
  source TEXT NOT NULL,
  -- '': unknown.
  account TEXT NOT NULL,
  reference TEXT NOT NULL,
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  kind TEXT NOT NULL,
  paid_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('fits', 'review', 'accepted', 'refused', 'unmatched')),
  -- Why a staff decision is, or was, needed.
  why TEXT,
  UNIQUE (source, account, reference),
  CHECK (state <> 'review' OR why IS NOT NULL)
) STRICT;
CREATE INDEX captures_of ON captures (registration_id);
CREATE INDEX captures_of_payment ON captures (payment_id);
CREATE INDEX captures_in_review ON captures (seen_at) WHERE state = 'review';
CREATE TRIGGER captures_named_once BEFORE UPDATE OF source, account, reference, payment_id ON captures
BEGIN SELECT RAISE(ABORT, 'what a capture is named by is frozen'); END;
CREATE TRIGGER captures_amount_frozen BEFORE UPDATE OF amount, currency, kind ON captures WHEN OLD.state <> 'review'
BEGIN SELECT RAISE(ABORT, 'the amount of a capture that was judged is frozen'); END;
CREATE TRIGGER captures_stay BEFORE DELETE ON captures
BEGIN SELECT RAISE(ABORT, 'money that came is never deleted'); END;

CREATE TABLE refunds (
  id INTEGER PRIMARY KEY,
  capture_id INTEGER NOT NULL REFERENCES captures (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  state TEXT NOT NULL CHECK (state IN ('wanted', 'asked', 'done', 'refused', 'unsure')),
  reference TEXT,
  why TEXT NOT NULL,
  who TEXT NOT NULL,
  at INTEGER NOT NULL,
  asked_at INTEGER,
  said TEXT
) STRICT;
CREATE INDEX refunds_of ON refunds (capture_id);
CREATE INDEX refunds_open ON refunds (state) WHERE state IN ('wanted', 'asked', 'unsure');
CREATE TRIGGER refunds_within BEFORE INSERT ON refunds
WHEN NEW.amount + (SELECT coalesce(sum(amount), 0) FROM refunds WHERE capture_id = NEW.capture_id AND state <> 'refused')
  > (SELECT amount FROM captures WHERE id = NEW.capture_id)
BEGIN SELECT RAISE(ABORT, 'never more goes back than came'); END;
CREATE TRIGGER refunds_frozen BEFORE UPDATE OF capture_id, amount, why, who, at ON refunds
BEGIN SELECT RAISE(ABORT, 'what a refund is for is frozen'); END;
CREATE TRIGGER refunds_one_way BEFORE UPDATE OF state ON refunds WHEN OLD.state IN ('done', 'refused') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a refund that has ended stays so'); END;
CREATE TRIGGER refunds_stay BEFORE DELETE ON refunds
BEGIN SELECT RAISE(ABORT, 'a refund is never deleted'); END;

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER REFERENCES registrations (id),
  capture_id INTEGER REFERENCES captures (id),
  what TEXT NOT NULL,
  why TEXT NOT NULL,
  who TEXT NOT NULL,
  second_person TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_of ON decisions (registration_id);
CREATE INDEX decisions_of_capture ON decisions (capture_id);
${createAppendOnlyTrigger('decisions')}

-- If imported rows share a reference or have none, the order id distinguishes them.
INSERT OR IGNORE INTO captures (payment_id, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
  SELECT id, registration_id, CASE WHEN gateway IS NULL THEN 'import' WHEN gateway = '' THEN 'gateway' ELSE gateway END,
    '', coalesce(reference, order_id), amount, 'INR', 'sale', coalesce(paid_at, status_at), status_at, 'fits'
  FROM payments WHERE status IN ('success', 'refunded') ORDER BY id;
INSERT OR IGNORE INTO captures (payment_id, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
  SELECT id, registration_id, 'import', '', reference || ' ' || order_id, amount, 'INR', 'sale', coalesce(paid_at, status_at), status_at, 'fits'
  FROM payments p WHERE gateway IS NULL AND status IN ('success', 'refunded')
    AND NOT EXISTS (SELECT 1 FROM captures c WHERE c.payment_id = p.id);
-- The gateway's newest response about a reference counts.
INSERT OR IGNORE INTO captures (payment_id, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why)
  SELECT p.id, p.registration_id, CASE WHEN gateway = '' THEN 'gateway' ELSE coalesce(gateway, 'import') END, '', f.body ->> '$.reference', f.body ->> '$.amount',
    f.body ->> '$.currency', f.body ->> '$.kind', f.at, f.at, 'review', p.review
  FROM payment_facts f JOIN payments p ON p.id = f.payment_id
  WHERE f.type = 'confirmed' AND f.refusal IS NOT NULL AND p.review IS NOT NULL ORDER BY f.id DESC;
-- Refunds that are already known.
INSERT INTO refunds (capture_id, amount, state, reference, why, who, at)
  SELECT c.id, p.amount, 'done', p.refund_reference, 'Stored before refunds were rows.', 'migration', p.status_at
  FROM payments p JOIN captures c ON c.payment_id = p.id AND c.state = 'fits' WHERE p.status = 'refunded' AND p.amount > 0;
-- Recently ended payments are queried again, spread over a day, so that the gateway is not overloaded.
UPDATE payments SET watch_until = status_at + ${WATCH_PERIOD_MS}, next_ask_at = unixepoch() * 1000 + abs(random() % 86400000)
  WHERE gateway IS NOT NULL AND (status IN ('success', 'failed') OR review IS NOT NULL) AND status_at > unixepoch() * 1000 - ${WATCH_PERIOD_MS};
`

/** Earlier versions stored no bank references for imported payments. `fillNewTables` adds them. */
const importReferences = '-- Adds bank references of imported payments.'

/** A reported reference stays reserved even if its registration ends. `fillNewTables` normalises older references. */
const claimReferenceIndex = 'CREATE INDEX tellings_by_key ON tellings (folded);'

/** Adds amounts refunded before a payment was counted, and the price at the time a difference was requested. */
const balances = `
-- Null if the whole amount counts, or none of it.
ALTER TABLE captures ADD COLUMN counted INTEGER;
-- Null if the payment's own amount is the price of the registration.
ALTER TABLE payments ADD COLUMN bill_total INTEGER;
UPDATE payments SET bill_total = (SELECT total FROM registrations WHERE registrations.id = payments.registration_id) WHERE asks_for = 'difference';
`

/** Earlier versions stored no cheque numbers in statement lines. `fillNewTables` adds them. */
const chequeNumbers = '-- Adds cheque numbers of stored lines.'

/**
 * After a cancellation, earlier versions deducted a refund in progress twice from the refundable amount.
 * `fillNewTables` corrects this.
 */
const cancellationAmounts = '-- Corrects the amounts to refund after cancellations.'

/** Adds the latest time recorded before the clock was set back, and the first time recorded afterwards. */
const clockSetBack = `
ALTER TABLE clock_seen ADD COLUMN latest_at INTEGER;
ALTER TABLE clock_seen ADD COLUMN set_back_at INTEGER;
`

export const migrations: readonly string[] = [
  initialSchema,
  auditByRegistration,
  paymentTables,
  importedNumbers,
  paymentAttempts,
  reviewDecisions,
  droppedUploads,
  billLines,
  pricingContextTables,
  seatTables,
  draftUploads,
  actionTables,
  staffTables,
  documents,
  searchFields,
  approval,
  listTotals,
  batchCounters,
  savedViews,
  paymentClaims,
  erasure,
  corrections,
  settlements,
  activeEvents,
  // PostgreSQL has more tables, shared by several servers (server/storage/postgres/schema/migrations.ts).
  '',
  // Adds the time until which one server may query the gateway. If that server stops responding, another server may
  // query from then on.
  'ALTER TABLE payments ADD COLUMN asking_until INTEGER;',
  '',
  // Adds the display name, from the served event file. Null for event versions that are older than this step.
  'ALTER TABLE places ADD COLUMN name TEXT;',
  endedRegistrationCounts,
  // Every minute, the server looks for completed refunds for which no email was queued.
  "CREATE INDEX refunds_done ON refunds (done_at) WHERE state = 'done';",
  documentLines,
  bankReferences,
  emailLimits,
  refundedAmounts,
  // This index finds the latest date that an account's stored settlements cover.
  'CREATE INDEX settlement_lines_by_day ON settlement_lines (source, account, day);',
  secondPayments,
  amountsDue,
  importReferences,
  recoveryTables,
  failureTracking,
  claimReferenceIndex,
  balances,
  paymentClaimsByEvent,
  chequeNumbers,
  cancellationAmounts,
  clockSetBack,
  // The bill of the registration when an invoice or credit note was issued. NULL for documents issued before this step.
  'ALTER TABLE documents ADD COLUMN bill INTEGER;',
  // PostgreSQL locks rows, where SQLite runs one write after another (server/storage/postgres/schema/migrations.ts).
  '',
  // PostgreSQL stores a key for each operation (server/storage/postgres/commit-keys.ts).
  '',
  // The rate limit tables of PostgreSQL become logged tables (server/storage/postgres/schema/migrations.ts).
  '',
  // ISO 4217 code of the registration's amounts. Earlier registrations are in rupees.
  "ALTER TABLE registrations ADD COLUMN currency TEXT NOT NULL DEFAULT 'INR';",
  earlierRegistrations,
  receivedPaymentTexts,
  gatewayCheckouts,
  revenueByCurrency,
  seatQuantities,
  exchangeRates,
  disputes,
  bankStatements,
  monthClosings,
  bankLinePayments,
  handledSettlementLines,
  changedSettlementLines,
  registeredPersons,
  dueNotices,
  releasedReferences,
]

/** Fills the tables that a later version added, using data that an older version recorded. */
async function fillNewTables(version: number, sql: Sql): Promise<void> {
  if (version <= migrations.indexOf(bankReferences)) await assignOlderReferences(sql)
  if (version <= migrations.indexOf(registeredPersons)) await recordOlderPayers(sql)
  if (version <= migrations.indexOf(importReferences)) await assignOlderImportReferences(sql)
  if (version <= migrations.indexOf(claimReferenceIndex)) await normaliseOlderClaims(sql)
  if (version <= migrations.indexOf(balances)) await updateOldBalances(sql)
  if (version <= migrations.indexOf(chequeNumbers)) await addOlderChequeNumbers(sql)
  if (version <= migrations.indexOf(cancellationAmounts)) await restoreOlderCancellations(sql)
}

/** Creates the error for a file from a newer version, whose tables are unknown. */
export function createNewerVersionError(databaseVersion: number): Error {
  return new Error(
    `The database is from a newer version of Rollcall (${databaseVersion}; this one supports ${migrations.length}). Start that version.`,
  )
}

/** Creates the tables in an empty file without filling them. */
export function createTables(db: Database.Database): void {
  for (const step of migrations) db.exec(step)
  db.pragma(`user_version = ${migrations.length}`)
}

/**
 * The stored version is the number of completed steps. During a migration, the initial version times this factor is
 * added to it, so that a killed migration can continue and no server starts in the meantime. The factor exceeds the
 * number of steps.
 */
const MIGRATION_FACTOR = 1_000

type SchemaVersion = {
  readonly steps: number
  /** The initial version of an unfinished migration. Null if no migration is in progress. */
  readonly from: number | null
}

export function parseVersion(stored: number): SchemaVersion {
  return stored < MIGRATION_FACTOR
    ? { steps: stored, from: null }
    : { steps: stored % MIGRATION_FACTOR, from: Math.floor(stored / MIGRATION_FACTOR) }
}

/** Returns the value to store after this number of completed steps of a migration that began at `initialVersion`. */
const encodeVersionDuringMigration = (initialVersion: number, steps: number): number =>
  initialVersion * MIGRATION_FACTOR + steps

/** Returns the version to report: during a migration, the initial one, unless this release lacks some of its steps. */
export function getReportedVersion(stored: number, latestVersion: number): number {
  const { steps, from } = parseVersion(stored)
  return from === null || steps > latestVersion ? steps : from
}

/** The steps of a migration for one of the two databases. */
export type MigrationTarget = {
  readonly sql: Sql
  /** Runs the statements of this step. */
  runStep(step: number): void
  setVersion(stored: number): void
}

/**
 * Runs the next part of a migration: first each step, then a part that fills all new tables. The caller opens a
 * transaction that also locks the version. Returns true if more parts may remain. Refuses a newer database.
 */
export async function runNextMigrationPart(
  stored: number,
  { sql, runStep, setVersion }: MigrationTarget,
): Promise<boolean> {
  const latestVersion = migrations.length
  const { steps, from } = parseVersion(stored)
  if (steps > latestVersion) throw createNewerVersionError(steps)
  if (stored === latestVersion) return false
  // The last part fills the new tables.
  const initialVersion = from ?? steps
  reportProgress({
    step: 'Running migration steps',
    done: steps - initialVersion,
    total: latestVersion - initialVersion + 1,
  })
  if (steps < latestVersion) {
    runStep(steps)
    setVersion(encodeVersionDuringMigration(from ?? steps, steps + 1))
    return true
  }
  await fillNewTables(from ?? steps, sql)
  setVersion(latestVersion)
  return false
}

/** Migrates the file to this version, each step in a separate transaction. Refuses a file from a newer version. */
export async function migrate(db: Database.Database): Promise<void> {
  const migrationTarget: MigrationTarget = {
    sql: toSql(db),
    runStep: (step) => void db.exec(migrations[step] ?? ''),
    setVersion: (stored) => void db.pragma(`user_version = ${stored}`),
  }
  // Reads the version in an immediate transaction, so that two starting processes do not run the same step twice.
  for (let hasMore = true; hasMore;)
    hasMore = await runInTransaction(db, async () => {
      const stored = Number(db.pragma('user_version', { simple: true }))
      if (stored > 0) return runNextMigrationPart(stored, migrationTarget)
      createTables(db)
      return false
    })
}
