/** Every fault has a guard, each guard is still in the tree, and the pages in docs list the guards. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { explainMismatch, ROOT } from '../mistakes.ts'
import { GUARDS_IN_OTHER_TABLES, FAULT_COUNTS, readGuards, updatePage, SUBJECTS } from './guards.ts'

// `npm run guards` removes each guard and runs its test.

test('every fault has a guard that can be removed, or a note that states where its guard is', () => {
  for (const subject of SUBJECTS) {
    const findingsWithGuard = readGuards().flatMap((guard) =>
      guard.subject === subject ? [guard.finding] : [],
    )
    const numbers = Array.from({ length: FAULT_COUNTS[subject] }, (_, index) => index + 1)
    const otherFindings = Object.keys(GUARDS_IN_OTHER_TABLES[subject]).map(Number)
    expect(
      [...new Set([...findingsWithGuard, ...otherFindings])].toSorted((a, b) => a - b),
    ).toEqual(numbers)
    expect(otherFindings.filter((number) => findingsWithGuard.includes(number))).toEqual([])
  }
})

test('every guard can still be found in the tree (update its text if the code changed)', () => {
  const mismatches = readGuards().map(
    ({ mutation }) => [mutation.name, explainMismatch(mutation)] as const,
  )
  expect(mismatches.filter(([, mismatch]) => mismatch !== null)).toEqual([])
})

test('every guard states an existing test, and the error with which that test fails without the guard', () => {
  for (const { mutation, test: guardTest, expectedError } of readGuards()) {
    // A contract is in the same folder as the test that runs it.
    const folder = join(ROOT, dirname(guardTest.file))
    const texts = readdirSync(folder)
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
    expect(
      [mutation.name, texts.some((text) => text.includes(guardTest.name)), expectedError !== ''],
      guardTest.name,
    ).toEqual([mutation.name, true, true])
  }
})

test.each([
  'docs/money/guards.md',
  'docs/money/treasury-guards.md',
  'docs/money/delegate-guards.md',
  'docs/money/closing-guards.md',
  'docs/security/guards.md',
  'docs/security/staff.md',
  'docs/operation/guards.md',
])('%s lists the current guards (UPDATE=1 writes it)', async (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8')
  await expect(updatePage(text)).toMatchFileSnapshot(join(ROOT, page))
})
