/** The email queue writes files, or sends over SMTP to a real server that sometimes rejects or disconnects. */
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instant, toAmount } from '../../../engine/index.ts'
import { RETRY_DELAYS_MS, RETRY_PERIOD_MS } from '../../../server/mail/email-retry-schedule.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import { LINK_PLACEHOLDER } from '../../../engine/messages.ts'
import { startMailQueue } from '../../../server/mail/send-queued-emails.ts'
import type { Mailer } from '../../../server/mail/send-queued-emails.ts'
import type { ServedEvent } from '../../../server/dependencies.ts'
import { hashToken } from '../../../server/registration/access-link.ts'
import { DATABASE_FILE } from '../../../server/storage/database/sqlite-connection.ts'
import type { NewMail, Store } from '../../../server/storage/index.ts'
import { findFreePort } from '../../browser/serve.ts'
import { createEvent } from '../../engine/fixtures.ts'
import { openStoreInProcess } from '../store-without-threads.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { runHere } from '../run-command.ts'
import { readQrCode, isSharp } from '../read-qr-code.ts'
import {
  buildCorrection,
  buildRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import { openMailServer } from './mail-server.ts'
import type { MailServer, MailServerBehaviour } from './mail-server.ts'

let dir: string
let store: Store
let now: Instant
const cleanups: (() => Promise<void>)[] = []
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rollcall-mail-'))
  await useEmptyDatabase(dir)
  store = await openStoreInProcess({ dataDir: dir })
  now = noon
})
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const sampleEmail: NewMail = {
  to: 'asha@example.org',
  copyTo: null,
  subject: 'Confirmed – ആശ നായർ, ₹ 5,015',
  text: 'Dear ആശ,\n\nyou are registered.\n',
}
/** The event that the emails belong to, if its file is served. */
let servedEvent: ServedEvent | null = null
const startMailer = (
  smtpUrl: string | null = null,
  errors: string[] = [],
  isAutomatic = false,
): Mailer => {
  const queue = startMailQueue(
    {
      store,
      clock: () => now,
      log: { info: () => {}, warn: () => {}, error: (_, text = '') => void errors.push(text) },
      events: { findById: () => servedEvent },
      environment: {
        smtpUrl,
        mailFrom: 'Rollcall <no-reply@example.org>',
        dataDir: dir,
        publicUrl: 'https://register.example.org',
      },
    },
    { isEnabled: isAutomatic },
  )
  cleanups.push(queue.close)
  return queue
}
/** Queues an email for a new registration. `state` reads the email's status and error. */
const queueEmail = async (mail: Partial<NewMail> = {}) => {
  const { regNo } = await registerSample(store)
  await store.queueMail(regNo, { ...sampleEmail, ...mail }, now)
  return {
    regNo,
    state: async () =>
      (await store.emailsOfRegistration(regNo)).map(({ status, error }) => ({ status, error })),
  }
}

const linkEmail: NewMail = { ...sampleEmail, text: `Open it:\n\n${LINK_PLACEHOLDER}\n` }

/** Queues an email for a paid registration. `to` is the recipient. */
const queueTicket = async (to = sampleEmail.to) => {
  const { answers } = buildRegistration()
  const { regNo } = await registerSample(store, { answers: { ...answers, email: sampleEmail.to } })
  await store.queueMail(regNo, { ...sampleEmail, to }, now)
  await confirmPayment(regNo)
  return { regNo }
}

/** Records a payment confirmed by the gateway. */
const confirmPayment = async (regNo: string) => {
  const [payment] = (await store.registration(regNo))?.payments ?? []
  if (payment === undefined) throw new Error('no payment is due')
  const { orderId, amount } = payment
  const sale = { reference: 'A1', amount, currency: '356', kind: 'sale', at: now } as const
  await store.applyPaymentEvent(orderId, { type: 'confirmed', ...sale }, null)
}

const openServer = async (behaviour: MailServerBehaviour = {}, port = 0): Promise<MailServer> => {
  const server = await openMailServer(behaviour, port)
  cleanups.push(server.close)
  return server
}

/** Returns the decoded body, and the unfolded headers with their encoded words decoded. */
function parseEmail(text: string): {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
} {
  const [headerText = '', ...bodyParts] = text.replaceAll('\r\n', '\n').split('\n\n')
  const decodeWords = (encodedText: string): string =>
    encodedText
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?utf-8\?(b|q)\?([^?]*)\?=/gi, (_all, kind: string, content: string) =>
        kind.toLowerCase() === 'b'
          ? `\u0001${content}\u0002`
          : decodeQuoted(content.replaceAll('_', ' ')),
      )
  const decodeHeader = (encodedText: string): string =>
    decodeWords(encodedText).replaceAll(/((?:\u0001[^\u0002]*\u0002)+)/g, (run) =>
      Buffer.concat(
        run
          .split('\u0002')
          .filter((part) => part !== '')
          .map((part) => Buffer.from(part.slice(1), 'base64')),
      ).toString('utf8'),
    )
  const headers = Object.fromEntries(
    headerText
      .replaceAll(/\n[ \t]+/g, ' ')
      .split('\n')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        decodeHeader(line.slice(line.indexOf(':') + 1).trim()),
      ]),
  )
  const body = bodyParts.join('\n\n')
  const transferEncoding = headers['content-transfer-encoding'] ?? '7bit'
  return {
    headers,
    body:
      transferEncoding === 'base64'
        ? Buffer.from(body, 'base64').toString('utf8')
        : transferEncoding === 'quoted-printable'
          ? decodeQuoted(body.replaceAll('=\n', ''))
          : body,
  }
}
/** Returns the parts of a multipart email. */
function splitParts({ headers, body }: ReturnType<typeof parseEmail>): readonly string[] {
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  return body.split(`--${boundary}`).slice(1, -1)
}
const decodeQuoted = (text: string): string =>
  decodeURIComponent(text.replaceAll('%', '%25').replaceAll(/=([0-9A-F]{2})/g, '%$1'))

const listFiles = (): string[] => readdirSync(join(dir, 'mail'))
const readSingleFile = (): string => readFileSync(join(dir, 'mail', listFiles()[0] ?? ''), 'utf8')

describe('without SMTP', () => {
  test('writes each email to one complete UTF-8 file that is named after the email’s number', async () => {
    const { regNo, state } = await queueEmail({ copyTo: 'office@example.org' })
    expect(await startMailer().run()).toBe(1)
    expect(listFiles()).toEqual([`000001-${regNo}.eml`])
    const { headers, body } = parseEmail(readSingleFile())
    expect(headers).toMatchObject({
      from: 'Rollcall <no-reply@example.org>',
      to: 'asha@example.org',
      subject: sampleEmail.subject,
      'x-copy-to': 'office@example.org',
      'auto-submitted': 'auto-generated',
      'content-type': 'text/plain; charset=utf-8',
    })
    expect(headers['message-id']).toMatch(/^<[0-9a-f]{32}@register\.example\.org>$/)
    expect(body.trim()).toBe(sampleEmail.text.trim())
    expect(await state()).toEqual([{ status: 'sent', error: null }])
  })

  test('attaches the QR code and the calendar file to a ticket', async () => {
    const config = createEvent({ id: 'demo', title: 'Demo, 2026', venue: 'Town Hall; Kochi' })
    servedEvent = { config, hash: '', text: '', shared: '' }
    const { regNo } = await queueTicket()
    await startMailer().run()
    servedEvent = null
    const { headers, body } = parseEmail(readSingleFile())
    expect(headers['reply-to']).toBe(config.support)
    const parts = splitParts({ headers, body })
    const [textPart = '', code = '', calendar = ''] = parts
    expect(parts).toHaveLength(3)
    const [text = '', html = ''] = splitParts(parseEmail(textPart.trim()))
    expect(parseEmail(text.trim()).body.trim()).toBe(sampleEmail.text.trim())
    const page = parseEmail(html.trim())
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const paragraph of sampleEmail.text.trim().split('\n\n'))
      expect(page.body).toContain(`>${paragraph}</p>`)
    expect(code).toContain(`filename=${regNo}.png`)
    const image = Buffer.from(code.split('\n\n')[1] ?? '', 'base64')
    expect(readQrCode(image)).toBe(regNo)
    expect(isSharp(image)).toBe(true)
    expect(calendar).toContain('filename=demo.ics')
    const calendarText = Buffer.from(calendar.split('\n\n')[1] ?? '', 'base64').toString('utf8')
    expect(calendarText.split('\r\n')).toEqual(
      expect.arrayContaining([
        'UID:demo@register.example.org',
        'DTSTART;VALUE=DATE:20260131',
        // The day after the last day of the event: iCalendar excludes the end date.
        'DTEND;VALUE=DATE:20260202',
        'SUMMARY:Demo\\, 2026',
        'LOCATION:Town Hall\\; Kochi',
      ]),
    )
  })

  test('the email about a cancellation contains no ticket', async () => {
    servedEvent = { config: createEvent({ id: 'demo' }), hash: '', text: '', shared: '' }
    const { regNo } = await queueTicket()
    const action = {
      regNo,
      who: 'Meera',
      actor: 'owner',
      act: 'cancel',
      why: 'Ill.',
      at: now,
      idempotencyKey: null,
    } as const
    const cancellation = { refundAmount: toAmount(0), shownPaidAmount: null, mail: null }
    expect(await store.cancel(action, cancellation)).toMatchObject({ ok: true })
    await startMailer().run()
    servedEvent = null
    expect(readSingleFile()).not.toContain('.png')
  })

  test('the email to the previous delegate contains no ticket for the new one', async () => {
    servedEvent = { config: createEvent({ id: 'demo' }), hash: '', text: '', shared: '' }
    await queueTicket('previous@example.org')
    await startMailer().run()
    servedEvent = null
    expect(readSingleFile()).not.toContain('.png')
  })

  test.each([
    ['an email with a link', (regNo: RegNo) => store.queueMail(regNo, linkEmail, now)],
    [
      'an email with lost links',
      (regNo: RegNo) =>
        store.queueAccessLinks(regNo, { ...linkEmail, text: `{link ${regNo}}` }, now),
    ],
  ])('%s is not sent to an address that has been corrected since', async (_, queue) => {
    const { regNo } = await registerSample(store)
    await queue(regNo)
    const { searchable } = buildRegistration()
    const correction = buildCorrection({
      searchable: { ...searchable, email: 'right@example.org' },
      revokesLinks: true,
    })
    const action = {
      who: 'Meera',
      actor: 'owner',
      act: 'correct',
      why: 'A typing mistake.',
      idempotencyKey: null,
    } as const
    expect(await store.correct({ regNo, ...action, at: now }, correction)).toMatchObject({
      ok: true,
    })
    expect(await startMailer().run()).toBe(0)
    expect(existsSync(join(dir, 'mail'))).toBe(false)
    expect(await store.emailsOfRegistration(regNo)).toMatchObject([
      { status: 'failed', error: expect.stringMatching(/^Not sent, because it contains a link/) },
    ])
  })

  test('an email with a link needs two writes: the claim with the link, and the result', async () => {
    const { regNo } = await registerSample(store)
    await store.queueMail(regNo, { ...sampleEmail, text: `Dear ആശ,\n\n${LINK_PLACEHOLDER}\n` }, now)
    const storeCalls: string[] = []
    const { claimMail, addAccessLink, mailSent } = store
    store = {
      ...store,
      claimMail: (...args) => (storeCalls.push('claim'), claimMail(...args)),
      addAccessLink: (...args) => (storeCalls.push('link'), addAccessLink(...args)),
      mailSent: (...args) => (storeCalls.push('sent'), mailSent(...args)),
    }
    expect(await startMailer().run()).toBe(1)
    expect(storeCalls).toEqual(['claim', 'sent'])
    const token = /\/my\/(\S+)/.exec(parseEmail(readSingleFile()).body)?.[1] ?? ''
    expect(await store.accessLink(hashToken(token))).toMatchObject({ regNo, purpose: 'mail' })
  })

  test('repeated and concurrent runs write nothing twice', async () => {
    await queueEmail()
    const mailer = startMailer()
    await Promise.all([mailer.run(), mailer.run()])
    expect(await mailer.run()).toBe(0)
    expect(listFiles()).toHaveLength(1)
  })

  test.each([
    ['a line break and a header', 'Hello\r\nBcc: everybody@example.org', 'asha@example.org'],
    ['a line feed only', 'Hello\nBcc: everybody@example.org', 'asha@example.org'],
  ])('keeps a subject with %s on one line', async (_name, subject, to) => {
    await queueEmail({ subject, to })
    await startMailer().run()
    const { headers } = parseEmail(readSingleFile())
    expect(headers['subject']).toBe('Hello Bcc: everybody@example. org')
    expect(headers['bcc']).toBeUndefined()
  })

  test.each([
    'asha@example.org, eve@example.org',
    'asha@example.org\r\nBcc: eve@example.org',
    'Asha <asha@example.org>',
    'a;b@example.org',
    'nobody',
    '',
  ])('stops immediately at an invalid recipient: "%s"', async (to) => {
    const { state } = await queueEmail({ to })
    expect(await startMailer().run()).toBe(0)
    expect(await state()).toEqual([
      { status: 'failed', error: 'Mail cannot be sent to this address.' },
    ])
  })
})

describe('over SMTP', () => {
  test('sends one email, with the copy in the envelope and not in the headers', async () => {
    const server = await openServer()
    const { state } = await queueEmail({ copyTo: 'office@example.org' })
    const mailer = startMailer(server.url)
    await Promise.all([mailer.run(), mailer.run()])
    await mailer.run()
    expect(server.acceptedEmails.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'no-reply@example.org', to: ['asha@example.org', 'office@example.org'] },
    ])
    const { headers, body } = parseEmail(server.acceptedEmails[0]?.text ?? '')
    expect([headers['subject'], headers['bcc'], body.trim()]).toEqual([
      sampleEmail.subject,
      undefined,
      sampleEmail.text.trim(),
    ])
    expect(await state()).toEqual([{ status: 'sent', error: null }])
  })

  test('retries at growing intervals after a temporary error, then sends once', async () => {
    const server = await openServer({ data: [451, 'busy'] })
    const { state } = await queueEmail()
    const mailer = startMailer(server.url)
    for (const [expectedAttempts, wait] of RETRY_DELAYS_MS.slice(0, 3).entries()) {
      expect(await mailer.run()).toBe(0)
      expect(server.countRecipients()).toBe(expectedAttempts + 1)
      now = instant(now + wait - 1)
      await mailer.run()
      expect(server.countRecipients()).toBe(expectedAttempts + 1)
      now = instant(now + 1)
    }
    expect(await state()).toMatchObject([{ status: 'queued' }])
    server.behaviour.data = null
    expect(await mailer.run()).toBe(1)
    expect(server.acceptedEmails).toHaveLength(1)
    expect(await state()).toEqual([{ status: 'sent', error: null }])
  })

  test('keeps emails while the mail server is unreachable, and eventually stops retrying', async () => {
    const { state } = await queueEmail()
    const mailer = startMailer('smtp://127.0.0.1:1')
    const hour = 3_600_000
    for (let passedMs = 0; passedMs < RETRY_PERIOD_MS; passedMs += hour) {
      expect(await mailer.run()).toBe(0)
      now = instant(now + hour)
    }
    expect(await state()).toMatchObject([{ status: 'queued' }])
    await mailer.run()
    expect(await state()).toMatchObject([{ status: 'failed' }])
    expect((await state())[0]?.error).toMatch(/ECONNREFUSED/)
    // Staff can retry after they have solved the problem.
    const retry = () => runHere(['email', 'retry'], { DATA_DIR: dir, CLOCK: '2025-10-10' })
    expect(await retry()).toMatchObject({ status: 0, stdout: '1 email queued again.\n' })
    expect(await state()).toMatchObject([{ status: 'queued' }])
    expect(await retry()).toMatchObject({ status: 0, stdout: 'No email has failed.\n' })
  })

  test('stops immediately for a permanently rejected recipient', async () => {
    const server = await openServer({ rcpt: [550, 'no such mailbox'] })
    const { state } = await queueEmail()
    await startMailer(server.url).run()
    now = instant(now + 1_000_000_000)
    await startMailer(server.url).run()
    expect(server.countRecipients()).toBe(1)
    expect(await state()).toMatchObject([{ status: 'failed' }])
  })

  test('an email is not sent if the delegate’s address is rejected and only the copy is accepted', async () => {
    const server = await openServer({ rcpt: [550, 'no such mailbox'] })
    const { state } = await queueEmail({ copyTo: 'office@example.org' })
    expect(await startMailer(server.url).run()).toBe(0)
    expect(server.acceptedEmails.map(({ to }) => to)).toEqual([['office@example.org']])
    expect(await state()).toEqual([
      { status: 'failed', error: 'The mail server rejected this recipient.' },
    ])
  })

  test('an email that was sent but could not be marked as sent is sent at most once more, not every two seconds', async () => {
    const server = await openServer()
    const { state } = await queueEmail()
    const database = new Database(join(dir, DATABASE_FILE))
    database.exec(
      "CREATE TRIGGER full BEFORE UPDATE OF sent_at ON mail_queue BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    const mailer = startMailer(server.url)
    const run = () => mailer.run().catch(() => 0)
    for (let n = 0; n < 60; n += 1) {
      await run()
      now = instant(now + 2_000)
    }
    expect(server.countRecipients()).toBe(1)
    for (let hour = 0; hour < 48; hour += 1) {
      now = instant(now + 3_600_000)
      await run()
    }
    expect(server.countRecipients()).toBe(2)
    expect(await state()).toMatchObject([
      {
        status: 'failed',
        error: 'The email may not have been sent: two attempts were interrupted.',
      },
    ])
    database.close()
  })

  test('sends nothing if the claim cannot be stored', async () => {
    const server = await openServer()
    const { state } = await queueEmail()
    const database = new Database(join(dir, DATABASE_FILE))
    database.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON mail_queue BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    const mailer = startMailer(server.url)
    await expect(mailer.run()).rejects.toThrow('full')
    expect(server.countRecipients()).toBe(0)
    database.exec('DROP TRIGGER full')
    expect(await mailer.run()).toBe(1)
    expect(await state()).toEqual([{ status: 'sent', error: null }])
    database.close()
  })

  test('while the mail server is unreachable, only one round of emails is attempted; when it responds, all queued emails are sent', async () => {
    const waitingEmails = await Promise.all(Array.from({ length: 8 }, () => queueEmail()))
    const port = await findFreePort()
    const mailer = startMailer(`smtp://127.0.0.1:${port}`)
    expect(await mailer.run()).toBe(0)
    const countErrors = async (): Promise<number> =>
      (await Promise.all(waitingEmails.map(({ state }) => state())))
        .flat()
        .filter(({ error }) => error !== null).length
    // Up to five emails were in progress at the same time.
    const errorCount = await countErrors()
    expect(errorCount).toBeLessThanOrEqual(5)
    now = instant(now + 29_000)
    await mailer.run()
    expect(await countErrors()).toBe(errorCount)
    // The next attempt sends a single email, and the pause after it is twice as long.
    now = instant(now + 1_000)
    await mailer.run()
    expect(await countErrors()).toBe(errorCount + 1)
    const server = await openServer({}, port)
    now = instant(now + 60_000)
    let sentCount = 0
    for (let n = 0; n < 3; n += 1) sentCount += await mailer.run()
    expect([sentCount, server.acceptedEmails.length]).toEqual([8, 8])
    // The mailer is closed first, because the mail server waits for open connections.
    await mailer.close()
  })

  test('postponed emails are sent as soon as the mail server responds', async () => {
    // Five emails are sent concurrently; the last of them ends after the rest of the queue.
    await Promise.all(Array.from({ length: 6 }, () => queueEmail()))
    const port = await findFreePort()
    const mailer = startMailer(`smtp://127.0.0.1:${port}`)
    await mailer.run()
    const server = await openServer({}, port)
    now = instant(now + 30_000)
    for (let n = 0; n < 2; n += 1) await mailer.run()
    expect(server.acceptedEmails.length).toBe(6)
    await mailer.close()
  })

  test('reports at startup that the mail server does not accept emails', async () => {
    const messages: string[] = []
    startMailer(`smtp://127.0.0.1:${await findFreePort()}`, messages, true)
    await expect
      .poll(() => messages)
      .toContain('the mail server is not accepting emails; they stay queued')
  })

  test('sends several emails concurrently over persistent connections', async () => {
    const server = await openServer()
    await Promise.all(Array.from({ length: 12 }, () => queueEmail()))
    expect(await startMailer(server.url).run()).toBe(12)
    expect(server.countConnections()).toBeGreaterThan(1)
    expect(server.countConnections()).toBeLessThanOrEqual(5)
  })

  test('does not send a password over an unencrypted connection', async () => {
    const server = await openServer()
    // An address of this machine that Rollcall does not recognise as local.
    const url = server.url.replace('//127.0.0.1', '//user:secret@[::ffff:127.0.0.1]')
    const { state } = await queueEmail()
    expect(await startMailer(url).run()).toBe(0)
    expect(server.acceptedEmails).toEqual([])
    expect((await state())[0]?.error).toMatch(/STARTTLS/)
  })

  test('a silent mail server does not delay the shutdown', async () => {
    const sockets: Socket[] = []
    const silentServer = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
    const address = silentServer.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { state } = await queueEmail()
    const mailer = startMailer(`smtp://127.0.0.1:${port}`)
    const runPromise = mailer.run()
    await expect.poll(() => sockets.length).toBe(1)
    await mailer.close()
    expect(await runPromise).toBe(0)
    const [mail] = await state()
    // The shutdown, not the greeting timeout, ended the attempt.
    expect(mail?.status).toBe('queued')
    expect(mail?.error).not.toContain('Greeting')
    await new Promise((resolve) => silentServer.close(resolve))
  })

  test('one failing email does not delay the others', async () => {
    const server = await openServer()
    await queueEmail({ to: 'invalid-address' })
    await queueEmail()
    expect(await startMailer(server.url).run()).toBe(1)
    expect(server.acceptedEmails).toHaveLength(1)
  })
})
