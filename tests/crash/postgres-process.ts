/** Runs in a child process: registers people through a store on PostgreSQL, and sends queued emails. */
import { setTimeout as pause } from 'node:timers/promises'
import { openPostgresStore } from '../../server/storage/postgres/open-postgres-store.ts'
import { StoreBusy } from '../../server/storage/index.ts'
import type { Store } from '../../server/storage/index.ts'
import { newEmail, buildRegistration, noon } from '../server/sample-registrations.ts'
import { printNow } from './print-now.ts'

const CLIENTS = 32
/** The pause before a retry. */
const RETRY_MS = 10
const QUEUE_POLL_INTERVAL_MS = 20

// Arguments: the database URL, a name prefix, and the protection to disable. Prints each result in one system call.
const [, , url = '', name = '', disabledProtection = ''] = process.argv
const { store } = await openPostgresStore({
  url,
  faults: disabledProtection === 'commit' ? { respondBeforeCommitMs: 300 } : {},
})
printNow('READY')
await Promise.all([
  ...Array.from({ length: CLIENTS }, (_, client) => registerPeople(store, `${name}-${client}`)),
  sendQueuedEmails(store),
])

/** Registers people one after another, every fourth for the event with few seats. */
async function registerPeople(store: Store, client: string): Promise<never> {
  for (let n = 1; ; n += 1) {
    const person = `${client}-${n}`
    const result = await retryWhileBusy(() =>
      store.register(
        buildRegistration({
          name: person,
          eventId: n % 4 === 0 ? 'small' : 'demo',
          // Each person has a separate address, because one address gets at most five emails an hour.
          mail: { ...newEmail, to: `${person}@example.org` },
          searchable: { fullName: person, email: '', phone: '', councilNo: '' },
          idempotency: disabledProtection === 'keys' ? null : { key: person, fingerprint: person },
        }),
      ),
    )
    printNow(result.ok ? `ACK ${result.value.regNo}` : `NO ${result.error.code}`)
  }
}

async function sendQueuedEmails(queue: Store): Promise<never> {
  for (;;) {
    const dueEmails = await retryWhileBusy(() => queue.dueMails(noon, 20))
    await Promise.all(
      dueEmails.map(async ({ id }) => {
        // The result of a failed claim is unknown, so the email waits for a retry.
        const isClaimed =
          disabledProtection === 'claims' || (await queue.claimMail(id, noon).catch(() => false))
        if (!isClaimed) return
        printNow(`MAIL ${id}`)
        await queue.mailSent(id, noon).catch(() => {})
      }),
    )
    await pause(QUEUE_POLL_INTERVAL_MS)
  }
}

async function retryWhileBusy<T>(operation: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await operation()
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error
      await pause(RETRY_MS)
    }
}
