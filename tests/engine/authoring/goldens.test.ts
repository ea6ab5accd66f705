/** One pair per code: the smallest file that shows it, and what its author reads. `UPDATE=1` writes the latter. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue, compileEvent } from '../../../engine/authoring.ts'
import { base, codeOf, findingsOf, GOLDENS, readGolden, shared } from './goldens.ts'

const codes = Object.keys(catalogue).sort()
/** Codes that cannot come alone: a file that takes another event's id is not called by its own. */
const companions: Readonly<Record<string, readonly string[]>> = { EV804: ['EV807'] }

test('the base that every golden file changes is clean', () => {
  const { event, findings } = compileEvent(base, shared, { path: 'sample2026.yaml' })
  expect(findings).toEqual([])
  expect(event?.fees.prices).toEqual({
    member: { early: 100_000, late: 150_000 },
    visitor: { early: 200_000, late: 250_000 },
  })
})

/** Every pair by its name: a code, and what the pair shows where the code has several. */
const pairs = readdirSync(GOLDENS)
  .filter((name) => /^EV.*\.yaml$/.test(name))
  .map((name) => name.replace('.yaml', ''))
  .sort()

test('every code has a pair, and every pair a code', () => {
  expect(pairs.filter((name) => !name.includes('-'))).toEqual(codes)
  expect([...new Set(pairs.map(codeOf))]).toEqual(codes)
  // One that is missing fails below, where `UPDATE=1` writes it.
  const printed = readdirSync(GOLDENS).filter((name) => name.endsWith('.out'))
  expect(printed.filter((name) => !pairs.includes(name.replace('.out', '')))).toEqual([])
})

describe('what is printed', () => {
  test.each(pairs)('%s', async (name) => {
    const code = codeOf(name)
    const { findings, printed } = findingsOf(name)
    expect([...new Set(findings.map((finding) => finding.code))].sort()).toEqual([
      code,
      ...(companions[code] ?? []),
    ])
    await expect(printed).toMatchFileSnapshot(join(GOLDENS, `${name}.out`))
    for (const { slug, severity } of findings.filter((finding) => finding.code === code))
      expect({ slug, severity }).toEqual({
        slug: catalogue[code]?.slug,
        severity: catalogue[code]?.severity,
      })
  })
})

test('a slug names one code', () => {
  const slugs = Object.values(catalogue).map(({ slug }) => slug)
  expect(slugs.filter((slug, at) => slugs.indexOf(slug) !== at)).toEqual([])
})

describe('machine edits', () => {
  test('each mends the finding it comes with', () => {
    const mending = pairs.filter(
      (code) =>
        code.startsWith('EV0') ||
        code.startsWith('EV1') ||
        code.startsWith('EV2') ||
        codeOf(code) === 'EV307',
    )
    const mended = mending.flatMap((code) => {
      const [finding] = findingsOf(code).findings
      if (finding?.fix === undefined) return []
      const text = readGolden(`${code}.yaml`)
      const after =
        text.slice(0, finding.fix.start) + finding.fix.text + text.slice(finding.fix.end)
      return [
        {
          code,
          left: findingsOf(code, after).findings.filter(
            (other) =>
              other.code === codeOf(code) && other.at.start.offset === finding.at.start.offset,
          ).length,
        },
      ]
    })
    expect(mended.length).toBeGreaterThan(8)
    expect(mended.filter(({ left }) => left > 0)).toEqual([])
  })
})
