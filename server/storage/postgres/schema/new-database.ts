/** Lists the statements that set up an empty PostgreSQL database. Each new migration step also changes this list. */
import { LOCK_SLOTS } from '../../database/row-locks.ts'
import { bankLinePaymentsOnPostgres } from '../../migrations/bank-line-payments.ts'
import { handledSettlementLinesOnPostgres } from '../../migrations/handled-settlement-lines.ts'
import { changedSettlementLinesOnPostgres } from '../../migrations/changed-settlement-lines.ts'
import { releasedReferencesOnPostgres } from '../../migrations/bank-references.ts'
import {
  dueNoticesOnPostgres,
  registeredPersonsOnPostgres,
} from '../../migrations/duplicate-payments.ts'
import { functions } from './functions.ts'
import { indexes } from './indexes.ts'
import { moneyTables } from './money-tables.ts'
import { monthClosings } from './month-closings.ts'
import { tables } from './tables.ts'
import { triggers } from './triggers.ts'

export const newDatabaseStatements: readonly string[] = [
  'CREATE EXTENSION IF NOT EXISTS citext',
  'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  ...functions,
  ...tables,
  ...moneyTables,
  // Photos and PDF files are already compressed.
  'ALTER TABLE proof_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL',
  ...indexes,
  ...triggers,
  ...monthClosings,
  ...bankLinePaymentsOnPostgres,
  ...handledSettlementLinesOnPostgres,
  ...changedSettlementLinesOnPostgres,
  ...registeredPersonsOnPostgres,
  ...dueNoticesOnPostgres,
  ...releasedReferencesOnPostgres,
  // A row's words are added to the index together with the row.
  'INSERT INTO search_progress VALUES (1, 9007199254740991)',
  'INSERT INTO office_settings VALUES (1, 0)',
  'INSERT INTO counted VALUES (1, 0)',
  // Operations lock these rows for subjects that have no row: there is one row for each rare kind, and slots for unique
  // answers and persons.
  `INSERT INTO row_locks SELECT kind, 0 FROM unnest(ARRAY['recovery', 'settlements', 'staff', 'versions']) AS kind`,
  `INSERT INTO row_locks SELECT kind, slot FROM unnest(ARRAY['answer', 'person']) AS kind, generate_series(0, ${LOCK_SLOTS - 1}) AS slot`,
]
