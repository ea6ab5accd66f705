/** Retries an email, and checks the effect of the mail server's response on other emails, over real SMTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import { startMailQueue } from '../../../server/mail/send-queued-emails.ts'
import type { Mailer } from '../../../server/mail/send-queued-emails.ts'
import type { ClockJump } from '../../../server/ops/clock-jumps.ts'
import type { NewMail, Store } from '../../../server/storage/index.ts'
import { findFreePort } from '../../browser/serve.ts'
import { openStoreInProcess } from '../store-without-threads.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { HOUR_MS, noon, registerSample } from '../sample-registrations.ts'
import { openMailServer } from './mail-server.ts'
import type { MailServer, MailServerBehaviour } from './mail-server.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * HOUR_MS
const THROTTLED = 'throttled@example.org'
const TEMPORARY_ERROR = [421, 'too many emails to this mailbox, try again later'] as const

let dir: string
let store: Store
let now: Instant
let clockJump: ClockJump | null
const cleanups: (() => Promise<void>)[] = []
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rollcall-mail-'))
  await useEmptyDatabase(dir)
  store = await openStoreInProcess({ dataDir: dir })
  now = noon
  clockJump = null
})
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const startMailer = (smtpUrl: string): Mailer => {
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const environment = {
    smtpUrl,
    mailFrom: 'Rollcall <no-reply@example.org>',
    dataDir: dir,
    publicUrl: 'https://register.example.org',
  }
  const deps = {
    store,
    clock: () => now,
    clockJumps: { findRecentJump: () => clockJump },
    log,
    environment,
  }
  const queue = startMailQueue({ ...deps, events: { findById: () => null } }, { isEnabled: false })
  cleanups.push(queue.close)
  return queue
}
const openServer = async (behaviour: MailServerBehaviour = {}, port = 0): Promise<MailServer> => {
  const server = await openMailServer(behaviour, port)
  cleanups.push(server.close)
  return server
}
/** Queues an email. Returns a function that reads its status. */
const queueEmail = async (to: string, changes: Partial<NewMail> = {}) => {
  const { regNo } = await registerSample(store)
  await store.queueMail(regNo, { to, copyTo: null, subject: 'S', text: 'T', ...changes }, now)
  return async () => (await store.emailsOfRegistration(regNo))[0]?.status
}

test.each([421, 450])(
  'retries an email for three days if its mailbox returns %i, while other emails are accepted',
  async (code) => {
    const server = await openServer({ byRecipient: { [THROTTLED]: [code, 'later'] } })
    const mailer = startMailer(server.url)
    const readThrottledStatus = await queueEmail(THROTTLED)
    // A delegate registers every minute of the first hour, and those emails are accepted
    // immediately.
    for (let minutes = 0; minutes < 60; minutes += 1) {
      const readOtherStatus = await queueEmail(`other${minutes}@example.org`)
      await mailer.run()
      expect([minutes, await readOtherStatus()]).toEqual([minutes, 'sent'])
      now = instant(now + MINUTE_MS)
    }
    expect(server.acceptedEmails).toHaveLength(60)
    const [throttledEmail] = await store.mails(
      { events: null, status: null, address: THROTTLED },
      null,
      1,
    )
    // Immediately, and after 1, 6 and 21 minutes.
    expect(throttledEmail?.attempts).toBe(4)
    for (; now < noon + 3 * DAY_MS; now = instant(now + HOUR_MS)) await mailer.run()
    expect(await readThrottledStatus()).toBe('queued')
    await mailer.run()
    expect(await readThrottledStatus()).toBe('failed')
  },
)

test('a mailbox that accepts emails again after two days gets the queued email once', async () => {
  const server = await openServer({ byRecipient: { [THROTTLED]: TEMPORARY_ERROR } })
  const mailer = startMailer(server.url)
  const readThrottledStatus = await queueEmail(THROTTLED)
  for (; now < noon + 2 * DAY_MS; now = instant(now + HOUR_MS)) await mailer.run()
  server.behaviour.byRecipient = {}
  for (; now < noon + 3 * DAY_MS; now = instant(now + HOUR_MS)) await mailer.run()
  expect([await readThrottledStatus(), server.acceptedEmails.length]).toEqual(['sent', 1])
})

test('a two-day outage does not count as an attempt: the email is retried a minute after its first rejection', async () => {
  const port = await findFreePort()
  const mailer = startMailer(`smtp://127.0.0.1:${port}`)
  const [readFirstStatus, readSecondStatus] = [
    await queueEmail('a@example.org'),
    await queueEmail(THROTTLED),
  ]
  for (; now < noon + 2 * DAY_MS; now = instant(now + HOUR_MS)) await mailer.run()
  const server = await openServer({ byRecipient: { [THROTTLED]: TEMPORARY_ERROR } }, port)
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await mailer.run()
    now = instant(now + MINUTE_MS)
  }
  expect([await readFirstStatus(), await readSecondStatus()]).toEqual(['sent', 'queued'])
  expect(server.countRecipients()).toBeGreaterThan(2)
})

test('an email on which the mail server disconnects does not delay the others', async () => {
  const server = await openServer({ disconnectsFor: THROTTLED })
  const mailer = startMailer(server.url)
  const readDisconnectingEmailStatus = await queueEmail(THROTTLED)
  await mailer.run()
  const readOtherStatuses = await Promise.all([
    queueEmail('a@example.org'),
    queueEmail('b@example.org'),
  ])
  await mailer.run()
  expect(
    await Promise.all(
      [readDisconnectingEmailStatus, ...readOtherStatuses].map((readStatus) => readStatus()),
    ),
  ).toEqual(['queued', 'sent', 'sent'])
})

test("retries without a second copy if the copy is accepted and the delegate's address is temporarily rejected", async () => {
  const server = await openServer({ byRecipient: { [THROTTLED]: [450, 'greylisted'] } })
  const mailer = startMailer(server.url)
  const readThrottledStatus = await queueEmail(THROTTLED, { copyTo: 'office@example.org' })
  await mailer.run()
  expect([await readThrottledStatus(), server.acceptedEmails.map(({ to }) => to)]).toEqual([
    'queued',
    [['office@example.org']],
  ])
  server.behaviour.byRecipient = {}
  now = instant(now + MINUTE_MS)
  await mailer.run()
  expect([await readThrottledStatus(), server.acceptedEmails.map(({ to }) => to)]).toEqual([
    'sent',
    [['office@example.org'], [THROTTLED]],
  ])
})

test('once the clock is correct, sends the emails that were queued while it was ahead', async () => {
  const server = await openServer()
  const mailer = startMailer(server.url)
  now = instant(noon + 20 * HOUR_MS)
  const readUnattemptedStatus = await queueEmail('unattempted@example.org')
  const readClaimedStatus = await queueEmail('claimed@example.org')
  const [, mail] = await store.dueMails(now, 2)
  await store.claimMail(mail?.id ?? 0, now)
  server.behaviour.byRecipient = { [THROTTLED]: TEMPORARY_ERROR }
  const readAttemptedStatus = await queueEmail(THROTTLED)
  const [dueEmail] = (await store.dueMails(now, 3)).filter(({ to }) => to === THROTTLED)
  await store.mailFailed(dueEmail?.id ?? 0, 'later', instant(now + MINUTE_MS), {
    at: now,
    firstAt: now,
    hasServerResponded: true,
    isCopySent: false,
  })
  server.behaviour.byRecipient = {}
  now = noon
  await store.rescheduleAfterClockChange(now)
  await mailer.run()
  expect(
    await Promise.all(
      [readUnattemptedStatus, readClaimedStatus, readAttemptedStatus].map((readStatus) =>
        readStatus(),
      ),
    ),
  ).toEqual(['sent', 'queued', 'sent'])
  // A claim expires after ten minutes.
  now = instant(noon + 10 * MINUTE_MS)
  await mailer.run()
  expect(await readClaimedStatus()).toBe('sent')
})

test('does not abandon emails while the clock is years ahead', async () => {
  const server = await openServer({ byRecipient: { [THROTTLED]: TEMPORARY_ERROR } })
  const mailer = startMailer(server.url)
  const readThrottledStatus = await queueEmail(THROTTLED)
  await mailer.run()
  now = instant(noon + 1_500 * DAY_MS)
  clockJump = { at: now, byMs: 1_500 * DAY_MS }
  await mailer.run()
  expect(await readThrottledStatus()).toBe('queued')
  now = instant(noon + HOUR_MS)
  await store.rescheduleAfterClockChange(now)
  server.behaviour.byRecipient = {}
  await mailer.run()
  expect(await readThrottledStatus()).toBe('sent')
})
