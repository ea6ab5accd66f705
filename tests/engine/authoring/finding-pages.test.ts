/** docs/findings says what the golden pairs say, code by code. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue } from '../../../engine/authoring.ts'
import { examplesOf, FINDINGS_FOLDER, findingPages, MENDED, mendedOf } from './finding-pages.ts'
import { findingsOf } from './goldens.ts'

const codes = Object.keys(catalogue)
const pages = findingPages()

test.each(Object.keys(pages))(
  'docs/findings/%s is as the golden files make it (npm run findings writes it)',
  async (name) => {
    await expect(pages[name]).toMatchFileSnapshot(join(FINDINGS_FOLDER, name))
  },
)

test('docs/findings has no other page', () => {
  expect(readdirSync(FINDINGS_FOLDER).toSorted()).toEqual(Object.keys(pages).toSorted())
})

test('every code has one section, on one page, and is in the index', () => {
  const sections = Object.values(pages).flatMap((page) => [...page.matchAll(/^## (EV\d+) /gm)])
  expect(sections.map(([, code]) => code).sort()).toEqual([...codes].sort())
  const listed = [...(pages['README.md'] ?? '').matchAll(/EV\d+(?=\u00a0)/g)].map(([code]) => code)
  expect(listed.sort()).toEqual([...codes].sort())
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
  '%s: the right example is of the block of the wrong one, or finding-pages.ts says under MENDED what to write',
  (code) => {
    const { wrong, right } = examplesOf(code)
    const isOfOne = blocks(right).some((block) => blocks(wrong).includes(block))
    expect(isOfOne).toBe(!LEFT_OUT.includes(code))
  },
)

test.each(Object.keys(MENDED))('%s: the right example has no finding', (code) => {
  expect(findingsOf(code, mendedOf(code)).findings).toEqual([])
})
