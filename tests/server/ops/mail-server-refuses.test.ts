/** A mail server that rejects one mailbox does not delay emails to other mailboxes. */
import { afterAll, afterEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { openMailServer } from '../mail/mail-server.ts'
import { openStoreInProcess } from '../store-without-threads.ts'
import { makeFolders, startServerHere } from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { queueEmails } from './queue-emails.ts'

const folders = makeFolders()
let server: RunningServerHere | null = null
afterEach(async () => {
  await server?.stop()
})
afterAll(() => folders.remove())

const POLL_OPTIONS = { timeout: 200_000, interval: 50 }
const THROTTLED = 'throttled@example.org'
const at = instant(Date.parse('2025-10-10T12:00:00+05:30'))

const queueEmailsFor = (...addresses: readonly string[]): Promise<void> =>
  queueEmails(folders.dataDir, at, addresses)
async function readStatuses(address: string): Promise<readonly string[]> {
  const store = await openStoreInProcess({ dataDir: folders.dataDir })
  try {
    const emails = await store.mails({ events: null, status: null, address }, null, 10)
    return emails.map(({ status }) => status)
  } finally {
    await store.close()
  }
}

test('a mailbox that responds with 421 does not delay emails to others, and its own email is retried for three days; the log states when it is abandoned', async () => {
  const mailServer = await openMailServer({
    byRecipient: { [THROTTLED]: [421, 'too many for this mailbox'] },
  })
  const otherAddresses = Array.from({ length: 8 }, (_, n) => `other${n}@example.org`)
  await queueEmailsFor(THROTTLED, ...otherAddresses)
  const start = async (clock: string): Promise<void> => {
    await server?.stop()
    server = await startServerHere(folders, { SMTP_URL: mailServer.url, CLOCK: clock })
  }
  const waitForOutput = async (text: string): Promise<void> => {
    await expect.poll(() => server?.readOutput(), POLL_OPTIONS).toContain(text)
  }
  await start('2025-10-10')
  await expect
    .poll(
      () => mailServer.acceptedEmails.map(({ to: [recipient] }) => recipient).toSorted(),
      POLL_OPTIONS,
    )
    .toEqual(otherAddresses)
  await waitForOutput('an email could not be sent; it will be retried')
  expect(server?.readOutput()).not.toContain('emails stay queued')
  await start('2025-10-12')
  await waitForOutput('an email could not be sent; it will be retried')
  await server?.stop()
  expect(await readStatuses(THROTTLED)).toEqual(['queued'])
  await start('2025-10-14')
  await waitForOutput(
    'gave up on an email; send it again with rollcall email retry or on the Emails page of the office',
  )
  await server?.stop()
  expect(await readStatuses(THROTTLED)).toEqual(['failed'])
  expect(mailServer.acceptedEmails).toHaveLength(8)
  await mailServer.close()
})
