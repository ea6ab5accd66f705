/** Answers that `event explain` reads: yes and no as `event simulate` prints them, and the payment method. */
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createCommandFolder, top } from './cli.ts'

const folder = createCommandFolder()
afterAll(() => folder.remove())

test.each([
  ['yes', 'true'],
  ['No', 'false'],
])('asi_member=%s is read as %s', async (given, answer) => {
  const args = ['event', 'explain', 'chirurgia2026', `asi_member=${given}`]
  const { stdout } = await folder.rollcall(args)
  expect(stdout).toContain(`asi_member: ${answer}`)
  expect(stdout).not.toContain('neither true nor false')
})

describe('the payment method of an event whose price does not depend on it', () => {
  test.each([
    ['card', 'answer    method: "card" does not change this price'],
    [
      'transfer',
      'answer    method dropped: "transfer" is not a payment method of this event: card',
    ],
  ])('method=%s', async (method, expectedLine) => {
    const args = ['event', 'explain', 'chirurgia2026', `method=${method}`]
    const { stdout } = await folder.rollcall(args)
    expect(stdout.split('\n')).toContain(expectedLine)
    expect(stdout).not.toContain('no such field')
  })
})

test('a payment method that the file does not have is reported with the ids of its methods, and the default applies', async () => {
  const { stdout } = await folder.rollcall([
    'event',
    'explain',
    path.join(top, 'tests/events/dweepcon2027.yaml'),
    'method=crad',
    '--on',
    '2027-07-31',
  ])
  expect(stdout).toContain(
    'answer    method dropped: "crad" is not a payment method of this event: transfer, wire, card',
  )
  expect(stdout).toContain('method    NEFT or RTGS')
})

test('the listed people of companions=[…] are read', async () => {
  const { stdout } = await folder.rollcall([
    'event',
    'explain',
    path.join(top, 'tests/events/malnadchapter2027.yaml'),
    'companions=[{"name":"Ravi"}]',
  ])
  expect(stdout).toContain('read as [{"name":"Ravi"}]')
})

test.each([
  ['code=coupon', 'code dropped: write --code coupon'],
  [
    'member_number.kind=life',
    'member_number.kind dropped: write --member-list member_number.kind=life',
  ],
  ['full.hall=true', 'full.hall dropped: write --full hall'],
  ['member_number.knd=life', 'member_number.knd dropped: there is no such field'],
])('for %s, a name in conditions that is not a field, the option is named', async (pair, line) => {
  const file = path.join(top, 'tests/events/nidancon2027.yaml')
  const { stdout } = await folder.rollcall(['event', 'explain', file, pair])
  expect(stdout).toContain(`answer    ${line}`)
})

test('--roll, the earlier name of --member-list, has the same effect', async () => {
  const args = ['event', 'explain', path.join(top, 'tests/events/nidancon2027.yaml')]
  const explain = async (option: string): Promise<string> =>
    (await folder.rollcall([...args, option, 'member_number.kind=life', '--on', '2026-11-01']))
      .stdout
  expect(await explain('--roll')).toBe(await explain('--member-list'))
  expect(await explain('--roll')).toContain('fact      member_number.kind is life')
})
