/** Lists every list and figure by name: run by the reader thread, requested by `open-store.ts`. */
import { auditLog, auditLogUsers } from '../staff/audit-log-entries.ts'
import { exchangeRates, waitingInvoices } from '../documents/exchange-rates.ts'
import * as savedStatements from '../reconciliation/saved-statements.ts'
import { eventVersions } from '../events/read-event-files.ts'
import { expectedPayments, knownReferences } from '../reconciliation/match-candidates.ts'
import { discountCodes } from '../registrations/discount-codes.ts'
import { mailCounts, listEmails } from '../mail/email-list.ts'
import { operatingFigures } from '../reports/metrics-counts.ts'
import { memberListCounts } from '../registrations/member-lists.ts'
import { dashboardFigures, valuesInUse } from '../reports/dashboard-figures.ts'
import {
  exportChunk,
  registrationsInReview,
  listPage,
} from '../lists/list-and-search-registrations.ts'
import { searchEvents, searchSimilarNames } from '../lists/search-registrations.ts'
import { salesOfList } from '../reports/sales-totals.ts'
import {
  registrationsToErase,
  registrationsWithEmail,
} from '../registrations/delete-personal-data.ts'
import { unpaidWithFiles } from '../files/drop-files-of-unpaid.ts'
import { debtorPage, debtorSums } from '../reports/debtors.ts'
import { paymentsMovedAway } from '../reports/moved-payments.ts'
import { movementPage } from '../reports/movements.ts'
import { movementSums } from '../reports/movement-sums.ts'
import { monthClosings, taxDocuments } from '../reports/month-closings.ts'
import { settlementFees } from '../reports/settlement-fees.ts'
import { openRefunds } from '../reports/open-refunds.ts'
import { workQueue } from '../lists/work-queue.ts'
import { referencedFiles, recoveryFigures } from '../recovery/recovery-figures.ts'
import { reviewCounts, reviews } from '../reviews/open-reviews.ts'
import {
  accountsOfEvent,
  paymentsOfAccount,
  knownOrders,
  settlementLines,
} from '../reconciliation/read-settlements.ts'

export const listings = {
  operatingFigures,
  mails: listEmails,
  mailCounts,
  searchEvents,
  searchSimilarNames,
  listPage,
  salesOfList,
  exportChunk,
  registrationsInReview,
  reviews,
  reviewCounts,
  dashboardFigures,
  workQueue,
  valuesInUse,
  unpaidWithFiles,
  registrationsToErase,
  registrationsWithEmail,
  discountCodes,
  eventVersions,
  memberListCounts,
  expectedPayments,
  knownReferences,
  settlementLines,
  statementsWithHash: savedStatements.statementsWithHash,
  bankStatements: savedStatements.bankStatements,
  bankStatement: savedStatements.bankStatement,
  bankStatementLines: savedStatements.bankStatementLines,
  newestDecision: savedStatements.newestDecision,
  statementDeposits: savedStatements.statementDeposits,
  paymentsUnderKeys: savedStatements.paymentsUnderKeys,
  accountsOfEvent,
  paymentsOfAccount,
  knownOrders,
  auditLog,
  auditLogUsers,
  recoveryFigures,
  referencedFiles,
  exchangeRates,
  waitingInvoices,
  movementPage,
  paymentsMovedAway,
  movementSums,
  debtorPage,
  debtorSums,
  openRefunds,
  taxDocuments,
  settlementFees,
  monthClosings,
}
