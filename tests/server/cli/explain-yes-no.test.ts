/** `event explain` accepts yes-no answers as `event simulate` prints them. */
import { afterAll, expect, test } from 'vitest'
import { createCommandFolder } from './cli.ts'

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
