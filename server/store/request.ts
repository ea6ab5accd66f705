/** One write of the store: run by its name, in a savepoint of its own, and what became of it. */
import Database from 'better-sqlite3'
import type { Sql } from './database.ts'
import { Refused } from './refused.ts'
import type { Answer, Request } from './thread.ts'
import { writes } from './writes.ts'
import type { Verbs } from './writes.ts'

const verbs = writes as unknown as Verbs

/** Runs one request in a savepoint of its own, so that it cannot fail its neighbours. */
export function answer(connection: Database.Database, cached: Sql, request: Request): Answer {
  const { id, verb, args } = request
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (run === undefined)
    return { id, ok: false, busy: false, message: `the store has no write called ${verb}` }
  cached('SAVEPOINT request').run()
  try {
    const value = run(cached, ...(args as never[]))
    cached('RELEASE request').run()
    return { id, ok: true, value }
  } catch (error) {
    // A full disk or a failed read ends the whole transaction: then the batch has failed.
    if (!connection.inTransaction) throw error
    cached('ROLLBACK TO request').run()
    cached('RELEASE request').run()
    if (error instanceof Refused) return { id, ok: true, value: error.value }
    return { id, ok: false, busy: noRoom(error), message: messageOf(error) }
  }
}

/** The machine's fault, not the request's: disk, memory or another process. It may be tried again. */
const noRoom = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  /^SQLITE_(FULL|IOERR|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN)/.test(error.code)

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
