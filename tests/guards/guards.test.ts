/** That every finding has a guard, that each guard is still in the tree, and that the pages list them. `npm run guards` runs them. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findMisfit, TOP } from '../mistakes.ts'
import { ELSEWHERE, FINDINGS, guards, pageWith, SUBJECTS } from './guards.ts'

test('every finding has a guard that can be taken out, or is told where it is', () => {
  for (const subject of SUBJECTS) {
    const guarded = guards().flatMap((guard) => (guard.subject === subject ? [guard.finding] : []))
    const numbers = Array.from({ length: FINDINGS[subject] }, (_, at) => at + 1)
    const elsewhere = Object.keys(ELSEWHERE[subject]).map(Number)
    expect([...new Set([...guarded, ...elsewhere])].toSorted((a, b) => a - b)).toEqual(numbers)
    expect(elsewhere.filter((number) => guarded.includes(number))).toEqual([])
  }
})

test('every guard that can be taken out still fits the tree: find its guard again where one does not', () => {
  const unfit = guards().map(({ mistake }) => [mistake.name, findMisfit(mistake)] as const)
  expect(unfit.filter(([, said]) => said !== null)).toEqual([])
})

test('every guard names a test that is there, and what that says without it', () => {
  for (const { mistake, test: there, red } of guards()) {
    // A contract stands beside the test that runs it.
    const folder = join(TOP, dirname(there.file))
    const texts = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
    expect(
      [mistake.name, texts.some((text) => text.includes(there.name)), red !== ''],
      there.name,
    ).toEqual([mistake.name, true, true])
  }
})

test.each([
  'docs/money/guards.md',
  'docs/security/guards.md',
  'docs/security/staff.md',
  'docs/operation/guards.md',
])('%s lists the guards as they are (UPDATE=1 writes it)', async (page) => {
  const text = readFileSync(join(TOP, page), 'utf8')
  await expect(pageWith(text)).toMatchFileSnapshot(join(TOP, page))
})
