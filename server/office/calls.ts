/** The office's calls. Each says who may make it, and guard.ts holds it; every answer with a delegate's data leaves a line in the audit log. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { bulkRoutes } from '../acting/bulk.ts'
import { actRoutes } from '../acting/calls.ts'
import { addRoutes } from '../acting/adding.ts'
import { accountRoutes } from './account.ts'
import { activityRoutes } from './activity.ts'
import { documentRoutes } from '../documents/calls.ts'
import { clockRoutes } from './clock.ts'
import { codeRoutes } from './codes.ts'
import { servedFileRoutes } from './event-files.ts'
import { listRoutes } from './lists.ts'
import { officeRoutes } from './guard.ts'
import { mailRoutes } from './mails.ts'
import { myListRoutes } from './my-lists.ts'
import { findRoutes } from './find.ts'
import { soldRoutes } from './sold.ts'
import { reconcileRoutes } from './reconcile.ts'
import { recoveryRoutes } from './recovery.ts'
import { reviewRoutes } from './reviews.ts'
import { passwordLinkRoutes, peopleRoutes } from './people.ts'
import { registrationRoutes } from './registration.ts'
import { settlementRoutes } from './settlements.ts'
import { signInRoutes } from './signin.ts'
import { statsRoutes } from './figures.ts'

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
