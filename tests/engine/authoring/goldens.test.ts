/** Each code has a golden pair: the smallest file with that finding, and the output, which `UPDATE=1` writes. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue, compileEvent } from '../../../engine/authoring.ts'
import { sampleFile, readCode, checkGolden, GOLDENS, readGolden, shared } from './goldens.ts'

const codes = Object.keys(catalogue).sort()
/**
 * Codes that are always reported with others: a file with another event's id also has the wrong file name.
 */
const companionCodesByCode: Readonly<Record<string, readonly string[]>> = { EV804: ['EV807'] }

test('the base file of the golden files has no findings', () => {
  const { event, findings } = compileEvent(sampleFile, shared, { path: 'sample2026.yaml' })
  expect(findings).toEqual([])
  expect(event?.fees.prices).toEqual({
    member: { early: 100_000, late: 150_000 },
    visitor: { early: 200_000, late: 250_000 },
  })
})

/** The names of all pairs: each is a code, followed by a variant if the code has several pairs. */
const pairs = readdirSync(GOLDENS)
  .filter((name) => /^EV.*\.yaml$/.test(name))
  .map((name) => name.replace('.yaml', ''))
  .sort()

test('every code has a pair, and every pair has a code', () => {
  expect(pairs.filter((name) => !name.includes('-'))).toEqual(codes)
  expect([...new Set(pairs.map(readCode))]).toEqual(codes)
  // A missing pair fails below; `UPDATE=1` writes it.
  const outputFiles = readdirSync(GOLDENS).filter((name) => name.endsWith('.out'))
  expect(outputFiles.filter((name) => !pairs.includes(name.replace('.out', '')))).toEqual([])
})

describe('the printed output', () => {
  test.each(pairs)('%s matches its golden output', async (name) => {
    const code = readCode(name)
    const { findings, printed } = checkGolden(name)
    expect([...new Set(findings.map((finding) => finding.code))].sort()).toEqual([
      code,
      ...(companionCodesByCode[code] ?? []),
    ])
    await expect(printed).toMatchFileSnapshot(join(GOLDENS, `${name}.out`))
    for (const { slug, severity } of findings.filter((finding) => finding.code === code))
      expect({ slug, severity }).toEqual({
        slug: catalogue[code]?.slug,
        severity: catalogue[code]?.severity,
      })
  })
})

test('no two codes have the same slug', () => {
  const slugs = Object.values(catalogue).map(({ slug }) => slug)
  expect(slugs.filter((slug, index) => slugs.indexOf(slug) !== index)).toEqual([])
})

describe('automatic corrections', () => {
  test('each correction resolves its own finding', () => {
    const fixablePairs = pairs.filter(
      (code) =>
        code.startsWith('EV0') ||
        code.startsWith('EV1') ||
        code.startsWith('EV2') ||
        readCode(code) === 'EV307',
    )
    const fixedPairs = fixablePairs.flatMap((code) => {
      const [finding] = checkGolden(code).findings
      if (finding?.fix === undefined) return []
      const text = readGolden(`${code}.yaml`)
      const fixedText =
        text.slice(0, finding.fix.start) + finding.fix.text + text.slice(finding.fix.end)
      return [
        {
          code,
          remaining: checkGolden(code, fixedText).findings.filter(
            (otherFinding) =>
              otherFinding.code === readCode(code) &&
              otherFinding.at.start.offset === finding.at.start.offset,
          ).length,
        },
      ]
    })
    expect(fixedPairs.length).toBeGreaterThan(8)
    expect(fixedPairs.filter(({ remaining }) => remaining > 0)).toEqual([])
  })
})
