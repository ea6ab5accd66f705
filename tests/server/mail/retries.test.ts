/** How long an email is tried, and what a mail server's answer to one email means for the others; over SMTP to a real server. */
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
import { freePort } from '../../browser/serve.ts'
import { openStoreHere } from '../store-without-threads.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { hour, noon, registerSample } from '../sample-registrations.ts'
import { openMailServer } from './mail-server.ts'
import type { MailServer, MailServerAnswer } from './mail-server.ts'

const minute = 60_000
const day = 24 * hour
const THROTTLED = 'throttled@example.org'
const LATER = [421, 'too many emails to this mailbox, try again later'] as const

let dir: string
let store: Store
let now: Instant
let jump: ClockJump | null
const closing: (() => Promise<void>)[] = []
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rollcall-mail-'))
  await useEmptyDatabase(dir)
  store = await openStoreHere({ dataDir: dir })
  now = noon
  jump = null
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const mailer = (smtpUrl: string): Mailer => {
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const environment = {
    smtpUrl,
    mailFrom: 'Rollcall <no-reply@example.org>',
    dataDir: dir,
    publicUrl: 'https://register.example.org',
  }
  const deps = { store, clock: () => now, clockJumps: { look: () => jump }, log, environment }
  const opened = startMailQueue({ ...deps, events: { byId: () => null } }, { isEnabled: false })
  closing.push(opened.close)
  return opened
}
const smtp = async (answer: MailServerAnswer = {}, port = 0): Promise<MailServer> => {
  const server = await openMailServer(answer, port)
  closing.push(server.close)
  return server
}
const queued = async (to: string, more: Partial<NewMail> = {}) => {
  const { regNo } = await registerSample(store)
  await store.queueMail(regNo, { to, copyTo: null, subject: 'S', text: 'T', ...more }, now)
  return async () => (await store.mailsOf(regNo))[0]?.status
}

test.each([421, 450])(
  'retries an email for three days if the mailbox returns %i while others are accepted',
  async (code) => {
    const server = await smtp({ of: { [THROTTLED]: [code, 'later'] } })
    const worker = mailer(server.url)
    const throttled = await queued(THROTTLED)
    // Somebody registers every minute of the first hour, and their emails are taken at once.
    for (let passed = 0; passed < 60; passed += 1) {
      const other = await queued(`other${passed}@example.org`)
      await worker.run()
      expect([passed, await other()]).toEqual([passed, 'sent'])
      now = instant(now + minute)
    }
    expect(server.taken).toHaveLength(60)
    const [listed] = await store.mails({ events: null, status: null, address: THROTTLED }, null, 1)
    // At the start, after 1, 6 and 21 minutes.
    expect(listed?.attempts).toBe(4)
    for (; now < noon + 3 * day; now = instant(now + hour)) await worker.run()
    expect(await throttled()).toBe('queued')
    await worker.run()
    expect(await throttled()).toBe('failed')
  },
)

test('a mailbox that accepts emails again after two days gets the waiting one, once', async () => {
  const server = await smtp({ of: { [THROTTLED]: LATER } })
  const worker = mailer(server.url)
  const throttled = await queued(THROTTLED)
  for (; now < noon + 2 * day; now = instant(now + hour)) await worker.run()
  server.answer.of = {}
  for (; now < noon + 3 * day; now = instant(now + hour)) await worker.run()
  expect([await throttled(), server.taken.length]).toEqual(['sent', 1])
})

test('an outage of two days counts as no attempt: the first refusal afterwards waits a minute', async () => {
  const port = await freePort()
  const worker = mailer(`smtp://127.0.0.1:${port}`)
  const [first, second] = [await queued('a@example.org'), await queued(THROTTLED)]
  for (; now < noon + 2 * day; now = instant(now + hour)) await worker.run()
  const server = await smtp({ of: { [THROTTLED]: LATER } }, port)
  for (let passed = 0; passed < 3; passed += 1) {
    await worker.run()
    now = instant(now + minute)
  }
  expect([await first(), await second()]).toEqual(['sent', 'queued'])
  expect(server.tried()).toBeGreaterThan(2)
})

test('an email on which the mail server disconnects does not delay the others', async () => {
  const server = await smtp({ cuts: THROTTLED })
  const worker = mailer(server.url)
  const broken = await queued(THROTTLED)
  await worker.run()
  const others = await Promise.all([queued('a@example.org'), queued('b@example.org')])
  await worker.run()
  expect(await Promise.all([broken, ...others].map((one) => one()))).toEqual([
    'queued',
    'sent',
    'sent',
  ])
})

test('retries without a second copy if the copy is accepted and the delegate temporarily rejected', async () => {
  const server = await smtp({ of: { [THROTTLED]: [450, 'greylisted'] } })
  const worker = mailer(server.url)
  const throttled = await queued(THROTTLED, { copyTo: 'office@example.org' })
  await worker.run()
  expect([await throttled(), server.taken.map(({ to }) => to)]).toEqual([
    'queued',
    [['office@example.org']],
  ])
  server.answer.of = {}
  now = instant(now + minute)
  await worker.run()
  expect([await throttled(), server.taken.map(({ to }) => to)]).toEqual([
    'sent',
    [['office@example.org'], [THROTTLED]],
  ])
})

test('sends emails that were queued while the clock was ahead, once it is right again', async () => {
  const server = await smtp()
  const worker = mailer(server.url)
  now = instant(noon + 20 * hour)
  const untried = await queued('untried@example.org')
  const claimed = await queued('claimed@example.org')
  const [, mail] = await store.dueMails(now, 2)
  await store.claimMail(mail?.id ?? 0, now)
  server.answer.of = { [THROTTLED]: LATER }
  const tried = await queued(THROTTLED)
  const [due] = (await store.dueMails(now, 3)).filter(({ to }) => to === THROTTLED)
  await store.mailFailed(due?.id ?? 0, 'later', instant(now + minute), {
    at: now,
    firstAt: now,
    isReached: true,
    hasCopyGone: false,
  })
  server.answer.of = {}
  now = noon
  await store.rescheduleAfterClockChange(now)
  await worker.run()
  expect(await Promise.all([untried, claimed, tried].map((one) => one()))).toEqual([
    'sent',
    'queued',
    'sent',
  ])
  // A claim is left to its maker for so long.
  now = instant(noon + 10 * minute)
  await worker.run()
  expect(await claimed()).toBe('sent')
})

test('gives up no email while the clock is years ahead', async () => {
  const server = await smtp({ of: { [THROTTLED]: LATER } })
  const worker = mailer(server.url)
  const throttled = await queued(THROTTLED)
  await worker.run()
  now = instant(noon + 1_500 * day)
  jump = { at: now, byMs: 1_500 * day }
  await worker.run()
  expect(await throttled()).toBe('queued')
  now = instant(noon + hour)
  await store.rescheduleAfterClockChange(now)
  server.answer.of = {}
  await worker.run()
  expect(await throttled()).toBe('sent')
})
