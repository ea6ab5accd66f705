/** Email attacks: flooding a mailbox, and injecting links into the conference's emails. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toAmount } from '../../engine/index.ts'
import { buildConfirmationEmail } from '../../engine/messages.ts'
import type { OrderId, RegNo } from '../../engine/index.ts'
import type { RegisterResponse } from '../../engine/api.ts'
import { openStoreInProcess } from '../server/store-without-threads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../server/small-event.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { buildSale } from '../server/sample-registrations.ts'

const EVENT = 'sample2026'
const VICTIM = 'victim@gmail.com'
let server: TestApp
beforeEach(async () => {
  const freeEvent = buildFixtureEvent({ id: 'free2026', prefix: 'FREE', payment: 'none' })
  server = await startTestApp({
    clock: '2026-01-10T10:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent(), 'free2026.yaml': freeEvent },
  })
})
afterEach(() => server.close())

type RegistrationInput = { readonly name?: string; readonly email?: string }
async function submitRegistration(
  eventId: string,
  { name = 'Asha Nair', email = VICTIM }: RegistrationInput = {},
) {
  const registerResponse = await server.post(`/api/${eventId}/register/`, {
    ...fixtureDelegate,
    full_name: name,
    email,
  })
  expect(registerResponse.statusCode).toBe(201)
  return registerResponse.json<RegisterResponse>()
}
const requestLinks = (email: string) =>
  server.app.inject({ method: 'POST', url: '/api/my/', payload: { email } })

type Email = { readonly to: string; readonly subject: string; readonly text: string }
/** Returns the sent emails, oldest first, with all displayable parts decoded. */
async function readSentEmails(): Promise<readonly Email[]> {
  await server.mailer.run()
  const folder = join(server.dir, 'mail')
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const rawEmail = readFileSync(join(folder, file), 'utf8')
      const readHeader = (name: string) =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(rawEmail)?.[1] ?? ''
      return { to: readHeader('To'), subject: readHeader('Subject'), text: decodeParts(rawEmail) }
    })
}
/** Decodes quoted-printable and base64 text; leaves attachments unchanged. */
function decodeParts(rawEmail: string): string {
  return rawEmail
    .split(/\n--[^\n]+\n/)
    .map((bodyPart) =>
      /transfer-encoding: quoted-printable/i.test(bodyPart)
        ? Buffer.from(
            bodyPart
              .replaceAll('=\n', '')
              .replaceAll(/=([0-9A-F]{2})/g, (_, hexCode: string) =>
                String.fromCharCode(Number.parseInt(hexCode, 16)),
              ),
            'latin1',
          ).toString('utf8')
        : bodyPart,
    )
    .join('\n')
}
const findPauseNotices = (emails: readonly Email[]) =>
  emails.filter(({ subject }) => subject === 'We have paused emails to this address')

describe("an outsider who floods another person's mailbox", () => {
  test('sends at most five registration emails an hour to one mailbox, then one notice, then nothing', async () => {
    const spellings = ['victim@gmail.com', 'Vic.tim@gmail.com', 'victim+9@googlemail.com']
    for (let n = 0; n < 12; n += 1)
      await submitRegistration('free2026', { email: spellings[n % 3] ?? VICTIM })
    const emails = await readSentEmails()
    expect(emails).toHaveLength(6)
    const [pauseNotice] = findPauseNotices(emails)
    expect(pauseNotice).toBe(emails.at(-1))
    expect(pauseNotice?.text).toContain('We have sent 5 emails to this address in the past hour.')
    expect(pauseNotice?.text).toContain(`${server.environment.publicUrl}/my`)
    // Other mailboxes are unaffected, and the office lists the unsent emails.
    await submitRegistration('free2026', { email: 'other@gmail.com' })
    expect(await readSentEmails()).toHaveLength(7)
    expect(server.rows("SELECT 1 FROM mail_queue WHERE status = 'failed'")).toHaveLength(7)
  })

  test('the hourly limit counts lost-link requests together with registrations', async () => {
    for (let n = 0; n < 3; n += 1) await submitRegistration('free2026')
    for (let n = 0; n < 9; n += 1) {
      await requestLinks(VICTIM)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(async () => (await readSentEmails()).length).toBe(6)
    expect(findPauseNotices(await readSentEmails())).toHaveLength(1)
    server.setTime('2026-01-10T11:00:01+05:30')
    await requestLinks(VICTIM)
    await expect.poll(async () => (await readSentEmails()).length).toBe(7)
  })

  test('the limit applies across servers and restarts', async () => {
    for (let n = 0; n < 6; n += 1) await submitRegistration('free2026')
    const [{ reg_no: regNo = '' } = {}] = server.rows('SELECT reg_no FROM registrations')
    const secondStore = await openStoreInProcess({ dataDir: server.dir })
    const linkEmail = { to: VICTIM, copyTo: null, subject: 'Your links', text: 'Here they are.' }
    await secondStore.queueAccessLinks(regNo as RegNo, linkEmail, server.now())
    await secondStore.close()
    expect(await readSentEmails()).toHaveLength(6)
  })

  test('the limit includes emails about payment claims made on the self-service page', async () => {
    server.writeEvent(
      'lekhacon2027.yaml',
      readFileSync(join(import.meta.dirname, '..', 'events', 'lekhacon2027.yaml'), 'utf8'),
    )
    await server.deps.events.reload()
    server.setTime('2027-01-10')
    for (let n = 0; n < 5; n += 1) {
      const response = await server.post('/api/lekhacon2027/register/', {
        full_name: 'Asha Nair',
        email: VICTIM,
        phone_number: '9847000000',
        registered_as: 'member',
        way: 'transfer',
      })
      const claimResponse = await server.app.inject({
        method: 'POST',
        url: `/api${response.json<RegisterResponse>().page ?? ''}/acts/`,
        payload: {
          act: 'tell',
          answers: { utr: String(500_000_000_000 + n), paid_on: '2027-01-09' },
        },
      })
      expect(claimResponse.statusCode).toBe(200)
    }
    const emails = await readSentEmails()
    expect(emails).toHaveLength(6)
    expect(findPauseNotices(emails)).toHaveLength(1)
  })

  test('the limit does not block the confirmation of a payment', async () => {
    for (let n = 0; n < 7; n += 1) await submitRegistration('free2026')
    const { reg_no: regNo, payment_data: paymentData } = await submitRegistration(EVENT)
    const activeEvent = server.deps.events.findById(EVENT)
    const storedRegistration = await server.deps.store.registration(regNo as RegNo)
    if (activeEvent === null || storedRegistration === null)
      throw new Error('The registration was not stored')
    await server.deps.store.applyPaymentEvent(
      (paymentData?.orderid ?? '') as OrderId,
      buildSale('AP1', toAmount(118_000), server.now()),
      buildConfirmationEmail(activeEvent.config, storedRegistration),
    )
    expect((await readSentEmails()).filter(({ subject }) => subject.includes(regNo))).toHaveLength(
      1,
    )
  })
})

describe('a link that an outsider enters as an answer', () => {
  /** Text that mail programs turn into links: URLs and host names. */
  const LINKS = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+|\S*evil[.\u2024\u3002\uFE52\uFF0E\uFF61]\S+/giu
  const names = [
    'You won https://evil.example',
    'You won HTTP://EVIL.EXAMPLE/x?y=1',
    'www.evil.example',
    'evil.example/prize',
    'x@evil.example',
    'mailto:x@evil.example',
    'https:\\\\evil.example',
    'evil。example',
    'evil．example',
    'evil\u2024example',
    'evil\uFE52example',
    'evil.ⓔxample',
    '<a href="https://evil.example">prize</a>',
    '[prize](https://evil.example)',
    'Asha,https://evil.example,Nair',
  ]
  test('is not a link in emails, in any spelling', { tags: ['slow'] }, async () => {
    for (const [n, name] of names.entries()) {
      await submitRegistration('free2026', { name, email: `victim${n}@gmail.com` })
      await requestLinks(`victim${n}@gmail.com`)
    }
    await expect.poll(async () => (await readSentEmails()).length).toBe(2 * names.length)
    for (const { to, text, subject } of await readSentEmails()) {
      const links = `${subject}\n${text}`.match(LINKS) ?? []
      const foreignLinks = links.filter(
        (link) =>
          !link.startsWith(server.environment.publicUrl) &&
          !/^(?:http:\/\/www\.w3\.org|https?:\/\/www\.w3)/i.test(link),
      )
      const enteredName = names[Number(/victim(\d+)@/.exec(to)?.[1])]
      expect([enteredName, foreignLinks]).toEqual([expect.any(String), []])
    }
  })

  test('is not a link in emails even if it is the address of one of our pages', async () => {
    const { publicUrl } = server.environment
    await submitRegistration('free2026', { name: `Pay at ${publicUrl}/my/attackers-own-link` })
    const [email] = await readSentEmails()
    expect(email?.text).not.toContain('/my/attackers-own-link"')
    expect(email?.text).not.toContain(`${publicUrl}/my/attackers-own-link`)
    // The delegate's own link is still present.
    expect(email?.text).toMatch(new RegExp(`${publicUrl}/my/[\\w-]{43}`))
  })
})
