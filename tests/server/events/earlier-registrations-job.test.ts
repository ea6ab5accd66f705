/** The log of the job that applies a changed event file to earlier registrations. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const UNIQUE_EMAIL = `
unique:
  - {fields: [email], on_duplicate: block, message: This address is registered already}
`
const UNIQUE_NAME = UNIQUE_EMAIL.replace('[email]', '[email, full_name]')
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent({ extra: UNIQUE_EMAIL }) },
  })
})
afterAll(() => app.close())

const listProcessed = (): readonly unknown[] =>
  app.log.filter(({ message }) => message === 'earlier registrations are processed')

test('the log of a new database does not report earlier registrations, of which there are none', async () => {
  expect(await app.earlierRegistrations.run()).toBe(1)
  expect(listProcessed()).toEqual([])
  expect((await app.post('/api/sample2026/register/', fixtureDelegate)).statusCode).toBe(201)
  app.writeEvent('sample2026.yaml', buildFixtureEvent({ extra: UNIQUE_NAME }))
  await app.deps.events.reload()
  expect(await app.earlierRegistrations.run()).toBe(1)
  expect(listProcessed()).toHaveLength(1)
})
