/** The mail queue: as files, and over SMTP to a real server that refuses, breaks off and takes. */
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import {
  RETRY_PERIOD_MS,
  MAIL_RETRY_MS,
  startMailQueue,
} from '../../../server/mail/send-queued-emails.ts'
import type { Mailer } from '../../../server/mail/send-queued-emails.ts'
import type { ServedEvent } from '../../../server/dependencies.ts'
import { DATABASE_FILE } from '../../../server/storage/database/sqlite-connection.ts'
import type { NewMail, Store } from '../../../server/storage/index.ts'
import { freePort } from '../../browser/serve.ts'
import { createEvent } from '../../engine/fixtures.ts'
import { openStoreHere } from '../store-without-threads.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { runHere } from '../run-command.ts'
import { codeIn, isSharp } from '../read-qr-code.ts'
import { noon, registerSample } from '../sample-registrations.ts'
import { openMailServer } from './mail-server.ts'
import type { MailServer, MailServerAnswer } from './mail-server.ts'

let dir: string
let store: Store
let now: Instant
const closing: (() => Promise<void>)[] = []
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rollcall-mail-'))
  await useEmptyDatabase(dir)
  store = await openStoreHere({ dataDir: dir })
  now = noon
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const hello: NewMail = {
  to: 'asha@example.org',
  copyTo: null,
  subject: 'Confirmed – ആശ നായർ, ₹ 5,015',
  text: 'Dear ആശ,\n\nyou are registered.\n',
}
/** The event of the mails, where its file is served. */
let served: ServedEvent | null = null
const mailer = (smtpUrl: string | null = null, said: string[] = [], works = false): Mailer => {
  const opened = startMailQueue(
    {
      store,
      clock: () => now,
      log: { info: () => {}, warn: () => {}, error: (_, text = '') => void said.push(text) },
      events: { byId: () => served },
      environment: {
        smtpUrl,
        mailFrom: 'Rollcall <no-reply@example.org>',
        dataDir: dir,
        publicUrl: 'https://register.example.org',
      },
    },
    { isEnabled: works },
  )
  closing.push(opened.close)
  return opened
}
const queued = async (mail: Partial<NewMail> = {}) => {
  const { regNo } = await registerSample(store)
  await store.queueMail(regNo, { ...hello, ...mail }, now)
  return {
    regNo,
    state: async () => (await store.mailsOf(regNo)).map(({ status, error }) => ({ status, error })),
  }
}

/** As the gateway would settle it. */
const paid = async (regNo: string) => {
  const [payment] = (await store.registration(regNo))?.payments ?? []
  if (payment === undefined) throw new Error('nothing is to be paid')
  const { orderId, amount } = payment
  const sale = { reference: 'A1', amount, currency: '356', kind: 'sale', at: now } as const
  await store.applyPaymentEvent(orderId, { type: 'confirmed', ...sale }, null)
}

const smtp = async (answer: MailServerAnswer = {}, port = 0): Promise<MailServer> => {
  const server = await openMailServer(answer, port)
  closing.push(server.close)
  return server
}

/** Headers unfolded, encoded words and the body read. */
function readMail(text: string): {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
} {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n')
  const word = (coded: string): string =>
    coded
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?utf-8\?(b|q)\?([^?]*)\?=/gi, (_all, kind: string, content: string) =>
        kind.toLowerCase() === 'b'
          ? `\u0001${content}\u0002`
          : quoted(content.replaceAll('_', ' ')),
      )
  const joined = (coded: string): string =>
    word(coded).replaceAll(/((?:\u0001[^\u0002]*\u0002)+)/g, (run) =>
      Buffer.concat(
        run
          .split('\u0002')
          .filter((part) => part !== '')
          .map((part) => Buffer.from(part.slice(1), 'base64')),
      ).toString('utf8'),
    )
  const headers = Object.fromEntries(
    head
      .replaceAll(/\n[ \t]+/g, ' ')
      .split('\n')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        joined(line.slice(line.indexOf(':') + 1).trim()),
      ]),
  )
  const body = rest.join('\n\n')
  const how = headers['content-transfer-encoding'] ?? '7bit'
  return {
    headers,
    body:
      how === 'base64'
        ? Buffer.from(body, 'base64').toString('utf8')
        : how === 'quoted-printable'
          ? quoted(body.replaceAll('=\n', ''))
          : body,
  }
}
/** What stands between the boundaries of a mail of several parts. */
function partsOf({ headers, body }: ReturnType<typeof readMail>): readonly string[] {
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  return body.split(`--${boundary}`).slice(1, -1)
}
const quoted = (text: string): string =>
  decodeURIComponent(text.replaceAll('%', '%25').replaceAll(/=([0-9A-F]{2})/g, '%$1'))

const files = (): string[] => readdirSync(join(dir, 'mail'))
const only = (): string => readFileSync(join(dir, 'mail', files()[0] ?? ''), 'utf8')

describe('without SMTP', () => {
  test('writes each email to one complete UTF-8 file, named by its number', async () => {
    const { regNo, state } = await queued({ copyTo: 'office@example.org' })
    expect(await mailer().run()).toBe(1)
    expect(files()).toEqual([`000001-${regNo}.eml`])
    const { headers, body } = readMail(only())
    expect(headers).toMatchObject({
      from: 'Rollcall <no-reply@example.org>',
      to: 'asha@example.org',
      subject: hello.subject,
      'x-copy-to': 'office@example.org',
      'auto-submitted': 'auto-generated',
      'content-type': 'text/plain; charset=utf-8',
    })
    expect(headers['message-id']).toMatch(/^<[0-9a-f]{32}@register\.example\.org>$/)
    expect(body.trim()).toBe(hello.text.trim())
    expect(await state()).toEqual([{ status: 'sent', error: null }])
  })

  test('attaches the QR code and the calendar file to a ticket', async () => {
    const config = createEvent({ id: 'demo', title: 'Demo, 2026', venue: 'Town Hall; Kochi' })
    served = { config, hash: '', text: '', shared: '' }
    const { regNo } = await queued()
    await paid(regNo)
    await mailer().run()
    served = null
    const { headers, body } = readMail(only())
    expect(headers['reply-to']).toBe(config.support)
    const parts = partsOf({ headers, body })
    const [words = '', code = '', calendar = ''] = parts
    expect(parts).toHaveLength(3)
    const [text = '', html = ''] = partsOf(readMail(words.trim()))
    expect(readMail(text.trim()).body.trim()).toBe(hello.text.trim())
    const page = readMail(html.trim())
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const paragraph of hello.text.trim().split('\n\n'))
      expect(page.body).toContain(`>${paragraph}</p>`)
    expect(code).toContain(`filename=${regNo}.png`)
    const picture = Buffer.from(code.split('\n\n')[1] ?? '', 'base64')
    expect(codeIn(picture)).toBe(regNo)
    expect(isSharp(picture)).toBe(true)
    expect(calendar).toContain('filename=demo.ics')
    const entry = Buffer.from(calendar.split('\n\n')[1] ?? '', 'base64').toString('utf8')
    expect(entry.split('\r\n')).toEqual(
      expect.arrayContaining([
        'UID:demo@register.example.org',
        'DTSTART;VALUE=DATE:20260131',
        // The day after the last one, which is not part of it.
        'DTEND;VALUE=DATE:20260202',
        'SUMMARY:Demo\\, 2026',
        'LOCATION:Town Hall\\; Kochi',
      ]),
    )
  })

  test('repeated and concurrent runs write nothing twice', async () => {
    await queued()
    const worker = mailer()
    await Promise.all([worker.run(), worker.run()])
    expect(await worker.run()).toBe(0)
    expect(files()).toHaveLength(1)
  })

  test.each([
    ['a line break and a header', 'Hello\r\nBcc: everybody@example.org', 'asha@example.org'],
    ['a bare line feed', 'Hello\nBcc: everybody@example.org', 'asha@example.org'],
  ])('keeps a subject with %s on one line', async (_name, subject, to) => {
    await queued({ subject, to })
    await mailer().run()
    const { headers } = readMail(only())
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
  ])('gives up immediately on an invalid recipient: "%s"', async (to) => {
    const { state } = await queued({ to })
    expect(await mailer().run()).toBe(0)
    expect(await state()).toEqual([
      { status: 'failed', error: 'Mail cannot be sent to this address.' },
    ])
  })
})

describe('over SMTP', () => {
  test('sends one email, with the copy in the envelope and not in the headers', async () => {
    const server = await smtp()
    const { state } = await queued({ copyTo: 'office@example.org' })
    const worker = mailer(server.url)
    await Promise.all([worker.run(), worker.run()])
    await worker.run()
    expect(server.taken.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'no-reply@example.org', to: ['asha@example.org', 'office@example.org'] },
    ])
    const { headers, body } = readMail(server.taken[0]?.text ?? '')
    expect([headers['subject'], headers['bcc'], body.trim()]).toEqual([
      hello.subject,
      undefined,
      hello.text.trim(),
    ])
    expect(await state()).toEqual([{ status: 'sent', error: null }])
  })

  test('retries at growing intervals after a temporary error, then sends once', async () => {
    const server = await smtp({ data: [451, 'busy'] })
    const { state } = await queued()
    const worker = mailer(server.url)
    for (const [tries, wait] of MAIL_RETRY_MS.slice(0, 3).entries()) {
      expect(await worker.run()).toBe(0)
      expect(server.tried()).toBe(tries + 1)
      now = instant(now + wait - 1)
      await worker.run()
      expect(server.tried()).toBe(tries + 1)
      now = instant(now + 1)
    }
    expect(await state()).toMatchObject([{ status: 'queued' }])
    server.answer.data = null
    expect(await worker.run()).toBe(1)
    expect(server.taken).toHaveLength(1)
    expect(await state()).toEqual([{ status: 'sent', error: null }])
  })

  test('keeps emails while the mail server is unreachable, and gives up in the end', async () => {
    const { state } = await queued()
    const worker = mailer('smtp://127.0.0.1:1')
    const hour = 3_600_000
    for (let passed = 0; passed < RETRY_PERIOD_MS; passed += hour) {
      expect(await worker.run()).toBe(0)
      now = instant(now + hour)
    }
    expect(await state()).toMatchObject([{ status: 'queued' }])
    await worker.run()
    expect(await state()).toMatchObject([{ status: 'failed' }])
    expect((await state())[0]?.error).toMatch(/ECONNREFUSED/)
    // Until somebody has mended it and says so.
    const retry = () => runHere(['email', 'retry'], { DATA_DIR: dir, CLOCK: '2025-10-10' })
    expect(await retry()).toMatchObject({ status: 0, stdout: '1 email queued again.\n' })
    expect(await state()).toMatchObject([{ status: 'queued' }])
    expect(await retry()).toMatchObject({ status: 0, stdout: 'No email has failed.\n' })
  })

  test('gives up immediately on a permanently rejected recipient', async () => {
    const server = await smtp({ rcpt: [550, 'no such mailbox'] })
    const { state } = await queued()
    await mailer(server.url).run()
    now = instant(now + 1_000_000_000)
    await mailer(server.url).run()
    expect(server.tried()).toBe(1)
    expect(await state()).toMatchObject([{ status: 'failed' }])
  })

  test('an email is not sent if the delegate is rejected and only the copy accepted', async () => {
    const server = await smtp({ rcpt: [550, 'no such mailbox'] })
    const { state } = await queued({ copyTo: 'office@example.org' })
    expect(await mailer(server.url).run()).toBe(0)
    expect(server.taken.map(({ to }) => to)).toEqual([['office@example.org']])
    expect(await state()).toEqual([
      { status: 'failed', error: 'The mail server refuses this recipient.' },
    ])
  })

  test('an email that was sent but could not be marked was sent every two seconds: it is sent once more at most', async () => {
    const server = await smtp()
    const { state } = await queued()
    const disk = new Database(join(dir, DATABASE_FILE))
    disk.exec(
      "CREATE TRIGGER full BEFORE UPDATE OF sent_at ON mail_queue BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    const worker = mailer(server.url)
    const run = () => worker.run().catch(() => 0)
    for (let tick = 0; tick < 60; tick += 1) {
      await run()
      now = instant(now + 2_000)
    }
    expect(server.tried()).toBe(1)
    for (let hour = 0; hour < 48; hour += 1) {
      now = instant(now + 3_600_000)
      await run()
    }
    expect(server.tried()).toBe(2)
    expect(await state()).toMatchObject([
      {
        status: 'failed',
        error: 'It is unknown whether the email was sent: two attempts were interrupted.',
      },
    ])
    disk.close()
  })

  test('sends nothing if the claim cannot be stored', async () => {
    const server = await smtp()
    const { state } = await queued()
    const disk = new Database(join(dir, DATABASE_FILE))
    disk.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON mail_queue BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    const worker = mailer(server.url)
    await expect(worker.run()).rejects.toThrow('full')
    expect(server.tried()).toBe(0)
    disk.exec('DROP TRIGGER full')
    expect(await worker.run()).toBe(1)
    expect(await state()).toEqual([{ status: 'sent', error: null }])
    disk.close()
  })

  test('an unreachable mail server costs one attempt in total; when it responds, all waiting emails are sent', async () => {
    const waiting = await Promise.all(Array.from({ length: 8 }, () => queued()))
    const port = await freePort()
    const worker = mailer(`smtp://127.0.0.1:${port}`)
    expect(await worker.run()).toBe(0)
    const errors = async (): Promise<number> =>
      (await Promise.all(waiting.map(({ state }) => state())))
        .flat()
        .filter(({ error }) => error !== null).length
    // Those that were on their way together.
    const tried = await errors()
    expect(tried).toBeLessThanOrEqual(5)
    now = instant(now + 29_000)
    await worker.run()
    expect(await errors()).toBe(tried)
    // The next is learnt from one, and rests twice as long.
    now = instant(now + 1_000)
    await worker.run()
    expect(await errors()).toBe(tried + 1)
    const server = await smtp({}, port)
    now = instant(now + 60_000)
    let sent = 0
    for (let tick = 0; tick < 3; tick += 1) sent += await worker.run()
    expect([sent, server.taken.length]).toEqual([8, 8])
    // Before its server, which waits half a minute for connections that stay.
    await worker.close()
  })

  test('postponed emails are sent as soon as the mail server responds', async () => {
    // Five are tried at once; the last waits for the rest of the queue to end.
    await Promise.all(Array.from({ length: 6 }, () => queued()))
    const port = await freePort()
    const worker = mailer(`smtp://127.0.0.1:${port}`)
    await worker.run()
    const server = await smtp({}, port)
    now = instant(now + 30_000)
    for (let tick = 0; tick < 2; tick += 1) await worker.run()
    expect(server.taken.length).toBe(6)
    await worker.close()
  })

  test('reports at startup that the mail server accepts nothing', async () => {
    const said: string[] = []
    mailer(`smtp://127.0.0.1:${await freePort()}`, said, true)
    await expect
      .poll(() => said)
      .toContain('the mail server is not accepting emails; they stay queued')
  })

  test('sends several emails concurrently over persistent connections', async () => {
    const server = await smtp()
    await Promise.all(Array.from({ length: 12 }, () => queued()))
    expect(await mailer(server.url).run()).toBe(12)
    expect(server.connections()).toBeGreaterThan(1)
    expect(server.connections()).toBeLessThanOrEqual(5)
  })

  test('does not send a password over an unencrypted connection', async () => {
    const server = await smtp()
    // A name that means this machine and is not known for it.
    const url = server.url.replace('//127.0.0.1', '//user:secret@[::ffff:127.0.0.1]')
    const { state } = await queued()
    expect(await mailer(url).run()).toBe(0)
    expect(server.taken).toEqual([])
    expect((await state())[0]?.error).toMatch(/STARTTLS/)
  })

  test('a silent mail server delays neither other emails nor the shutdown', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { state } = await queued()
    const worker = mailer(`smtp://127.0.0.1:${port}`)
    const running = worker.run()
    await expect.poll(() => sockets.length).toBe(1)
    await worker.close()
    expect(await running).toBe(0)
    const [mail] = await state()
    // The stop has ended it, not the time limit of a greeting.
    expect(mail?.status).toBe('queued')
    expect(mail?.error).not.toContain('Greeting')
    await new Promise((resolve) => silent.close(resolve))
  })

  test('one failing email does not delay the others', async () => {
    const server = await smtp()
    await queued({ to: 'nobody' })
    await queued()
    expect(await mailer(server.url).run()).toBe(1)
    expect(server.taken).toHaveLength(1)
  })
})
