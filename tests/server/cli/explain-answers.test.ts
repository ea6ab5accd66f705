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
