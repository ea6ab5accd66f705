/** The staff's lists of emails and event files, and the actions that the lists offer. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  EventFilesResponse,
  EventVersionsResponse,
  EmailsResponse,
} from '../../../engine/api.ts'
import { instant } from '../../../engine/index.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from './office.ts'
import type { Office } from './office.ts'

const createFreeEvent = (id: string, prefix: string): string =>
  buildFixtureEvent({ id, prefix, payment: 'none', title: `Free ${prefix}` })
let app: TestApp
let owner: Office
let desk: Office
beforeAll(async () => {
  app = await startTestApp({
    clock: '2026-01-10',
    events: {
      'one2026.yaml': createFreeEvent('one2026', 'ONEX'),
      'two2026.yaml': createFreeEvent('two2026', 'TWOX'),
    },
  })
  for (const [id, email] of [
    ['one2026', 'asha@example.org'],
    ['two2026', 'ravi@example.org'],
  ])
    await app.post(`/api/${id}/register/`, { ...fixtureDelegate, email: email ?? '' })
  owner = await signIn(app, 'owner')
  await signIn(app, 'desk')
  await app.deps.store.setPermissions('desk', { role: 'desk', events: ['one2026'] })
  desk = await signIn(app, 'desk')
})
afterAll(() => app.close())

const listEmails = async (office: Office, query = ''): Promise<EmailsResponse> =>
  (await office.get(`/admin/mail/?${query}`)).json()
const resend = async (office: Office, payload: object) => {
  const response = await app.app.inject({
    method: 'POST',
    url: '/admin/mail/retry/',
    headers: { authorization: `Bearer ${office.token}` },
    payload,
  })
  return [response.statusCode, response.json<{ message: string }>().message]
}

test('failed emails are shown to users of the event that they belong to, and can be resent', async () => {
  const allEmails = await listEmails(owner)
  expect(allEmails.mails.map(({ to }) => to)).toEqual(['ravi@example.org', 'asha@example.org'])
  expect([allEmails.counts, allEmails.before]).toEqual([{ queued: 2, failed: 0, sent: 0 }, null])
  for (const { id } of allEmails.mails)
    await app.deps.store.mailFailed(id, 'No such mailbox.', null)
  const deskEmails = await listEmails(desk)
  expect(deskEmails.counts).toEqual({ queued: 0, failed: 1, sent: 0 })
  expect(deskEmails.mails).toMatchObject([
    {
      to: 'asha@example.org',
      event: 'Free ONEX',
      status: 'failed',
      tries: 1,
      next_at: null,
      error: 'No such mailbox.',
    },
  ])
  const [raviEmail, ashaEmail] = allEmails.mails
  const openedEmail = await listEmails(desk, `id=${ashaEmail?.id}`)
  expect(openedEmail.mails).toMatchObject([{ to: 'asha@example.org', error: 'No such mailbox.' }])
  expect(openedEmail.mails[0]?.details?.text).toContain('[personal link]')
  expect(deskEmails.mails[0]).not.toHaveProperty('details')
  expect((await listEmails(desk, `id=${raviEmail?.id}`)).mails).toEqual([])
  expect((await owner.get('/admin/mail/?id=first')).json().message).toBe(
    '“id” must be the number of an email, not “first”.',
  )
  expect((await listEmails(owner, 'status=failed&address=RAVI')).mails.map(({ to }) => to)).toEqual(
    ['ravi@example.org'],
  )
  expect((await listEmails(owner, 'status=sent')).mails).toEqual([])
  const filterResponse = await owner.get('/admin/mail/?status=lost')
  expect([filterResponse.statusCode, filterResponse.json().message]).toEqual([
    400,
    '“status” must be one of queued, failed, sent, not “lost”.',
  ])

  const ids = allEmails.mails.map(({ id }) => id)
  expect(await resend(desk, {})).toEqual([422, 'Send “ids” of at most 200 emails, or “all”: true.'])
  expect((await resend(desk, { ids: ['1'] }))[0]).toBe(422)
  // The other event's emails stay unchanged, even if they are selected.
  expect(await resend(desk, { ids })).toEqual([200, '1 email queued again.'])
  expect((await listEmails(owner)).counts).toEqual({ queued: 1, failed: 1, sent: 0 })
  expect(await app.mailer.run()).toBe(1)
  expect(await resend(owner, { all: true })).toEqual([200, '1 email queued again.'])
  expect(await app.mailer.run()).toBe(1)
  expect(await resend(owner, { all: true })).toEqual([
    200,
    'None of these emails is queued or failed, so none was retried.',
  ])
  expect((await listEmails(owner)).counts).toEqual({ queued: 0, failed: 0, sent: 2 })
  expect(
    app.rows("SELECT who, what, event_id FROM audit_log WHERE what LIKE 'retried %' ORDER BY id"),
  ).toEqual([
    // The event's owners can see this entry.
    { who: 'desk', what: 'retried emails (1)', event_id: 'one2026' },
    { who: 'owner', what: 'retried emails (1)', event_id: null },
  ])
})

test('an email to an erased person cannot be resent', async () => {
  const [erasedEmail] = (await listEmails(owner, 'address=asha')).mails
  const eraseResult = await owner.act(erasedEmail?.reg_no ?? '', {
    act: 'erase',
    why: 'Asked for it.',
  })
  expect(eraseResult.status).toBe(200)
  expect((await listEmails(owner, 'address=asha')).mails).toEqual([])
  expect(await resend(owner, { ids: [erasedEmail?.id] })).toEqual([
    200,
    'None of these emails is queued or failed, so none was retried.',
  ])
})

test('a file with errors cannot be rehearsed, and only one rehearsal runs at a time, so that the server stays responsive', async () => {
  const rehearse = async (text = 'event: [') => {
    const response = await app.app.inject({
      method: 'POST',
      url: '/admin/served-files/rehearse/',
      headers: { authorization: `Bearer ${owner.token}` },
      payload: { text },
    })
    return [response.statusCode, response.json<{ message: string }>().message]
  }
  const [firstResult, secondResult] = await Promise.all([rehearse(), rehearse()])
  expect(firstResult).toEqual([422, 'The file has errors. Fix them first, then rehearse it.'])
  expect(secondResult).toEqual([409, 'Another rehearsal is running. Try again in a minute.'])
  expect(await rehearse(' \n')).toEqual([422, 'The file does not describe an event.'])
})

test('a rehearsal ends when its browser tab is closed, so that other rehearsals can run', async () => {
  const url = await app.app.listen({ host: '127.0.0.1', port: 0 })
  const rehearse = (text: string, signal?: AbortSignal) =>
    fetch(`${url}/admin/served-files/rehearse/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      ...(signal && { signal }),
    })
  // Rehearsing two centuries takes longer than a rehearsal may last.
  const slowEvent = createFreeEvent('one2026', 'ONEX').replace('2026-01-01', '1800-01-01')
  const tab = new AbortController()
  const rehearseSlowEvent = async (): Promise<number> => {
    const { status } = await rehearse(slowEvent, tab.signal)
    return status === 409 ? rehearseSlowEvent() : status
  }
  const closedTabStatus = rehearseSlowEvent().catch(() => 'closed')
  const rehearseWithErrors = async () => (await rehearse('event: [')).status
  await expect.poll(rehearseWithErrors, { timeout: 30_000 }).toBe(409)
  tab.abort()
  expect(await closedTabStatus).toBe('closed')
  await expect.poll(rehearseWithErrors, { timeout: 30_000 }).toBe(422)
})

test('event files that are not served are listed first, with the reason, until they are valid', async () => {
  const readFiles = async (method: 'GET' | 'POST' = 'GET') =>
    (
      await app.app.inject({
        method,
        url: `/admin/served-files/${method === 'POST' ? 'reload/' : ''}`,
        headers: { authorization: `Bearer ${owner.token}` },
      })
    ).json<EventFilesResponse>().files
  const [remainingFile] = await readFiles()
  expect(remainingFile).toEqual({
    file: 'one2026.yaml',
    event_id: 'one2026',
    title: 'Free ONEX',
    version: expect.stringMatching(/^[\da-f]{12}$/),
    is: 'served',
    why: null,
    findings: null,
  })
  app.writeEvent('two2026.yaml', createFreeEvent('two2026', 'TWOX').replace('venue:', 'vneue:'))
  app.writeEvent('three2026.yaml', 'event: [')
  expect(await readFiles('POST')).toMatchObject([
    {
      file: 'three2026.yaml',
      is: 'refused',
      title: null,
      why: expect.stringContaining('errors'),
    },
    {
      file: 'two2026.yaml',
      is: 'before',
      why: expect.stringContaining('errors'),
      findings: expect.stringMatching(/vneue[^]*--> two2026\.yaml:/),
    },
    { file: 'one2026.yaml', is: 'served' },
  ])
  app.writeEvent('two2026.yaml', createFreeEvent('two2026', 'TWOX'))
  rmSync(join(app.eventsDir, 'three2026.yaml'))
  expect((await readFiles('POST')).map(({ is }) => is)).toEqual(['served', 'served'])
})

test('treasurers and owners of an event can list the versions of its file with their changes', async () => {
  const eventId = 'two2026'
  const toNoon = (text: string) => instant(Date.parse(`${text}T12:00:00+05:30`))
  const save = (hash: string, text: string, at: string) =>
    app.deps.store.saveEventFile({ hash, eventId, text, shared: '{}', at: toNoon(at) })
  await save('old', 'event: [', '2025-12-01')
  // The same version, first with the old keys and then with the new ones.
  await save('old-names', 'hold: 30 minutes\n', '2025-12-02')
  await save('new-names', 'hold_seats_for: 30 minutes\n', '2025-12-03')
  app.setTime('2026-01-10T13:00:00+05:30')
  app.writeEvent(
    'two2026.yaml',
    buildFixtureEvent({ id: eventId, prefix: 'TWOX', title: 'Free TWOX' }),
  )
  await app.deps.events.reload()

  const { versions } = (
    await owner.get(`/admin/event-versions/?event=${eventId}`)
  ).json<EventVersionsResponse>()
  const [pricedVersion, freeVersion] = versions.map(({ version }) => version)
  expect(versions).toMatchObject([
    {
      version: pricedVersion,
      loaded_at: '2026-01-10T13:00:00+05:30',
      is_live: true,
      previous: freeVersion,
    },
    {
      version: freeVersion,
      loaded_at: '2026-01-10T12:00:00+05:30',
      is_live: false,
      previous: 'new-names',
    },
    { version: 'new-names', loaded_at: '2025-12-02T12:00:00+05:30', previous: 'old' },
    { version: 'old', loaded_at: '2025-12-01T12:00:00+05:30', previous: null },
  ])
  expect(
    (await owner.get(`/admin/event-versions/?event=${eventId}&before=${freeVersion}`)).json(),
  ).toEqual({ status: 'success', versions: versions.slice(2), before: null })
  const readDifference = async (version: string | undefined, previousVersion: string | undefined) =>
    (
      await owner.get(
        `/admin/event-versions/difference/?event=${eventId}&version=${version}&from=${previousVersion}`,
      )
    ).json()
  expect((await readDifference(pricedVersion, freeVersion)).groups[0]).toEqual({
    title: 'Prices',
    changes: [
      'Price of Member changed from Free to ₹\u00a01,180 (1–31 January 2026).',
      'Price of Member changed from Free to ₹\u00a02,360 (1–28 February 2026).',
      'Price of Non-member changed from Free to ₹\u00a03,540 (1–31 January 2026).',
      'Price of Non-member changed from Free to ₹\u00a04,720 (1–28 February 2026).',
    ],
  })
  expect(await readDifference(freeVersion, 'old')).toMatchObject({
    unreadable: ['old'],
    groups: [],
  })
  expect(await readDifference(freeVersion, freeVersion)).toMatchObject({
    unreadable: [],
    groups: [],
  })
  expect(
    (await owner.get(`/admin/event-versions/text/?event=${eventId}&version=old`)).json(),
  ).toEqual({ status: 'success', version: 'old', text: 'event: [' })

  // Another event's version gets the same response as a version that does not exist.
  await signIn(app, 'treasurer')
  await app.deps.store.setPermissions('treasurer', { role: 'treasurer', events: ['one2026'] })
  const treasurer = await signIn(app, 'treasurer')
  for (const path of [
    '/admin/event-versions/text/?event=one2026',
    '/admin/event-versions/difference/?event=one2026&from=old',
  ]) {
    const responses = await Promise.all(
      ['old', 'unknown'].map(async (version) => treasurer.get(`${path}&version=${version}`)),
    )
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect(responses[0]?.body).toBe(responses[1]?.body)
  }
})
