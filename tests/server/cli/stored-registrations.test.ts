/** Commands that read stored registrations while the server runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { day, toAmount } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { createEventFile } from '../../../engine/authoring.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { createCommandFolder, normaliseSpaces, type CommandFolder } from './cli.ts'

/** An event with paying accompanying persons, free children, and workshops. */
const fairEvent = createEventFile({
  id: 'fair2026',
  prefix: 'FAIR',
  title: 'Fair 2026',
  from: day('2026-03-12'),
  today: day('2026-01-10'),
  tax: 'none',
  companions: { prices: [toAmount(400_000), toAmount(500_000)], freeUnder: 5 },
  workshops: [
    { label: 'Ultrasound', prices: [toAmount(150_000), toAmount(200_000)], seats: 30 },
    { label: 'Writing', prices: [toAmount(50_000), toAmount(60_000)], seats: 30 },
  ],
})
let server: TestApp
let folder: CommandFolder
let regNo: string
beforeAll(async () => {
  folder = createCommandFolder()
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent(), 'fair2026.yaml': fairEvent },
  })
  regNo = (await server.post('/api/sample2026/register/', fixtureDelegate)).json<RegisterResponse>()
    .reg_no
  server.writeEvent('sample2026.yaml', buildFixtureEvent({ price: 1500, total: 1770 }))
  await server.deps.events.reload()
})
afterAll(async () => {
  await server.close()
  folder.remove()
})
const getVariables = () => ({ DATA_DIR: server.dir, EVENTS_DIR: server.eventsDir })

test('explains an old price with the version of the file from which it was quoted', async () => {
  expect(server.deps.events.findById('sample2026')?.config.fees.prices?.['member']?.['early']).toBe(
    150_000,
  )
  const { status, stdout, stderr } = await folder.rollcall(
    ['event', 'explain', '--registration', regNo],
    {
      variables: getVariables(),
    },
  )
  const line =
    buildFixtureEvent()
      .split('\n')
      .findIndex((text) => text.includes('member:     [')) + 1
  expect([status, stderr]).toEqual([0, ''])
  expect(normaliseSpaces(stdout)).toContain(`${regNo}, registered with version `)
  expect(normaliseSpaces(stdout)).toContain(
    `price     ₹ 1,000  fees.prices.member, column 1, early (line ${line})`,
  )
  expect(normaliseSpaces(stdout)).toContain('total     ₹ 1,180')
})

test('diff reports how many registrations a change affects, and which it would break', async () => {
  writeFileSync(join(folder.folder, 'old.yaml'), buildFixtureEvent())
  writeFileSync(
    join(folder.folder, 'next.yaml'),
    buildFixtureEvent({ price: 2000, total: 2360, prefix: 'SMPX' }),
  )
  const { status, stdout } = await folder.rollcall(
    ['event', 'diff', 'old.yaml', 'next.yaml', '--database'],
    {
      variables: getVariables(),
    },
  )
  expect(status).toBe(1)
  expect(normaliseSpaces(stdout)).toContain('₹ 1,180 → ₹ 2,360  ▲ ₹ 1,180')
  expect(stdout).toContain(
    'sample2026: 1 registration is stored, 1 of them pending (these keep their quoted price).',
  )
  expect(stdout).toMatch(/error\[EV1005\][^]*next\.yaml:\d+/)
})

test('exports one row per registration with its items, or one row per accompanying person', async () => {
  const response = await server.post('/api/fair2026/register/', {
    full_name: 'Asha Nair',
    email: 'asha@example.org',
    phone_number: '9876543210',
    registering_as: 'member',
    companions: JSON.stringify([
      { name: 'Ravi Nair', age: 40 },
      { name: 'Mini; Nair', age: 4 },
    ]),
    workshops: JSON.stringify(['ultrasound', 'writing']),
  })
  expect(response.statusCode, response.body).toBe(201)
  const fairRegNo = response.json<RegisterResponse>().reg_no
  const runExport = async (...args: string[]) => {
    const { status, stdout, stderr } = await folder.rollcall(
      ['registration', 'export', 'fair2026', ...args],
      {
        variables: getVariables(),
      },
    )
    expect([status, stderr]).toEqual([0, ''])
    return parse(stdout, { bom: true, relax_column_count: false })
  }
  const [headings, row] = await runExport()
  const cells = Object.fromEntries(
    (headings ?? []).map((heading, index) => [heading, row?.[index]]),
  )
  expect(cells).toMatchObject({
    'Accompanying person aged 5 or older (number)': '1',
    'Accompanying person aged 5 or older (amount)': '4000.00',
    'Workshop (number)': '2',
    'Workshop (amount)': '2000.00',
    Workshops: 'Ultrasound, Writing',
  })
  expect(await runExport('--per', 'companions')).toEqual([
    ['Registration Number', 'Delegate', 'Category', 'Payment Status', 'Person', 'Name', 'Age'],
    [fairRegNo, 'Asha Nair', 'Member', 'Pending', '1', 'Ravi Nair', '40'],
    [fairRegNo, 'Asha Nair', 'Member', 'Pending', '2', 'Mini; Nair', '4'],
  ])
  const invalidResult = await folder.rollcall(
    ['registration', 'export', 'fair2026', '--per', 'workshops'],
    {
      variables: getVariables(),
    },
  )
  expect([invalidResult.status, invalidResult.stderr.trim()]).toEqual([
    2,
    'No field "workshops" lists people. Fields that do: companions.',
  ])
  const explanation = await folder.rollcall(['event', 'explain', '--registration', fairRegNo], {
    variables: getVariables(),
  })
  expect(explanation.stderr).toBe('')
  expect(normaliseSpaces(explanation.stdout)).toMatch(
    /^line {6}Accompanying person aged 5 or older {2}1 × ₹ 4,000 .*\(line \d+\)$/m,
  )
})
