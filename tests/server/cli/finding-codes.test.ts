/** `rollcall event finding`: explains a finding by its code or name. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../../engine/authoring.ts'
import { createCommandFolder, type CommandFolder } from './cli.ts'

let folder: CommandFolder
beforeAll(() => {
  folder = createCommandFolder()
})
afterAll(() => folder.remove())

test('explains a code or its name with an incorrect and a correct example, and the printed finding', async () => {
  const { status, stdout } = await folder.rollcall(['event', 'finding', 'ev302'])
  expect(status).toBe(0)
  expect(stdout).toMatch(
    /^EV302 rule-unreachable \(error\)\n[^]*\nWrong:\n[^]*\nRight:\n[^]*\n`validate` prints:\n\n {4}error\[EV302\]: this rule is never reached\n/,
  )
  expect(stdout).not.toContain('EV303')
  expect(await folder.rollcall(['event', 'finding', 'rule-unreachable'])).toEqual({
    status,
    stdout,
    stderr: '',
  })
})

test('lists all findings without an argument', async () => {
  const { stdout } = await folder.rollcall(['event', 'finding'])
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0])
      .sort(),
  ).toEqual(Object.keys(catalogue).sort())
})

test('exits with 2 for an unknown code', async () => {
  expect(await folder.rollcall(['event', 'finding', 'EV999'])).toEqual({
    status: 2,
    stdout: '',
    stderr: 'Unknown finding "EV999". rollcall event finding lists them.\n',
  })
})

test.each([
  [
    'EV31',
    Object.keys(catalogue)
      .filter((code) => code.startsWith('EV31'))
      .sort()
      .join(', '),
  ],
  ['ev3O2', 'EV302'],
  ['302', 'EV302'],
  ['rule-unreachabel', 'rule-unreachable'],
  ['unreachable', 'rule-unreachable, category-unreachable, unreachable-price'],
])('%s: did you mean %s?', async (input, suggestion) => {
  const { status, stderr } = await folder.rollcall(['event', 'finding', input])
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `Unknown finding "${input}". Did you mean ${suggestion}? rollcall event finding lists them.\n`,
  })
})
