/** A separate process generates emails and documents. If it hangs or dies, no email is lost. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createOrderId, toAmount } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import {
  getBackgroundProcess,
  runInBackground,
} from '../../../server/background/background-process.ts'
import { formatDocument } from '../../../server/documents/document-contents.ts'
import { typesetDocument } from '../../../server/documents/typeset-document.ts'
import { generateEmail } from '../../../server/mail/generate-email.ts'
import { collectTicket } from '../../../server/mail/ticket-contents.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { KERALA, DELEGATE_ANSWERS, TAX_EVENTS } from '../office/documents/tax-samples.ts'
import { toNoon, register } from '../office/office.ts'
import { openMailServer } from './mail-server.ts'
import type { MailServer } from './mail-server.ts'

const day = toNoon('2026-01-20')
let mailServer: MailServer
let server: TestApp
beforeAll(async () => {
  mailServer = await openMailServer()
  server = await startTestApp({
    clock: '2026-01-20T12:00:00+05:30',
    events: TAX_EVENTS,
    variables: { SMTP_URL: mailServer.url },
  })
})
afterAll(async () => {
  await server.close()
  await mailServer.close()
})
afterEach(() => {
  mailServer.behaviour.isSilent = false
  mailServer.acceptedEmails.splice(0)
})

let registrationCount = 0
const buildAddress = (): string => `delegate${registrationCount}@example.org`
async function registerAndPay(): Promise<RegNo> {
  registrationCount += 1
  const regNo = await register(server, KERALA, {
    n: registrationCount,
    on: day,
    answers: { ...DELEGATE_ANSWERS, email: buildAddress() },
  })
  const amount = (await server.deps.store.registration(regNo))?.payments[0]?.amount ?? toAmount(0)
  await server.deps.store.applyPaymentEvent(
    createOrderId(regNo, 1),
    {
      type: 'confirmed',
      reference: `PAID${registrationCount}`,
      amount,
      currency: '356',
      kind: 'sale',
      at: day,
    },
    null,
  )
  return regNo
}
/** Queues a ticket with its documents for a new email address. */
async function queueTicket(): Promise<{ readonly regNo: RegNo; readonly to: string }> {
  const regNo = await registerAndPay()
  const to = buildAddress()
  await server.deps.store.queueMail(
    regNo,
    { to, copyTo: null, subject: 'Confirmed', text: 'You are registered.\n' },
    server.now(),
  )
  return { regNo, to }
}
const readRecipients = (): readonly string[] => mailServer.acceptedEmails.flatMap(({ to }) => to)
const readEmailStates = async (regNo: RegNo) =>
  (await server.deps.store.emailsOfRegistration(regNo)).map(({ status, error }) => ({
    status,
    error,
  }))
const advanceClock = (ms: number): void => server.setTime(new Date(server.now() + ms).toISOString())

/** Returns the id of the background process. Starts one if none is running. */
async function findProcessId(): Promise<number> {
  await runInBackground({ task: 'close', transport: 0 })
  const backgroundProcess = getBackgroundProcess()
  if (backgroundProcess === null) throw new Error('there is no background process')
  return backgroundProcess.pid
}
/** Resolves when the process has an email to generate. */
const waitForTask = async (): Promise<void> => {
  await expect.poll(() => getBackgroundProcess()?.tasks).toBe(1)
}

test('a registration is answered while an email is being generated', async () => {
  const { regNo, to } = await queueTicket()
  const id = await findProcessId()
  process.kill(id, 'SIGSTOP')
  const runPromise = server.mailer.run()
  try {
    await waitForTask()
    await register(server, KERALA, { n: 100, on: day, answers: DELEGATE_ANSWERS })
    const eventsResponse = await server.app.inject({ url: '/api/events/' })
    expect(eventsResponse.statusCode).toBe(200)
    expect(readRecipients()).toEqual([])
  } finally {
    process.kill(id, 'SIGCONT')
  }
  expect(await runPromise).toBe(1)
  expect(readRecipients()).toEqual([to])
  expect(await readEmailStates(regNo)).toEqual([{ status: 'sent', error: null }])
})

test('if the process that generates emails dies, none is lost and none is sent twice', async () => {
  const [firstTicket, secondTicket] = [await queueTicket(), await queueTicket()]
  const id = await findProcessId()
  process.kill(id, 'SIGSTOP')
  const runPromise = server.mailer.run()
  // The process is generating one email, and the other is waiting.
  await waitForTask()
  process.kill(id, 'SIGKILL')
  // A new process generates the other email.
  expect(await runPromise).toBe(1)
  const [failedTicket, sentTicket] =
    readRecipients()[0] === firstTicket.to
      ? [secondTicket, firstTicket]
      : [firstTicket, secondTicket]
  expect(readRecipients()).toEqual([sentTicket.to])
  const [state] = await readEmailStates(failedTicket.regNo)
  expect(state?.status).toBe('queued')
  expect(state?.error).toMatch(/could not be generated: the background process ended/)
  advanceClock(60_000)
  await server.mailer.run()
  advanceClock(3_600_000)
  await server.mailer.run()
  expect(readRecipients().toSorted()).toEqual([firstTicket.to, secondTicket.to].toSorted())
})

test('an email that was being sent when the process died is sent at most once more', async () => {
  const { regNo, to } = await queueTicket()
  mailServer.behaviour.isSilent = true
  const receivedBefore = mailServer.countReceived()
  const id = await findProcessId()
  const runPromise = server.mailer.run()
  await expect.poll(() => mailServer.countReceived()).toBe(receivedBefore + 1)
  process.kill(id, 'SIGKILL')
  expect(await runPromise).toBe(0)
  mailServer.behaviour.isSilent = false
  // The mail server may have accepted the email, so it is not sent again immediately.
  advanceClock(60_000)
  await server.mailer.run()
  expect([readRecipients(), await readEmailStates(regNo)]).toEqual([
    [],
    [{ status: 'queued', error: null }],
  ])
  for (let hour = 0; hour < 48; hour += 1) {
    advanceClock(3_600_000)
    await server.mailer.run()
  }
  expect(readRecipients()).toEqual([to])
  expect(await readEmailStates(regNo)).toEqual([{ status: 'sent', error: null }])
})

test('a document that cannot be generated delays only its own email, and the mail server is not reported as failing', async () => {
  const { store } = server.deps
  const failingTicket = await queueTicket()
  const otherTicket = await queueTicket()
  // A colour that the typesetter does not support.
  const readDocument = store.document
  const readBrokenDocument: typeof store.document = async (regNo, id) => {
    const body = await readDocument(regNo, id)
    return body === null || regNo !== failingTicket.regNo
      ? body
      : { ...body, event: { ...body.event, colour: 'none' } }
  }
  Object.assign(store, { document: readBrokenDocument })
  try {
    expect(await server.mailer.run()).toBe(1)
  } finally {
    Object.assign(store, { document: readDocument })
  }
  expect(readRecipients()).toEqual([otherTicket.to])
  expect((await readEmailStates(failingTicket.regNo))[0]?.error).toMatch(/could not be generated/)
  expect(server.mailer.unreachableSince()).toBeNull()
  advanceClock(60_000)
  expect(await server.mailer.run()).toBe(1)
  expect(readRecipients()).toEqual([otherTicket.to, failingTicket.to])
})

test('a receipt is generated once for the email and all downloads', async () => {
  const regNo = await registerAndPay()
  const { store, events } = server.deps
  const event = events.findById(KERALA)?.config ?? null
  const ticket = await collectTicket(
    store,
    event,
    { kind: 'confirmation', regNo, to: buildAddress() },
    server.now(),
  )
  const { attachments } = generateEmail(
    {
      mail: await queueAndReadEmail(regNo),
      theme: null,
      replyTo: null,
      ticket,
    },
    'https://register.example.org',
  )
  const [documentEntry] = await store.documents(regNo)
  const body = await store.document(regNo, documentEntry?.id ?? 0)
  if (body === null) throw new Error('there is no receipt')
  // The download formats the receipt again, and returns the file that was generated for the email.
  const download = typesetDocument({ document: formatDocument(body, event), at: body.at })
  expect(attachments.find(({ filename }) => filename.startsWith('Receipt'))?.content).toBe(download)
})

async function queueAndReadEmail(regNo: RegNo) {
  const { store } = server.deps
  await store.queueMail(
    regNo,
    { to: 'a@example.org', copyTo: null, subject: 'S', text: 'T' },
    server.now(),
  )
  const [dueEmail] = await store.dueMails(server.now(), 1)
  if (dueEmail === undefined) throw new Error('no email is due')
  return dueEmail
}
