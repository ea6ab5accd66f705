/** Queues emails in a database before a server starts on it. */
import type { Instant } from '../../../engine/index.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { buildRegistration } from '../sample-registrations.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

/** Registers one delegate per address, and queues an email to that address. */
export async function queueEmails(
  dataDir: string,
  at: Instant,
  addresses: readonly string[],
): Promise<void> {
  await useEmptyDatabase(dataDir)
  const store = await openStoreInProcess({ dataDir })
  try {
    for (const to of addresses) {
      const registration = await store.register(buildRegistration({ at }))
      if (!registration.ok) throw new Error(registration.error.code)
      const mail = { to, copyTo: null, subject: 'Registered', text: 'You are registered.\n' }
      await store.queueMail(registration.value.regNo, mail, at)
    }
  } finally {
    await store.close()
  }
}
