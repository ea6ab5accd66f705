/** A mail server that takes connections and then says nothing, under a server as an operator runs it; and what the health check says of emails. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { runHere } from '../run-command.ts'
import { openMailServer } from '../mail/mail-server.ts'
import type { MailServer } from '../mail/mail-server.ts'
import { hurryBackground, makeFolders, operate, operateHere } from './operator.ts'
import type { Here } from './operator.ts'
import { queueEmails } from './queue-emails.ts'

const PATIENT = { timeout: 200_000, interval: 100 }
const at = instant(Date.parse('2025-10-10T12:00:00+05:30'))
let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
const closing: (() => Promise<void> | void)[] = []
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  for (const close of closing.splice(0)) await close()
  folders.remove()
})

/** Takes connections, and never says a word; or comes to no end with one recipient. */
async function silentServer(
  until: 'never' | { readonly to: string },
): Promise<{ readonly url: string; readonly held: () => number; readonly taken: string[] }> {
  const sockets = new Set<Socket>()
  const taken: string[] = []
  let held = 0
  const listener: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    if (until === 'never') {
      held += 1
      socket.resume()
      return
    }
    let isInMail = false
    let to: string[] = []
    let waiting = ''
    const say = (line: string): void => {
      socket.write(`${line}\r\n`)
    }
    say('220 mail.example.org')
    socket.on('data', (chunk) => {
      waiting += chunk.toString('latin1')
      for (let end = waiting.indexOf('\r\n'); end !== -1; end = waiting.indexOf('\r\n')) {
        const line = waiting.slice(0, end)
        waiting = waiting.slice(end + 2)
        if (isInMail) {
          if (line !== '.') continue
          isInMail = false
          taken.push(...to)
          to = []
          say('250 taken')
        } else if (line.startsWith('RCPT TO')) {
          to.push(/<(.+)>/.exec(line)?.[1] ?? '')
          if (to.includes(until.to)) {
            held += 1
            // No line of this is the last one of an answer.
            const dripping = setInterval(() => say('250-one moment'), 200)
            socket.on('close', () => clearInterval(dripping))
            continue
          }
          say('250 ok')
        } else if (line === 'DATA') {
          isInMail = true
          say('354 go on')
        } else if (line === 'QUIT') {
          say('221 bye')
          socket.end()
        } else say('250 ok')
      }
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    listener.close()
    await once(listener, 'close')
  })
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `smtp://127.0.0.1:${port}`, held: () => held, taken }
}
const mailServer = async (...args: Parameters<typeof openMailServer>): Promise<MailServer> => {
  const opened = await openMailServer(...args)
  closing.push(opened.close)
  return opened
}

const queued = (...addresses: readonly string[]): Promise<void> =>
  queueEmails(folders.dataDir, at, addresses)
const healthOf = async ({ url }: Here): Promise<object> =>
  (await (await fetch(`${url}/healthz`)).json()) as object

test('a mail server that takes the connection and says nothing kept a stopped server from ending: it ends, and sends the emails at the next start', async () => {
  const mail = await silentServer('never')
  await queued('asha@example.org')
  server = await operate(folders, { SMTP_URL: mail.url })
  // One for the check of the start, one for the email.
  await expect.poll(mail.held, PATIENT).toBeGreaterThan(1)
  // The connections stand until the mail server ends them: nothing else does.
  expect(await server.stop()).toBe(0)
  expect(server.printed()).toContain('"stopped"')
  const good = await mailServer()
  server = await operateHere(folders, { SMTP_URL: good.url, CLOCK: '2025-10-10T12:05:00+05:30' })
  await expect.poll(() => good.taken.length, PATIENT).toBe(1)
})

test('one email with which the mail server came to no end stopped the queue for good: the others go out, and it is tried again', async () => {
  const mail = await silentServer({ to: 'silent@example.org' })
  const others = Array.from({ length: 12 }, (_, n) => `other${n}@example.org`)
  await queued('silent@example.org', ...others)
  // The time limit of an email, in a hurry.
  closing.push(await hurryBackground(90_000, 10_000))
  server = await operateHere(folders, { SMTP_URL: mail.url })
  await expect.poll(() => mail.taken.toSorted(), PATIENT).toEqual(others.toSorted())
  // What is written while that one is being sent.
  await queued('later@example.org')
  await expect.poll(() => mail.taken, PATIENT).toContain('later@example.org')
  await expect
    .poll(() => server?.printed(), PATIENT)
    .toContain('an email could not be sent; it will be retried')
  expect(server.printed()).not.toContain('emails stay queued')
  expect(await server.stop()).toBe(0)
})

test('rollcall doctor said that a mail server takes emails which comes to no end with any', async () => {
  const mail = await silentServer({ to: 'silent@example.org' })
  await queued('silent@example.org')
  // The time limit of an email, in a hurry.
  closing.push(await hurryBackground(90_000, 1_000))
  server = await operateHere(folders, { SMTP_URL: mail.url })
  await expect
    .poll(() => server?.printed(), PATIENT)
    .toContain('an email could not be sent; it will be retried')
  const { stdout } = await runHere(['doctor'], {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    PORT: String(server.port),
    SMTP_URL: mail.url,
  })
  expect(stdout).toMatch(/^look +The mail server responds, but emails are waiting \(1\)\./m)
})

test('the health check did not say that the mail server is down, since when, and how many emails wait or were given up', async () => {
  const mail = await mailServer({ of: { 'unknown@example.org': [550, 'no such mailbox'] } })
  await queued('unknown@example.org')
  server = await operateHere(folders, { SMTP_URL: mail.url })
  await expect
    .poll(() => healthOf(server as Here), PATIENT)
    .toMatchObject({
      health: 'good',
      mail: { waiting: 0, given_up: 1, silent_since: null },
      notes: [expect.stringMatching(/^1 email could not be sent.*rollcall email retry/)],
    })
  await server.stop()
  await mail.close()
  closing.length = 0

  await queued('asha@example.org', 'ravi@example.org')
  server = await operateHere(folders, { SMTP_URL: mail.url })
  await expect
    .poll(() => healthOf(server as Here), PATIENT)
    .toMatchObject({
      mail: {
        waiting: 2,
        given_up: 1,
        silent_since: expect.stringMatching(/^2025-10-10T12:00:\d\d\+05:30$/),
      },
    })
  // The same a quarter of an hour later needs somebody.
  await server.stop()
  server = await operateHere(folders, { SMTP_URL: mail.url, CLOCK: '2025-10-10T12:30:00+05:30' })
  await expect
    .poll(() => healthOf(server as Here), PATIENT)
    .toMatchObject({
      health: 'degraded',
      troubles: [
        expect.stringMatching(
          /^2 emails wait, the oldest for 30 minutes\. The mail server has not responded since .+ SMTP_URL/,
        ),
      ],
    })
  expect(JSON.stringify(await healthOf(server))).not.toContain('example.org')
})
