/**
 * Registers all office routes.
 * Each route declares the role it requires, and authorization.ts enforces it. Every response with a delegate's
 * data is recorded in the audit log.
 */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { addBulkRoutes } from './registrations/bulk-actions.ts'
import { addActionRoutes } from './registrations/action-routes.ts'
import { addManualRegistrationRoutes } from './registrations/add-registration.ts'
import { addAccountRoutes } from './users/account.ts'
import { addAuditLogRoutes } from './operations/audit-log.ts'
import { addDocumentRoutes } from './registrations/document-routes.ts'
import { addClockRoutes } from './operations/confirm-clock.ts'
import { addCodeRoutes } from './discount-codes/discount-code-routes.ts'
import { addOfficeEventFileRoutes } from './operations/event-files.ts'
import { addEventVersionRoutes } from './operations/event-versions.ts'
import { addListRoutes } from './lists/list-routes.ts'
import { createOfficeRoutes } from './auth/authorization.ts'
import { addEmailRoutes } from './operations/emails.ts'
import { addSavedViewRoutes } from './lists/saved-views.ts'
import { addSearchRoutes } from './lists/search.ts'
import { addSalesRoutes } from './lists/sales-report.ts'
import { addBankStatementRoutes } from './reconciliation/bank-statements.ts'
import { addPayoutRoutes } from './reconciliation/payouts.ts'
import { addSavedStatementRoutes } from './reconciliation/saved-statements.ts'
import { addExchangeRateRoutes } from './reconciliation/exchange-rates.ts'
import { addRecoveryRoutes } from './operations/recovery.ts'
import { addRehearsalRoutes } from './operations/rehearse-event-file.ts'
import { addReviewRoutes } from './reconciliation/payment-reviews.ts'
import { addMonthRoutes } from './payments/month-close.ts'
import { addDebtorRoutes } from './payments/debtor-list.ts'
import { addPaymentListRoutes } from './payments/payment-lists.ts'
import { addPasswordLinkRoutes, addUserRoutes } from './users/team.ts'
import { addRegistrationDetailRoutes } from './registrations/registration-details.ts'
import { addSettlementLineRoutes } from './reconciliation/handle-settlement-lines.ts'
import { addSettlementRoutes } from './reconciliation/settlement-import.ts'
import { addSignInRoutes } from './auth/sign-in-and-attempt-limits.ts'
import { addDashboardRoutes } from './lists/dashboard.ts'

export async function registerOfficeRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const office = createOfficeRoutes(app, deps)
  addSignInRoutes(app, office, deps)
  addListRoutes(office, deps, app.eventRoutes)
  addSalesRoutes(office, deps)
  addSavedViewRoutes(office, deps)
  addSearchRoutes(office, deps)
  addDashboardRoutes(office, deps)
  addRegistrationDetailRoutes(office, deps)
  addReviewRoutes(office, deps)
  addActionRoutes(office, deps)
  addBulkRoutes(office, deps)
  await addBankStatementRoutes(app, office, deps)
  await addSavedStatementRoutes(app, office, deps)
  addSettlementRoutes(office, deps)
  addSettlementLineRoutes(office, deps)
  addPayoutRoutes(office, deps)
  addPaymentListRoutes(office, deps)
  addDebtorRoutes(office, deps)
  addMonthRoutes(office, deps)
  addManualRegistrationRoutes(office, deps)
  addExchangeRateRoutes(office, deps)
  addCodeRoutes(office, deps)
  addDocumentRoutes(office, deps)
  addAccountRoutes(office, deps)
  addUserRoutes(office, deps)
  addPasswordLinkRoutes(app, deps)
  addAuditLogRoutes(office, deps)
  addEmailRoutes(office, deps)
  addOfficeEventFileRoutes(office, deps)
  addRehearsalRoutes(office, deps)
  addEventVersionRoutes(office, deps)
  addRecoveryRoutes(office, deps)
  addClockRoutes(office, deps)
}
