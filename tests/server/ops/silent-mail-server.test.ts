/** A mail server that accepts connections but never responds, and what the health check reports about emails. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { runHere } from '../run-command.ts'
import { openMailServer } from '../mail/mail-server.ts'
import type { MailServer } from '../mail/mail-server.ts'
import {
  shortenBackgroundTimers,
  makeFolders,
  startServerProcess,
  startServerHere,
} from './operator.ts'
import type { RunningServerHere } from './operator.ts'
import { queueEmails } from './queue-emails.ts'

const POLL_OPTIONS = { timeout: 200_000, interval: 100 }
const at = instant(Date.parse('2025-10-10T12:00:00+05:30'))
let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
const cleanups: (() => Promise<void> | void)[] = []
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
  folders.remove()
})

/** Opens a mail server that never responds to anyone, or that never completes its response about one recipient. */
async function openSilentServer(silentFor: 'everyone' | { readonly to: string }): Promise<{
  readonly url: string
  readonly heldCount: () => number
  readonly recipients: string[]
}> {
  const sockets = new Set<Socket>()
  const recipients: string[] = []
  let heldCount = 0
  const listener: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    if (silentFor === 'everyone') {
      heldCount += 1
      socket.resume()
      return
    }
    let isInData = false
    let to: string[] = []
    let buffered = ''
    const respond = (line: string): void => {
      socket.write(`${line}\r\n`)
    }
    respond('220 mail.example.org')
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1')
      for (let end = buffered.indexOf('\r\n'); end !== -1; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        if (isInData) {
          if (line !== '.') continue
          isInData = false
          recipients.push(...to)
          to = []
          respond('250 taken')
        } else if (line.startsWith('RCPT TO')) {
          to.push(/<(.+)>/.exec(line)?.[1] ?? '')
          if (to.includes(silentFor.to)) {
            heldCount += 1
            // The response never ends, because no line is marked as the last one.
            const dripTimer = setInterval(() => respond('250-one moment'), 200)
            socket.on('close', () => clearInterval(dripTimer))
            continue
          }
          respond('250 ok')
        } else if (line === 'DATA') {
          isInData = true
          respond('354 go on')
        } else if (line === 'QUIT') {
          respond('221 bye')
          socket.end()
        } else respond('250 ok')
      }
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    listener.close()
    await once(listener, 'close')
  })
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `smtp://127.0.0.1:${port}`, heldCount: () => heldCount, recipients }
}
const openServer = async (...args: Parameters<typeof openMailServer>): Promise<MailServer> => {
  const openedServer = await openMailServer(...args)
  cleanups.push(openedServer.close)
  return openedServer
}

const queueEmailsFor = (...addresses: readonly string[]): Promise<void> =>
  queueEmails(folders.dataDir, at, addresses)
const readHealth = async ({ url }: RunningServerHere): Promise<object> =>
  (await (await fetch(`${url}/healthz`)).json()) as object

test('a mail server that accepts connections but never responds does not prevent the server from stopping', async () => {
  const smtpServer = await openSilentServer('everyone')
  await queueEmailsFor('asha@example.org')
  server = await startServerProcess(folders, { SMTP_URL: smtpServer.url })
  // One connection is for the check at startup, and the other for the email.
  await expect.poll(smtpServer.heldCount, POLL_OPTIONS).toBeGreaterThan(1)
  // The mail server itself would never close the connections.
  expect(await server.stop()).toBe(0)
  expect(server.readOutput()).toContain('"stopped"')
  const workingServer = await openServer()
  server = await startServerHere(folders, {
    SMTP_URL: workingServer.url,
    CLOCK: '2025-10-10T12:05:00+05:30',
  })
  await expect.poll(() => workingServer.acceptedEmails.length, POLL_OPTIONS).toBe(1)
})

test('one email that the mail server never accepts does not stop the queue', async () => {
  const smtpServer = await openSilentServer({ to: 'silent@example.org' })
  const otherAddresses = Array.from({ length: 12 }, (_, n) => `other${n}@example.org`)
  await queueEmailsFor('silent@example.org', ...otherAddresses)
  // Shortens the time limit for sending an email.
  cleanups.push(await shortenBackgroundTimers(90_000, 10_000))
  server = await startServerHere(folders, { SMTP_URL: smtpServer.url })
  await expect
    .poll(() => smtpServer.recipients.toSorted(), POLL_OPTIONS)
    .toEqual(otherAddresses.toSorted())
  // Another email is queued while the first is being sent.
  await queueEmailsFor('later@example.org')
  await expect.poll(() => smtpServer.recipients, POLL_OPTIONS).toContain('later@example.org')
  await expect
    .poll(() => server?.readOutput(), POLL_OPTIONS)
    .toContain('an email could not be sent; it will be retried')
  expect(server.readOutput()).not.toContain('emails stay queued')
  expect(await server.stop()).toBe(0)
})

test('rollcall doctor does not report that a mail server accepts emails if it has accepted none', async () => {
  const smtpServer = await openSilentServer({ to: 'silent@example.org' })
  await queueEmailsFor('silent@example.org')
  // Shortens the time limit for sending an email.
  cleanups.push(await shortenBackgroundTimers(90_000, 1_000))
  server = await startServerHere(folders, { SMTP_URL: smtpServer.url })
  await expect
    .poll(() => server?.readOutput(), POLL_OPTIONS)
    .toContain('an email could not be sent; it will be retried')
  const { stdout } = await runHere(['doctor'], {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    PORT: String(server.port),
    SMTP_URL: smtpServer.url,
  })
  expect(stdout).toMatch(/^check +The mail server responds, but emails are waiting \(1\)\./m)
})

test('the health check reports that the mail server is down, since when, and how many emails are queued or abandoned', async () => {
  const smtpServer = await openServer({
    byRecipient: { 'unknown@example.org': [550, 'no such mailbox'] },
  })
  await queueEmailsFor('unknown@example.org')
  server = await startServerHere(folders, { SMTP_URL: smtpServer.url })
  await expect
    .poll(() => readHealth(server as RunningServerHere), POLL_OPTIONS)
    .toMatchObject({
      health: 'good',
      mail: { waiting: 0, given_up: 1, silent_since: null },
      notes: [expect.stringMatching(/^1 email could not be sent.*rollcall email retry/)],
    })
  await server.stop()
  await smtpServer.close()
  cleanups.length = 0

  await queueEmailsFor('asha@example.org', 'ravi@example.org')
  server = await startServerHere(folders, { SMTP_URL: smtpServer.url })
  await expect
    .poll(() => readHealth(server as RunningServerHere), POLL_OPTIONS)
    .toMatchObject({
      mail: {
        waiting: 2,
        given_up: 1,
        silent_since: expect.stringMatching(/^2025-10-10T12:00:\d\d\+05:30$/),
      },
    })
  // After a quarter of an hour, waiting emails need attention.
  await server.stop()
  server = await startServerHere(folders, {
    SMTP_URL: smtpServer.url,
    CLOCK: '2025-10-10T12:30:00+05:30',
  })
  await expect
    .poll(() => readHealth(server as RunningServerHere), POLL_OPTIONS)
    .toMatchObject({
      health: 'degraded',
      troubles: [
        expect.stringMatching(
          /^2 emails are waiting, the oldest for 30 minutes\. The mail server has not responded since .+ SMTP_URL/,
        ),
      ],
    })
  expect(JSON.stringify(await readHealth(server))).not.toContain('example.org')
})
