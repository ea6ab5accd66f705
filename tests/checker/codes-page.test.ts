/** docs/codes.md says what the golden pairs say, code by code. */
import { expect, test } from 'vitest'
import { catalogue } from '../../engine/files.ts'
import { CODES_PAGE, codesPage, examplesOf, MENDED, mendedOf } from './codes-page.ts'
import { findingsOf } from './goldens.ts'

const codes = Object.keys(catalogue)

test('the page of codes is as the golden files make it (UPDATE=1 writes it)', async () => {
  await expect(codesPage()).toMatchFileSnapshot(CODES_PAGE)
})

test('every code has a section, and every section a code', () => {
  expect([...codesPage().matchAll(/^### (EV\d+) /gm)].map(([, code]) => code).sort()).toEqual(
    [...codes].sort(),
  )
})

test.each(codes)('%s: the wrong example is not the right one, and neither is empty', (code) => {
  const { wrong, right } = examplesOf(code)
  expect(wrong.trim()).not.toBe('')
  expect(right.trim()).not.toBe('')
  expect(wrong).not.toBe(right)
})

test.each(Object.keys(MENDED))('%s: what is said to be right is told nothing', (code) => {
  expect(findingsOf(code, mendedOf(code)).findings).toEqual([])
})
