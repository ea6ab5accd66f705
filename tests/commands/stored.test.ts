/** Commands that look at stored registrations, while the server that took them runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterAnswer } from '../../engine/index.ts'
import { fixtureDelegate, fixtureEvent } from '../server/fixture.ts'
import { startTestApp, type TestApp } from '../server/harness.ts'
import { place, plain, type Place } from './cli.ts'

let server: TestApp
let here: Place
let regNo: string
beforeAll(async () => {
  here = place()
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': fixtureEvent() },
  })
  regNo = (await server.post('/api/sample2026/register/', fixtureDelegate)).json<RegisterAnswer>()
    .reg_no
  server.writeEvent('sample2026.yaml', fixtureEvent({ price: 1500, total: 1770 }))
  await server.deps.events.reload()
})
afterAll(async () => {
  await server.close()
  here.remove()
})
const variables = () => ({ DATA_DIR: server.dir, EVENTS_DIR: server.eventsDir })

test('an old price is worked out again from the version of the file it was quoted with', async () => {
  expect(server.deps.events.byId('sample2026')?.config.fees.prices?.['member']?.['early']).toBe(
    150_000,
  )
  const { status, out, err } = await here.rollcall(['explain', '--registration', regNo], {
    variables: variables(),
  })
  const line =
    fixtureEvent()
      .split('\n')
      .findIndex((text) => text.includes('member:     [')) + 1
  expect([status, err]).toEqual([0, ''])
  expect(plain(out)).toContain(`${regNo}, registered with version `)
  expect(plain(out)).toContain(
    `price     ₹ 1,000  fees.prices.member, column 1, early (line ${line})`,
  )
  expect(plain(out)).toContain('total     ₹ 1,180')
})

test('diff says how many registrations a change touches, and what it would break', async () => {
  writeFileSync(join(here.folder, 'old.yaml'), fixtureEvent())
  writeFileSync(
    join(here.folder, 'next.yaml'),
    fixtureEvent({ price: 2000, total: 2360, prefix: 'SMPX' }),
  )
  const { status, out } = await here.rollcall(['diff', 'old.yaml', 'next.yaml', '--database'], {
    variables: variables(),
  })
  expect(status).toBe(1)
  expect(plain(out)).toContain('₹ 1,180 → ₹ 2,360  ▲ ₹ 1,180')
  expect(out).toContain(
    'sample2026: 1 registration is stored, 1 of them pending, which keep the price they were quoted.',
  )
  expect(out).toMatch(/error\[EV1005\][^]*next\.yaml:\d+/)
})
