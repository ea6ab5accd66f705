/** The registrations of `rollcall demo`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAnswers, dayOf, formatIsoIndia } from '../../../engine/index.ts'
import {
  chooseDemoTime,
  createDemoRegistrations,
} from '../../../server/cli/demo/demo-registrations.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let app: TestApp
let createdCount: number
beforeAll(async () => {
  app = await startTestApp()
  const events = app.deps.events.all()
  const now = chooseDemoTime(events.map(({ config }) => config))
  if (now === null) throw new Error('no event accepts registrations')
  app.setTime(formatIsoIndia(now))
  createdCount = await createDemoRegistrations({
    store: app.deps.store,
    uploads: app.deps.uploads,
    events,
    now,
  })
})
afterAll(() => app.close())

test('the demo creates several thousand registrations across all events, with every status', async () => {
  expect(createdCount).toBe(app.countRows()['registrations'])
  expect(createdCount).toBeGreaterThan(2500)
  const figures = await Promise.all(
    app.deps.events
      .all()
      .map(({ config }) => app.deps.store.dashboardFigures(config.id, dayOf(app.now()))),
  )
  for (const { total, paid, pending, failed, byDay } of figures) {
    expect(Math.min(paid, pending, failed)).toBeGreaterThan(0)
    expect(paid).toBeGreaterThan(total / 2)
    expect(byDay.length).toBeGreaterThan(60)
  }
  expect(
    app
      .rows('SELECT DISTINCT payment_status FROM registrations ORDER BY 1')
      .map((row) => row['payment_status']),
  ).toEqual(['failed', 'pending', 'refunded', 'success'])
  expect(
    Number(app.rows('SELECT count(*) AS n FROM registrations WHERE in_review = 1')[0]?.['n']),
  ).toBeGreaterThan(0)
})

test("every registration passes the form's validation and is obviously invented", () => {
  for (const row of app.rows(
    'SELECT event_id, answers, email FROM registrations WHERE event_id IN (SELECT DISTINCT r.event_id FROM registrations r JOIN payment_facts f JOIN payments p ON p.registration_id = r.id AND f.payment_id = p.id)',
  )) {
    const event = app.deps.events.findById(String(row['event_id']))?.config
    if (event === undefined) throw new Error('an event of the demo is not served')
    expect(checkAnswers(event, JSON.parse(String(row['answers'])))).toMatchObject({ ok: true })
    expect(String(row['email'])).toMatch(/@example\.org$/)
  }
})

test('queues no email', () =>
  expect(app.rows("SELECT count(*) AS n FROM mail_queue WHERE status <> 'sent'")).toEqual([
    { n: 0 },
  ]))
