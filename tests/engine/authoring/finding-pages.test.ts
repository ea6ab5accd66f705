/** The pages in docs/findings match the golden files of each code. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue } from '../../../engine/authoring.ts'
import { findExamples, FINDINGS_FOLDER, buildFindingPages, correctGolden } from './finding-pages.ts'
import { CORRECTIONS } from './finding-corrections.ts'
import { checkGolden } from './goldens.ts'

const codes = Object.keys(catalogue)
const pages = buildFindingPages()

test.each(Object.keys(pages))(
  'docs/findings/%s matches the golden files (npm run findings writes it)',
  async (name) => {
    await expect(pages[name]).toMatchFileSnapshot(join(FINDINGS_FOLDER, name))
  },
)

test('docs/findings contains no other pages', () => {
  expect(readdirSync(FINDINGS_FOLDER).toSorted()).toEqual(Object.keys(pages).toSorted())
})

test('every code has one section on one page, and is in the index', () => {
  const sections = Object.values(pages).flatMap((page) => [...page.matchAll(/^## (EV\d+) /gm)])
  expect(sections.map(([, code]) => code).sort()).toEqual([...codes].sort())
  const listedCodes = [...(pages['README.md'] ?? '').matchAll(/EV\d+(?=\u00a0)/g)].map(
    ([code]) => code,
  )
  expect(listedCodes.sort()).toEqual([...codes].sort())
})

test.each(codes)('%s: the wrong and right examples differ, and neither is empty', (code) => {
  const { wrong: wrongExample, right: rightExample } = findExamples(code)
  expect(wrongExample.trim()).not.toBe('')
  expect(rightExample.trim()).not.toBe('')
  expect(wrongExample).not.toBe(rightExample)
})

/** Codes whose correction removes or moves lines, so that the two examples have no block in common. */
const CODES_WITHOUT_COMMON_BLOCK = ['EV010', 'EV212', 'EV442', 'EV990', 'EV991']
const listBlocks = (text: string) => [...text.matchAll(/^\w+(?=:)/gm)].map(([block]) => block)
test.each(codes)(
  '%s: both examples are from the same block, unless the code is listed as an exception',
  (code) => {
    const { wrong, right } = findExamples(code)
    const hasCommonBlock = listBlocks(right).some((block) => listBlocks(wrong).includes(block))
    expect(hasCommonBlock).toBe(!CODES_WITHOUT_COMMON_BLOCK.includes(code))
  },
)

test.each(Object.keys(CORRECTIONS))('%s: the right example has no findings', (code) => {
  expect(checkGolden(code, correctGolden(code)).findings).toEqual([])
})
