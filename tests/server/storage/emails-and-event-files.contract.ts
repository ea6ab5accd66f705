/** Store contract for emails and event files. */
import { describe, expect, test, beforeEach } from 'vitest'
import type { Instant } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
  newEmail,
  buildRegistration,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import { callInOrder } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'

export function defineEmailsAndEventFilesContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('an email', () => {
    test('is claimed before sending, and is retried once if it is not marked as sent', async () => {
      const { regNo } = await registerSample(store)
      const id = await store.queueMail(regNo, newEmail, noon)
      expect(await store.claimMail(id, noon)).toBe(true)
      expect(await store.claimMail(id, noon)).toBe(false)
      expect(await store.dueMails(addMs(60_000), 9)).toEqual([])
      const [secondAttemptAt, thirdAttemptAt] = [addMs(HOUR_MS), addMs(2 * HOUR_MS)]
      expect((await store.dueMails(secondAttemptAt, 9)).length).toBe(1)
      expect(await store.claimMail(id, secondAttemptAt)).toBe(true)
      expect(await store.claimMail(id, thirdAttemptAt)).toBe(false)
      expect(await store.emailsOfRegistration(regNo)).toMatchObject([
        { status: 'failed', error: expect.stringContaining('may not have been sent') },
      ])
    })

    test('has its links stored when it is claimed; none are stored if the claim is refused', async () => {
      const { regNo } = await registerSample(store)
      const id = await store.queueMail(regNo, newEmail, noon)
      const buildLink = (tokenHash: string) =>
        ({ tokenHash, regNo, purpose: 'mail', at: noon, expiresAt: addMs(HOUR_MS) }) as const
      expect(await store.claimMail(id, noon, [buildLink('one')])).toBe(true)
      expect(await store.claimMail(id, noon, [buildLink('two')])).toBe(false)
      expect(await store.accessLink('one')).toMatchObject({ regNo, purpose: 'mail' })
      expect(await store.accessLink('two')).toBeNull()
    })

    test('is counted, and listed newest first, by state, event and address; a failed email can be resent', async () => {
      const { regNo } = await registerSample(store)
      const queueEmail = (to: string): Promise<number> =>
        store.queueMail(regNo, { ...newEmail, to }, addMs(-1))
      const [sent, failed, queuedEmail, waitingEmail] = [
        await queueEmail('asha@example.org'),
        await queueEmail('ravi@example.org'),
        await queueEmail('Meera@Example.org'),
        await queueEmail('asha@example.com'),
      ]
      await store.mailSent(sent, noon)
      await store.mailFailed(failed, 'No such mailbox.', null)
      await store.mailFailed(queuedEmail, 'Later.', addMs(HOUR_MS))
      await store.queueOnce('reviews other', 'other', newEmail, noon)
      const ALL_EMAILS = { events: null, status: null, address: '' }
      const listIds = async (query: object, before: number | null = null, limit = 9) =>
        (await store.mails({ ...ALL_EMAILS, ...query }, before, limit)).map(({ id }) => id)
      const [newestEmail] = await store.mails(ALL_EMAILS, null, 1)
      expect(newestEmail).toMatchObject({ eventId: 'other', regNo: null, status: 'queued' })
      expect(await listIds({ events: ['demo'] })).toEqual([waitingEmail, queuedEmail, failed, sent])
      expect(await listIds({ events: ['demo'] }, waitingEmail, 2)).toEqual([queuedEmail, failed])
      expect(await listIds({ status: 'failed' })).toEqual([failed])
      expect(await listIds({ events: ['other'], status: 'sent' })).toEqual([])
      expect(await listIds({ address: 'meera@' })).toEqual([queuedEmail])
      expect(await listIds({ events: ['demo'], address: 'asha@EXAMPLE.' })).toEqual([
        waitingEmail,
        sent,
      ])
      expect((await store.mails({ ...ALL_EMAILS, status: 'failed' }, null, 9))[0]).toMatchObject({
        to: 'ravi@example.org',
        subject: newEmail.subject,
        regNo,
        attempts: 1,
        at: addMs(-1),
        sentAt: null,
        nextAt: null,
        error: 'No such mailbox.',
      })
      expect(await store.mailCounts(null)).toEqual({ queued: 3, failed: 1, sent: 1 })
      expect(await store.mailCounts(['other'])).toEqual({ queued: 1, failed: 0, sent: 0 })
      // Emails of another event, sent emails and emails not yet tried stay unchanged.
      const emails = [sent, failed, queuedEmail, waitingEmail]
      expect(await store.retryMails(noon, { ids: emails, events: ['other'] })).toBe(0)
      expect(await store.retryMails(noon, { ids: emails, events: ['demo'] })).toBe(2)
      expect((await store.dueMails(noon, 9)).map(({ id }) => id)).toEqual(
        expect.arrayContaining([failed, queuedEmail, waitingEmail]),
      )
      expect(await store.retryMails(noon)).toBe(0)
    })

    test('to the treasurer is queued once per key, however many processes run', async () => {
      const queueResults = await Promise.all(
        Array.from({ length: 5 }, () =>
          store.queueOnce('reviews demo 2026-11-21', 'demo', newEmail, noon),
        ),
      )
      expect(queueResults.filter((isQueued) => isQueued).length).toBe(1)
      expect(await store.dueMails(noon, 9)).toMatchObject([
        { eventId: 'demo', regNo: null, ...newEmail },
      ])
    })
  })

  describe('emails', () => {
    test('are due until they are sent or have failed', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(
        orderId,
        buildSale('AP1', sampleQuote.total, addMs(10)),
        newEmail,
      )
      expect(await store.dueMails(addMs(9), 10)).toEqual([])
      const [dueEmail] = await store.dueMails(addMs(10), 10)
      expect(dueEmail).toEqual({
        ...newEmail,
        id: expect.any(Number),
        kind: 'confirmation',
        attempts: 0,
        firstTriedAt: null,
        at: addMs(10),
        eventId: 'demo',
        regNo,
      })
      const id = dueEmail?.id ?? 0
      await store.mailFailed(id, 'no route', addMs(HOUR_MS))
      expect(await store.dueMails(addMs(HOUR_MS - 1), 10)).toEqual([])
      expect(await store.dueMails(addMs(HOUR_MS), 10)).toMatchObject([{ id, attempts: 1 }])
      await store.mailSent(id, addMs(HOUR_MS))
      expect(await store.dueMails(addMs(9 * HOUR_MS), 10)).toEqual([])
      expect(await store.emailsOfRegistration(regNo)).toMatchObject([
        { status: 'sent', at: addMs(HOUR_MS), error: null },
      ])
      const repeatedEmail = await store.queueMail(
        regNo,
        { ...newEmail, copyTo: 'office@example.org' },
        addMs(2 * HOUR_MS),
      )
      await store.mailFailed(repeatedEmail, 'refused', null)
      expect(await store.dueMails(addMs(9 * HOUR_MS), 10)).toEqual([])
      expect(await store.emailsOfRegistration(regNo)).toMatchObject([
        { status: 'sent' },
        { id: repeatedEmail, status: 'failed', error: 'refused', copyTo: 'office@example.org' },
      ])
    })
  })

  describe('event files', () => {
    test('are stored in every version under its hash, and the latest served version is recorded', async () => {
      const buildFile = (hash: string, at: Instant) => ({
        hash,
        eventId: 'demo',
        text: `text of ${hash}`,
        shared: '{}',
        at,
      })
      await store.saveEventFile(buildFile('one', noon))
      await store.saveEventFile(buildFile('two', addMs(1)))
      expect((await store.lastEventFile('demo'))?.hash).toBe('two')
      await store.saveEventFile(buildFile('one', addMs(2)))
      expect(await store.lastEventFile('demo')).toEqual({
        hash: 'one',
        eventId: 'demo',
        goneAt: null,
        text: 'text of one',
        shared: '{}',
      })
      expect((await store.eventFile('two'))?.text).toBe('text of two')
      expect(await store.eventFile('three')).toBeNull()
      expect(await store.lastEventFile('another')).toBeNull()
      expect(await store.lastVersions('demo', 1)).toEqual(['one'])
      expect(await store.lastVersions('demo', 9)).toEqual(['one', 'two'])
      const [one, two] = await store.eventVersions('demo', null, 9)
      expect(one).toEqual({
        hash: 'one',
        text: 'text of one',
        shared: '{}',
        firstServedAt: noon,
        lastServedAt: addMs(2),
      })
      expect(await store.eventVersions('demo', null, 1)).toEqual([one])
      expect(await store.eventVersions('demo', 'one', 9)).toEqual([two])
      expect(await store.eventVersions('demo', 'three', 9)).toEqual([])
      expect(await store.eventVersions('another', 'one', 9)).toEqual([])
    })

    test('a new version becomes active on all servers at the same time, and no registration uses another version', async () => {
      const buildFile = (hash: string, max: number) => ({
        hash,
        eventId: 'demo',
        text: '',
        shared: '{}',
        at: noon,
        limits: [{ id: 'hall', max, full: { message: 'Full' } }],
      })
      const buildActivation = (hash: string, isGone = false) => ({ eventId: 'demo', hash, isGone })
      const registerWith = (eventHash: string) => store.register(buildRegistration({ eventHash }))
      expect(await store.activeEvents(0)).toBeNull()
      expect((await registerWith('one')).ok).toBe(true)
      const firstActivation = {
        after: 0,
        events: [buildActivation('one')],
        site: null,
        files: [buildFile('one', 5)],
      }
      expect(await store.activate(firstActivation)).toBe(1)
      // Neither a repeated activation nor one that is based on an old state has an effect.
      expect(await store.activate({ ...firstActivation, after: 1 })).toBe(1)
      expect(await store.activate({ ...firstActivation, events: [], site: '{}' })).toBeNull()
      expect(await store.activeEvents(0)).toEqual({
        number: 1,
        site: null,
        events: [buildActivation('one')],
      })
      const secondActivation = {
        after: 1,
        events: [buildActivation('two')],
        site: '{}',
        files: [buildFile('two', 7)],
      }
      const [firstResult, staleResult, laterResult] = await callInOrder(setUp(), [
        () => store.activate(secondActivation),
        () => registerWith('one'),
        () => registerWith('two'),
      ])
      expect([firstResult, staleResult, laterResult.ok]).toEqual([
        2,
        { ok: false, error: { code: 'version_moved' } },
        true,
      ])
      const [hallSeats] = await store.listTakenSeats('demo')
      expect(hallSeats).toMatchObject({ quotaKey: 'hall', max: 7 })
      const otherEvent = { ...buildActivation('three'), eventId: 'other' }
      const otherFile = { ...buildFile('three', 1), eventId: 'other' }
      const nextActivation = {
        after: 2,
        events: [otherEvent, buildActivation('two')],
        site: null,
        files: [otherFile],
      }
      expect(await store.activate(nextActivation)).toBe(3)
      expect((await store.activeEvents(2))?.events).toEqual([otherEvent, buildActivation('two')])
      await store.activate({
        after: 3,
        events: [buildActivation('two', true)],
        site: null,
        files: [],
      })
      expect(await registerWith('two')).toEqual({ ok: false, error: { code: 'version_moved' } })
      expect((await store.activeEvents(3))?.events).toEqual([buildActivation('two', true)])
    })
  })
}
