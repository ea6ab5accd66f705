/** The office's calls. Each says who may make it, and guard.ts holds it; every answer with a delegate's data leaves a line in the audit log. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { bulkRoutes } from '../acting/bulk.ts'
import { actRoutes } from '../acting/calls.ts'
import { addRoutes } from '../acting/adding.ts'
import { accountRoutes } from './account.ts'
import { activityRoutes } from './activity.ts'
import { documentRoutes } from '../documents/calls.ts'
import { codeRoutes } from './codes.ts'
import { servedFileRoutes } from './event-files.ts'
import { listRoutes } from './lists.ts'
import { mailRoutes } from './mails.ts'
import { myListRoutes } from './my-lists.ts'
import { findRoutes } from './find.ts'
import { soldRoutes } from './sold.ts'
import { reconcileRoutes } from './reconcile.ts'
import { reviewRoutes } from './reviews.ts'
import { passwordLinkRoutes, peopleRoutes } from './people.ts'
import { registrationRoutes } from './registration.ts'
import { settlementRoutes } from './settlements.ts'
import { signInRoutes } from './signin.ts'
import { statsRoutes } from './figures.ts'

/** The paths under which an admin call answers: at the root and under /api, with and without the slash. */
const pathsOf = (path: string): readonly string[] =>
  ['', '/api'].flatMap((root) => [`${root}${path}`, `${root}${path}/`])

export async function adminRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  signInRoutes(app, deps, pathsOf)
  listRoutes(app, deps, pathsOf)
  soldRoutes(app, deps, pathsOf)
  myListRoutes(app, deps, pathsOf)
  findRoutes(app, deps, pathsOf)
  statsRoutes(app, deps, pathsOf)
  registrationRoutes(app, deps, pathsOf)
  reviewRoutes(app, deps, pathsOf)
  actRoutes(app, deps, pathsOf)
  bulkRoutes(app, deps, pathsOf)
  await reconcileRoutes(app, deps, pathsOf)
  settlementRoutes(app, deps, pathsOf)
  addRoutes(app, deps, pathsOf)
  codeRoutes(app, deps, pathsOf)
  documentRoutes(app, deps, pathsOf)
  accountRoutes(app, deps, pathsOf)
  peopleRoutes(app, deps, pathsOf)
  passwordLinkRoutes(app, deps, pathsOf)
  activityRoutes(app, deps, pathsOf)
  mailRoutes(app, deps, pathsOf)
  servedFileRoutes(app, deps, pathsOf)
}
