/** Lists the newest migration steps for PostgreSQL; migrations.ts lists the older ones. */
import {
  bankLinePaymentsOnPostgres,
  matchAgainOnPostgres,
} from '../../migrations/bank-line-payments.ts'
import { handledSettlementLinesOnPostgres } from '../../migrations/handled-settlement-lines.ts'
import {
  bankStatementIndexesOnPostgres,
  bankStatementTablesOnPostgres,
  bankStatementTriggersOnPostgres,
} from '../../migrations/bank-statements.ts'
import { changedSettlementLinesOnPostgres } from '../../migrations/changed-settlement-lines.ts'
import { releasedReferencesOnPostgres } from '../../migrations/bank-references.ts'
import { disputesOnPostgres } from '../../migrations/disputes.ts'
import { exchangeRatesOnPostgres } from '../../migrations/exchange-rates.ts'
import {
  dueNoticesOnPostgres,
  registeredPersonsOnPostgres,
} from '../../migrations/duplicate-payments.ts'
import { revenueByCurrencyOnPostgres } from '../../migrations/revenue-by-currency.ts'
import { gatewayCheckouts } from './gateway-checkouts.ts'
import { monthClosings } from './month-closings.ts'
import { seatQuantities } from './seat-counts.ts'

export const LATER_STEPS: Readonly<Record<number, readonly string[]>> = {
  53: gatewayCheckouts,
  54: revenueByCurrencyOnPostgres,
  55: seatQuantities,
  56: exchangeRatesOnPostgres,
  57: disputesOnPostgres,
  58: [
    ...bankStatementTablesOnPostgres,
    ...bankStatementIndexesOnPostgres,
    ...bankStatementTriggersOnPostgres,
  ],
  59: monthClosings,
  60: [...bankLinePaymentsOnPostgres, ...matchAgainOnPostgres],
  61: handledSettlementLinesOnPostgres,
  62: changedSettlementLinesOnPostgres,
  63: registeredPersonsOnPostgres,
  64: dueNoticesOnPostgres,
  65: releasedReferencesOnPostgres,
}
