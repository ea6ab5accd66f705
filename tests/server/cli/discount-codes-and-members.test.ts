/** `rollcall event discount-codes` and `rollcall event members` while the server runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { eventWithQuotas } from '../event-with-quotas.ts'
import { createCommandFolder, type CommandFolder, type CommandResult } from './cli.ts'

const completeFile = `${eventWithQuotas}\n# The last line, without which the file counts as truncated.\n`
let server: TestApp
let folder: CommandFolder
beforeAll(async () => {
  folder = createCommandFolder()
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': completeFile },
  })
  const annualMember = { number: 'A7', name: 'Ravi Sample', kind: 'annual', valid_to: '' }
  const lifeMember = { number: 'L 12', name: 'Asha Sample', kind: 'life', valid_to: '' }
  const rows = [
    { key: 'l12', cells: lifeMember },
    { key: 'a7', cells: annualMember },
  ]
  await server.deps.store.replaceMemberList('sample2026', 'society', rows, 'office', server.now())
})
afterAll(async () => {
  await server.close()
  folder.remove()
})
const postJson = async (
  url: string,
  payload: object,
): Promise<{ readonly body: Record<string, unknown> }> => ({
  body: (await server.app.inject({ method: 'POST', url, payload })).json(),
})
const runRollcall = async (...args: string[]): Promise<CommandResult> =>
  folder.rollcall(args, { variables: { DATA_DIR: server.dir, EVENTS_DIR: server.eventsDir } })

test('creates, lists and withdraws discount codes while the server runs', async () => {
  const createResult = await runRollcall(
    'event',
    'discount-codes',
    'sample2026',
    '--make',
    'faculty',
    '--count',
    '2',
  )
  const codes = createResult.stdout.trim().split('\n')
  expect([createResult.status, createResult.stderr, codes.length]).toEqual([0, '', 2])
  const code = codes[0] ?? ''
  expect((await postJson('/api/events/sample2026/code/', { code })).body['kind']).toBe('faculty')
  expect(
    (await runRollcall('event', 'discount-codes', 'sample2026', '--withdraw', code)).status,
  ).toBe(0)
  const codeList = (await runRollcall('event', 'discount-codes', 'sample2026')).stdout
  expect(codeList).toContain(`${code}   faculty       0 of 1 used  withdrawn\n`)
  expect((await runRollcall('event', 'discount-codes', 'sample2026', '--uses', '3')).stderr).toBe(
    '--uses needs --make.\n',
  )
})

test('replaces a member list as a whole, or rejects it and reports every invalid line', async () => {
  folder.write(
    'bad.csv',
    'Number,Name,Kind,Valid_to,Phone\nL 12,Asha Sample,life,,1\nl12,Ravi,annual,2026-02-30,2\n,Nobody,life,,3\nX3,Xaver,honorary,,4\nL12,Again,LIFE,,5\n',
  )
  const badResult = await runRollcall('event', 'members', 'sample2026', 'society', 'bad.csv')
  expect([badResult.status, badResult.stderr.split('\n')]).toEqual([
    1,
    [
      'bad.csv:3: “2026-02-30” is not a valid valid_to. Write a date such as 2027-03-31 or 31/03/2027.',
      'bad.csv:4: The number is missing.',
      'bad.csv:5: “honorary” is not a valid kind. Use one of life, annual.',
      'bad.csv:6: L12 is already in line 3.',
      'Nothing was changed.',
      '',
    ],
  ])
  folder.write(
    'good.csv',
    'name,number,kind,valid_to,phone\nAsha Sample,L 12,LIFE,,1\n"Ravi\nSample",B 8,annual,31/03/2026,2\n',
  )
  const goodResult = await runRollcall('event', 'members', 'sample2026', 'society', 'good.csv')
  expect([goodResult.status, goodResult.stderr, goodResult.stdout]).toEqual([
    0,
    '',
    'The member list society has 2 rows: 1 new (b8), 0 changed, 1 removed (a7).\nIgnored columns: phone.\n',
  ])
  const rowResponse = await postJson('/api/events/sample2026/roll/', {
    field: 'number',
    value: 'B8',
  })
  expect(rowResponse.body['row']).toEqual({ name: 'Ravi\nSample', kind: 'annual' })
  folder.write('short.csv', 'number,name\nL1,x\n')
  expect(
    (await runRollcall('event', 'members', 'sample2026', 'society', 'short.csv')).stderr,
  ).toContain('short.csv:1: The column kind is missing.')
})

test('while a changed event file is held back, each command states it once, in a sentence, without a JSON line of a log', async () => {
  const file = join(server.eventsDir, 'sample2026.yaml')
  writeFileSync(file, eventWithQuotas)
  const { status, stderr } = await runRollcall('event', 'discount-codes', 'sample2026')
  writeFileSync(file, completeFile)
  expect([status, stderr]).toEqual([
    0,
    expect.stringMatching(/^[^{}]*sample2026\.yaml [^{}]*version is served[^{}]*$/),
  ])
  expect(stderr.match(/version is served/g)).toHaveLength(1)
})
