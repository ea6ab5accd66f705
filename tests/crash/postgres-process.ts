/**
 * A server's store on PostgreSQL in a process of its own: clients register, each person until it is done, and the queue of
 * mails is worked off. It says what it did, each in one system call. Arguments: address, a name for its people, what it leaves out.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openInsidePostgres } from '../../server/storage/postgres/open-postgres-store.ts'
import { StoreBusy } from '../../server/storage/index.ts'
import type { Store } from '../../server/storage/index.ts'
import { newEmail, newRegistration, noon } from '../server/sample-registrations.ts'
import { say } from './print-now.ts'

const CLIENTS = 32
/** After a no that may be tried again. */
const AGAIN_MS = 10
/** How often the queue is looked at. */
const QUEUE_MS = 20

const [, , url = '', name = '', without = ''] = process.argv
const { store } = await openInsidePostgres({
  url,
  seam: without === 'commit' ? { answerBeforeCommitMs: 300 } : {},
})
say('READY')
await Promise.all([
  ...Array.from({ length: CLIENTS }, (_, client) => people(store, `${name}-${client}`)),
  mails(store),
])

/** Somebody registers after the other; every fourth where there are few places. */
async function people(registering: Store, client: string): Promise<never> {
  for (let n = 1; ; n += 1) {
    const person = `${client}-${n}`
    const answer = await untilAnswered(() =>
      registering.register(
        newRegistration({
          name: person,
          eventId: n % 4 === 0 ? 'small' : 'demo',
          // To each a mailbox of their own: one address gets five emails an hour.
          mail: { ...newEmail, to: `${person}@example.org` },
          searchable: { fullName: person, email: '', phone: '', councilNo: '' },
          idempotency: without === 'keys' ? null : { key: person, fingerprint: person },
        }),
      ),
    )
    say(answer.ok ? `ACK ${answer.value.regNo}` : `NO ${answer.error.code}`)
  }
}

async function mails(queue: Store): Promise<never> {
  for (;;) {
    const due = await untilAnswered(() => queue.dueMails(noon, 20))
    await Promise.all(
      due.map(async ({ id }) => {
        // Nobody knows whether one that could not be claimed is: it waits for its time.
        const isOurs = without === 'claims' || (await queue.claimMail(id, noon).catch(() => false))
        if (!isOurs) return
        say(`MAIL ${id}`)
        await queue.mailSent(id, noon).catch(() => {})
      }),
    )
    await pause(QUEUE_MS)
  }
}

async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error
      await pause(AGAIN_MS)
    }
}
