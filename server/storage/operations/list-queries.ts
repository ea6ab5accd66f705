/** Maps each query for lists and figures, by name, to its function. The reader thread runs these functions. */
import { readAuditLog, listAuditLogUsers } from '../staff/audit-log-entries.ts'
import { listExchangeRates, listWaitingInvoices } from '../documents/exchange-rates.ts'
import * as savedStatements from '../reconciliation/saved-statements.ts'
import { readEventVersions } from '../events/read-event-files.ts'
import { findExpectedPayments, findKnownReferences } from '../reconciliation/match-candidates.ts'
import { findOtherParts } from '../reconciliation/bank-line-parts.ts'
import { listDiscountCodes } from '../registrations/discount-codes.ts'
import { countEmails, listEmails } from '../mail/email-list.ts'
import { readOperatingMetrics } from '../reports/metrics-counts.ts'
import { countMemberLists } from '../registrations/member-lists.ts'
import { computeDashboardFigures, findValuesInUse } from '../reports/dashboard-figures.ts'
import {
  exportChunk,
  listRegistrationsInReview,
  listPage,
} from '../lists/list-and-search-registrations.ts'
import { searchEvents, searchSimilarNames } from '../lists/search-registrations.ts'
import { computeSalesOfList } from '../reports/sales-totals.ts'
import {
  findRegistrationsToErase,
  findRegistrationsWithEmail,
} from '../registrations/delete-personal-data.ts'
import { findUnpaidWithFiles } from '../files/drop-files-of-unpaid.ts'
import { readDebtorPage, readDebtorSums } from '../reports/debtors.ts'
import { listPaymentsMovedAway } from '../reports/moved-payments.ts'
import { findPaymentsUnderKeys } from '../reconciliation/bank-references.ts'
import { readMovementPage } from '../reports/movements.ts'
import { readMovementSums } from '../reports/movement-sums.ts'
import { readMonthClosings, readTaxDocuments } from '../reports/month-closings.ts'
import { listSettlementFees } from '../reports/settlement-fees.ts'
import { listOpenRefunds } from '../reports/open-refunds.ts'
import { countWorkQueue } from '../lists/work-queue.ts'
import { listReferencedFiles, computeRecoveryFigures } from '../recovery/recovery-figures.ts'
import { countReviews, readReviews } from '../reviews/open-reviews.ts'
import {
  findAccountsOfEvent,
  findEventsOfAccount,
  readPaymentsOfAccount,
  findKnownOrders,
  readSettlementLines,
} from '../reconciliation/read-settlements.ts'

export const listings = {
  operatingFigures: readOperatingMetrics,
  mails: listEmails,
  mailCounts: countEmails,
  searchEvents,
  searchSimilarNames,
  listPage,
  salesOfList: computeSalesOfList,
  exportChunk,
  registrationsInReview: listRegistrationsInReview,
  reviews: readReviews,
  reviewCounts: countReviews,
  dashboardFigures: computeDashboardFigures,
  workQueue: countWorkQueue,
  valuesInUse: findValuesInUse,
  unpaidWithFiles: findUnpaidWithFiles,
  registrationsToErase: findRegistrationsToErase,
  registrationsWithEmail: findRegistrationsWithEmail,
  discountCodes: listDiscountCodes,
  eventVersions: readEventVersions,
  memberListCounts: countMemberLists,
  expectedPayments: findExpectedPayments,
  knownReferences: findKnownReferences,
  otherPartsOfLines: findOtherParts,
  settlementLines: readSettlementLines,
  statementsWithHash: savedStatements.findStatementsWithHash,
  bankStatements: savedStatements.listBankStatements,
  bankStatement: savedStatements.readBankStatement,
  bankStatementLines: savedStatements.readBankStatementLines,
  newestDecision: savedStatements.findNewestDecision,
  statementDeposits: savedStatements.listStatementDeposits,
  paymentsUnderKeys: findPaymentsUnderKeys,
  accountsOfEvent: findAccountsOfEvent,
  eventsOfAccount: findEventsOfAccount,
  paymentsOfAccount: readPaymentsOfAccount,
  knownOrders: findKnownOrders,
  auditLog: readAuditLog,
  auditLogUsers: listAuditLogUsers,
  recoveryFigures: computeRecoveryFigures,
  referencedFiles: listReferencedFiles,
  exchangeRates: listExchangeRates,
  waitingInvoices: listWaitingInvoices,
  movementPage: readMovementPage,
  paymentsMovedAway: listPaymentsMovedAway,
  movementSums: readMovementSums,
  debtorPage: readDebtorPage,
  debtorSums: readDebtorSums,
  openRefunds: listOpenRefunds,
  taxDocuments: readTaxDocuments,
  settlementFees: listSettlementFees,
  monthClosings: readMonthClosings,
}
