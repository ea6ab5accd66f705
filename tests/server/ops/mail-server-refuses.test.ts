/** A mail server that refuses one mailbox, under a server as an operator starts it; its clock is set at each start. */
import { afterAll, afterEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { openMailServer } from '../mail/mail-server.ts'
import { openStoreHere } from '../store-without-threads.ts'
import { makeFolders, operateHere } from './operator.ts'
import type { Here } from './operator.ts'
import { queueEmails } from './queue-emails.ts'

const folders = makeFolders()
let server: Here | null = null
afterEach(async () => {
  await server?.stop()
})
afterAll(() => folders.remove())

const PATIENT = { timeout: 200_000, interval: 50 }
const THROTTLED = 'throttled@example.org'
const at = instant(Date.parse('2025-10-10T12:00:00+05:30'))

const queued = (...addresses: readonly string[]): Promise<void> =>
  queueEmails(folders.dataDir, at, addresses)
async function statesOf(address: string): Promise<readonly string[]> {
  const store = await openStoreHere({ dataDir: folders.dataDir })
  try {
    const found = await store.mails({ events: null, status: null, address }, null, 10)
    return found.map(({ status }) => status)
  } finally {
    await store.close()
  }
}

test('a mailbox that answers 421 delays no other email, and its own is tried for three days; the log says when it is given up', async () => {
  const mail = await openMailServer({ of: { [THROTTLED]: [421, 'too many for this mailbox'] } })
  const others = Array.from({ length: 8 }, (_, n) => `other${n}@example.org`)
  await queued(THROTTLED, ...others)
  const start = async (clock: string): Promise<void> => {
    await server?.stop()
    server = await operateHere(folders, { SMTP_URL: mail.url, CLOCK: clock })
  }
  const said = async (text: string): Promise<void> => {
    await expect.poll(() => server?.printed(), PATIENT).toContain(text)
  }
  await start('2025-10-10')
  await expect
    .poll(() => mail.taken.map(({ to: [one] }) => one).toSorted(), PATIENT)
    .toEqual(others)
  await said('an email could not be sent; it will be retried')
  expect(server?.printed()).not.toContain('emails stay queued')
  await start('2025-10-12')
  await said('an email could not be sent; it will be retried')
  await server?.stop()
  expect(await statesOf(THROTTLED)).toEqual(['queued'])
  await start('2025-10-14')
  await said(
    'gave up on an email; send it again with rollcall email retry or on the Emails page of the office',
  )
  await server?.stop()
  expect(await statesOf(THROTTLED)).toEqual(['failed'])
  expect(mail.taken).toHaveLength(8)
  await mail.close()
})
