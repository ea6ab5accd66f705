/** Attacks by email: an address that is flooded, and links of strangers in emails that the conference sends. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { paise } from '../../engine/index.ts'
import { buildConfirmationEmail } from '../../engine/messages.ts'
import type { OrderId, RegNo } from '../../engine/index.ts'
import type { RegisterAnswer } from '../../engine/api.ts'
import { openStoreHere } from '../server/store-without-threads.ts'
import { fixtureDelegate, fixtureEvent } from '../server/small-event.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { confirmedBy } from '../server/sample-registrations.ts'

const EVENT = 'sample2026'
const VICTIM = 'victim@gmail.com'
let server: TestApp
beforeEach(async () => {
  const free = fixtureEvent({ id: 'free2026', prefix: 'FREE', payment: 'none' })
  server = await startTestApp({
    clock: '2026-01-10T10:00:00+05:30',
    events: { 'sample2026.yaml': fixtureEvent(), 'free2026.yaml': free },
  })
})
afterEach(() => server.close())

type Parts = { readonly name?: string; readonly email?: string }
async function registers(event: string, { name = 'Asha Nair', email = VICTIM }: Parts = {}) {
  const answer = await server.post(`/api/${event}/register/`, {
    ...fixtureDelegate,
    full_name: name,
    email,
  })
  expect(answer.statusCode).toBe(201)
  return answer.json<RegisterAnswer>()
}
const asksForLinks = (email: string) =>
  server.app.inject({ method: 'POST', url: '/api/my/', payload: { email } })

type Mail = { readonly to: string; readonly subject: string; readonly text: string }
/** What went out, oldest first: all that a mail program could show, decoded. */
async function sent(): Promise<readonly Mail[]> {
  await server.mailer.run()
  const folder = join(server.dir, 'mail')
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const raw = readFileSync(join(folder, file), 'utf8')
      const head = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(raw)?.[1] ?? ''
      return { to: head('To'), subject: head('Subject'), text: decoded(raw) }
    })
}
/** Quoted-printable and base64 are how a text travels; an attachment stays as it is. */
function decoded(raw: string): string {
  return raw
    .split(/\n--[^\n]+\n/)
    .map((part) =>
      /transfer-encoding: quoted-printable/i.test(part)
        ? Buffer.from(
            part
              .replaceAll('=\n', '')
              .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          ).toString('utf8')
        : part,
    )
    .join('\n')
}
const pausedTo = (mails: readonly Mail[]) =>
  mails.filter(({ subject }) => subject === 'We have paused emails to this address')

describe("an outsider who floods another person's mailbox", () => {
  test('by registering: sends five emails an hour to one mailbox, then one that says so, then none', async () => {
    const spelt = ['victim@gmail.com', 'Vic.tim@gmail.com', 'victim+9@googlemail.com']
    for (let n = 0; n < 12; n += 1) await registers('free2026', { email: spelt[n % 3] ?? VICTIM })
    const mails = await sent()
    expect(mails).toHaveLength(6)
    const [pause] = pausedTo(mails)
    expect(pause).toBe(mails.at(-1))
    expect(pause?.text).toContain('We have sent 5 emails to this address within an hour.')
    expect(pause?.text).toContain(`${server.environment.publicUrl}/my`)
    // Others get theirs, and the office sees what was not sent.
    await registers('free2026', { email: 'other@gmail.com' })
    expect(await sent()).toHaveLength(7)
    expect(server.rows("SELECT 1 FROM mail_queue WHERE status = 'failed'")).toHaveLength(7)
  })

  test('by lost links: counts them together with registrations, for an hour', async () => {
    for (let n = 0; n < 3; n += 1) await registers('free2026')
    for (let n = 0; n < 9; n += 1) {
      await asksForLinks(VICTIM)
      await new Promise((done) => setImmediate(done))
    }
    await expect.poll(async () => (await sent()).length).toBe(6)
    expect(pausedTo(await sent())).toHaveLength(1)
    server.setTime('2026-01-10T11:00:01+05:30')
    await asksForLinks(VICTIM)
    await expect.poll(async () => (await sent()).length).toBe(7)
  })

  test('at another server, or after a restart: the limit stays, because the database counts', async () => {
    for (let n = 0; n < 6; n += 1) await registers('free2026')
    const [{ reg_no: regNo = '' } = {}] = server.rows('SELECT reg_no FROM registrations')
    const another = await openStoreHere({ dataDir: server.dir })
    const mail = { to: VICTIM, copyTo: null, subject: 'Your links', text: 'Here they are.' }
    await another.queueAccessLinks(regNo as RegNo, mail, server.now())
    await another.close()
    expect(await sent()).toHaveLength(6)
  })

  test('by reporting payments on the self-service page', async () => {
    server.writeEvent(
      'lekhacon2027.yaml',
      readFileSync(join(import.meta.dirname, '..', 'events', 'lekhacon2027.yaml'), 'utf8'),
    )
    await server.deps.events.reload()
    server.setTime('2027-01-10')
    for (let n = 0; n < 5; n += 1) {
      const answer = await server.post('/api/lekhacon2027/register/', {
        full_name: 'Asha Nair',
        email: VICTIM,
        phone_number: '9847000000',
        registered_as: 'member',
        way: 'transfer',
      })
      const claim = await server.app.inject({
        method: 'POST',
        url: `/api${answer.json<RegisterAnswer>().page ?? ''}/acts/`,
        payload: {
          act: 'tell',
          answers: { utr: String(500_000_000_000 + n), paid_on: '2027-01-09' },
        },
      })
      expect(claim.statusCode).toBe(200)
    }
    const mails = await sent()
    expect(mails).toHaveLength(6)
    expect(pausedTo(mails)).toHaveLength(1)
  })

  test('does not block the confirmation of a payment', async () => {
    for (let n = 0; n < 7; n += 1) await registers('free2026')
    const { reg_no: regNo, payment_data: order } = await registers(EVENT)
    const served = server.deps.events.byId(EVENT)
    const stored = await server.deps.store.registration(regNo as RegNo)
    if (served === null || stored === null) throw new Error('not there')
    await server.deps.store.applyPaymentEvent(
      (order?.orderid ?? '') as OrderId,
      confirmedBy('AP1', paise(118_000), server.now()),
      buildConfirmationEmail(served.config, stored),
    )
    expect((await sent()).filter(({ subject }) => subject.includes(regNo))).toHaveLength(1)
  })
})

describe('an outsider who enters a link as an answer', () => {
  /** What mail programs turn into a link: an address with a scheme, or a word like a host name, but not the rest of the email. */
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
  test('no email links to it in any spelling', async () => {
    for (const [n, name] of names.entries()) {
      await registers('free2026', { name, email: `victim${n}@gmail.com` })
      await asksForLinks(`victim${n}@gmail.com`)
    }
    await expect.poll(async () => (await sent()).length).toBe(2 * names.length)
    for (const { to, text, subject } of await sent()) {
      const links = `${subject}\n${text}`.match(LINKS) ?? []
      const foreign = links.filter(
        (link) =>
          !link.startsWith(server.environment.publicUrl) &&
          !/^(?:http:\/\/www\.w3\.org|https?:\/\/www\.w3)/i.test(link),
      )
      const typed = names[Number(/victim(\d+)@/.exec(to)?.[1])]
      expect([typed, foreign]).toEqual([expect.any(String), []])
    }
  })

  test('the address of one of our pages is not linked either', async () => {
    const { publicUrl } = server.environment
    await registers('free2026', { name: `Pay at ${publicUrl}/my/attackers-own-link` })
    const [mail] = await sent()
    expect(mail?.text).not.toContain('/my/attackers-own-link"')
    expect(mail?.text).not.toContain(`${publicUrl}/my/attackers-own-link`)
    // The delegate's own link is still there.
    expect(mail?.text).toMatch(new RegExp(`${publicUrl}/my/[\\w-]{43}`))
  })
})
