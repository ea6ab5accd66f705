/**
 * Assembles the office's routes.
 * Each states who may call it, and authorization.ts enforces it. Every response with a delegate's data is
 * recorded in the audit log.
 */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { bulkRoutes } from './registrations/bulk-actions.ts'
import { actRoutes } from './registrations/action-routes.ts'
import { addRoutes } from './registrations/add-registration.ts'
import { accountRoutes } from './users/account.ts'
import { activityRoutes } from './operations/audit-log.ts'
import { documentRoutes } from './registrations/document-routes.ts'
import { clockRoutes } from './operations/confirm-clock.ts'
import { codeRoutes } from './discount-codes/discount-code-routes.ts'
import { servedFileRoutes } from './operations/event-files.ts'
import { listRoutes } from './lists/list-routes.ts'
import { officeRoutes } from './auth/authorization.ts'
import { mailRoutes } from './operations/emails.ts'
import { myListRoutes } from './lists/saved-views.ts'
import { findRoutes } from './lists/search.ts'
import { soldRoutes } from './lists/sales-report.ts'
import { reconcileRoutes } from './reconciliation/bank-statements.ts'
import { recoveryRoutes } from './operations/recovery.ts'
import { reviewRoutes } from './reconciliation/payment-reviews.ts'
import { passwordLinkRoutes, peopleRoutes } from './users/team.ts'
import { registrationRoutes } from './registrations/registration-details.ts'
import { settlementRoutes } from './reconciliation/settlement-import.ts'
import { signInRoutes } from './auth/sign-in.ts'
import { statsRoutes } from './lists/dashboard.ts'

export async function adminRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const office = officeRoutes(app, deps)
  signInRoutes(app, office, deps)
  listRoutes(office, deps, app.eventCalls)
  soldRoutes(office, deps)
  myListRoutes(office, deps)
  findRoutes(office, deps)
  statsRoutes(office, deps)
  registrationRoutes(office, deps)
  reviewRoutes(office, deps)
  actRoutes(office, deps)
  bulkRoutes(office, deps)
  await reconcileRoutes(app, office, deps)
  settlementRoutes(office, deps)
  addRoutes(office, deps)
  codeRoutes(office, deps)
  documentRoutes(office, deps)
  accountRoutes(office, deps)
  peopleRoutes(office, deps)
  passwordLinkRoutes(app, deps)
  activityRoutes(office, deps)
  mailRoutes(office, deps)
  servedFileRoutes(office, deps)
  recoveryRoutes(office, deps)
  clockRoutes(office, deps)
}
