/** docs/codes.md says what the golden pairs say, code by code. */
import { expect, test } from 'vitest'
import { catalogue } from '../../../engine/authoring.ts'
import { CODES_PAGE, codesPage, examplesOf, MENDED, mendedOf } from './codes-page.ts'
import { findingsOf } from './goldens.ts'

const codes = Object.keys(catalogue)
const page = codesPage()

test('the page of codes is as the golden files make it (UPDATE=1 writes it)', async () => {
  await expect(page).toMatchFileSnapshot(CODES_PAGE)
})

test('every code has a section, and every section a code', () => {
  expect([...page.matchAll(/^### (EV\d+) /gm)].map(([, code]) => code).sort()).toEqual(
    [...codes].sort(),
  )
})

test.each(codes)('%s: the wrong example is not the right one, and neither is empty', (code) => {
  const { wrong, right } = examplesOf(code)
  expect(wrong.trim()).not.toBe('')
  expect(right.trim()).not.toBe('')
  expect(wrong).not.toBe(right)
})

/** What has to go, or stands elsewhere: nothing is right in its own place. */
const LEFT_OUT = ['EV010', 'EV212', 'EV442', 'EV990', 'EV991']
const blocks = (text: string) => [...text.matchAll(/^\w+(?=:)/gm)].map(([block]) => block)
test.each(codes)(
  '%s: the right example is of the block of the wrong one, or codes-page.ts says under MENDED what to write',
  (code) => {
    const { wrong, right } = examplesOf(code)
    const isOfOne = blocks(right).some((block) => blocks(wrong).includes(block))
    expect(isOfOne).toBe(!LEFT_OUT.includes(code))
  },
)

test.each(Object.keys(MENDED))('%s: what is said to be right is told nothing', (code) => {
  expect(findingsOf(code, mendedOf(code)).findings).toEqual([])
})
