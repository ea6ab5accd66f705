/**
 * Registers all office routes.
 * Each route declares the role it requires, and authorization.ts enforces it. Every response with a delegate's
 * data is recorded in the audit log.
 */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { bulkRoutes } from './registrations/bulk-actions.ts'
import { actionRoutes } from './registrations/action-routes.ts'
import { manualRegistrationRoutes } from './registrations/add-registration.ts'
import { accountRoutes } from './users/account.ts'
import { auditLogRoutes } from './operations/audit-log.ts'
import { documentRoutes } from './registrations/document-routes.ts'
import { clockRoutes } from './operations/confirm-clock.ts'
import { codeRoutes } from './discount-codes/discount-code-routes.ts'
import { eventFileRoutes } from './operations/event-files.ts'
import { eventVersionRoutes } from './operations/event-versions.ts'
import { listRoutes } from './lists/list-routes.ts'
import { officeRoutes } from './auth/authorization.ts'
import { emailRoutes } from './operations/emails.ts'
import { savedViewRoutes } from './lists/saved-views.ts'
import { searchRoutes } from './lists/search.ts'
import { salesRoutes } from './lists/sales-report.ts'
import { reconcileRoutes } from './reconciliation/bank-statements.ts'
import { payoutRoutes } from './reconciliation/payouts.ts'
import { savedStatementRoutes } from './reconciliation/saved-statements.ts'
import { exchangeRateRoutes } from './reconciliation/exchange-rates.ts'
import { recoveryRoutes } from './operations/recovery.ts'
import { rehearsalRoutes } from './operations/rehearse-event-file.ts'
import { reviewRoutes } from './reconciliation/payment-reviews.ts'
import { monthRoutes } from './payments/month-close.ts'
import { debtorRoutes } from './payments/debtor-list.ts'
import { paymentListRoutes } from './payments/payment-lists.ts'
import { passwordLinkRoutes, userRoutes } from './users/team.ts'
import { registrationRoutes } from './registrations/registration-details.ts'
import { settlementLineRoutes } from './reconciliation/handle-settlement-lines.ts'
import { settlementRoutes } from './reconciliation/settlement-import.ts'
import { signInRoutes } from './auth/sign-in.ts'
import { dashboardRoutes } from './lists/dashboard.ts'

export async function registerOfficeRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const office = officeRoutes(app, deps)
  signInRoutes(app, office, deps)
  listRoutes(office, deps, app.eventCalls)
  salesRoutes(office, deps)
  savedViewRoutes(office, deps)
  searchRoutes(office, deps)
  dashboardRoutes(office, deps)
  registrationRoutes(office, deps)
  reviewRoutes(office, deps)
  actionRoutes(office, deps)
  bulkRoutes(office, deps)
  await reconcileRoutes(app, office, deps)
  await savedStatementRoutes(app, office, deps)
  settlementRoutes(office, deps)
  settlementLineRoutes(office, deps)
  payoutRoutes(office, deps)
  paymentListRoutes(office, deps)
  debtorRoutes(office, deps)
  monthRoutes(office, deps)
  manualRegistrationRoutes(office, deps)
  exchangeRateRoutes(office, deps)
  codeRoutes(office, deps)
  documentRoutes(office, deps)
  accountRoutes(office, deps)
  userRoutes(office, deps)
  passwordLinkRoutes(app, deps)
  auditLogRoutes(office, deps)
  emailRoutes(office, deps)
  eventFileRoutes(office, deps)
  rehearsalRoutes(office, deps)
  eventVersionRoutes(office, deps)
  recoveryRoutes(office, deps)
  clockRoutes(office, deps)
}
