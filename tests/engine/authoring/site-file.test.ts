/** The landing page’s file: the one in the repository is valid, and mistakes are reported on their lines. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileSite } from '../../../engine/authoring/compile/site.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..')
const SITE = readFileSync(join(REPOSITORY_ROOT, 'events/_shared/site.yaml'), 'utf8')

const formatSiteFindings = (source: string): string[] =>
  compileSite(source).findings.map(({ code, message, at, help, notes }) =>
    [`${at.start.line} ${code} ${message}`, help, ...notes].filter(Boolean).join('; '),
  )
const replaceInSite = (original: string, replacement: string): string => {
  expect(SITE).toContain(original)
  return SITE.replace(original, replacement)
}

describe("the landing page's file", () => {
  test('has no findings, and contains every figure and label from the specification', () => {
    const { site, findings } = compileSite(SITE)
    expect(findings).toEqual([])
    expect(site?.features.items.length).toBe(9)
    expect(site?.steps.items.length).toBe(4)
    expect(site?.testimonials.items.map(({ stars }) => stars)).toEqual([5, 5, 5, 5, 5, 5])
    expect(site?.claims.items.map(({ figure, label }) => `${figure} ${label}`)).toEqual([
      '10K+ events',
      '1M+ attendees',
      '98% success',
      '50+ countries',
    ])
    expect(site?.header.links.map(({ label, go }) => `${label} ${go}`)).toEqual([
      'Features #features',
      'How it Works #how-it-works',
      'Pricing #pricing',
      'About #about',
    ])
    expect([site?.header.signIn.label, site?.header.createEvent.label]).toEqual([
      'Sign In',
      'Create Event',
    ])
    expect(site?.footer.groups.map(({ title }) => title)).toEqual([
      'Product',
      'Support',
      'Company',
      'Legal',
    ])
  })

  test.each<readonly [string, string, string, readonly string[]]>([
    [
      'an unknown key',
      'hero:\n',
      'hero:\n  subtitle: x\n',
      ['22 EV101 `subtitle` is not a valid key; valid keys: title, text, button, link, picture'],
    ],
    [
      'a missing key',
      '  closed: Registration Closed\n',
      '',
      ['40 EV102 `closed` is missing in `conferences`'],
    ],
    [
      'a number instead of text',
      'figure: 98%',
      'figure: 98',
      ['53 EV007 `figure` must be text, but `98` is read as the number 98; write "98"'],
    ],
    [
      'six stars',
      '{stars: 5, quote: We stopped',
      '{stars: 6, quote: We stopped',
      ['80 EV105 6 is too large for `stars`: at most 5'],
    ],
    [
      'a link to another site',
      'go: /admin/login',
      'go: https://elsewhere.example',
      [
        '18 EV105 `https://elsewhere.example` is not valid for `go`; it must be an anchor of the landing page (#features, #how-it-works, #pricing, #about, #conferences) or a path of this site such as /admin/login',
      ],
    ],
    [
      'a missing anchor',
      '{label: About, go: "#about"}\n  sign_in',
      '{label: About, go: "#abuot"}\n  sign_in',
      [
        '17 EV105 `"#abuot"` is not valid for `go`; it must be an anchor of the landing page (#features, #how-it-works, #pricing, #about, #conferences) or a path of this site such as /admin/login',
      ],
    ],
    [
      'a missing icon',
      'social: [facebook,',
      'social: [myspace,',
      [
        '114 EV104 `myspace` is not a valid entry of `social`; write one of the valid values; valid values: facebook, x, linkedin, instagram, youtube',
      ],
    ],
  ])('%s is reported on its line', (_name, original, replacement, expected) => {
    expect(formatSiteFindings(replaceInSite(original, replacement))).toEqual(expected)
  })

  test('several mistakes are reported together', () => {
    expect(
      formatSiteFindings(replaceInSite('  name: Rollcall\n', '').replace('stars: 5', 'stars: 0'))
        .length,
    ).toBe(2)
  })

  test.each([
    ['nothing', ''],
    ['a list', '- 1'],
    ['half a line', 'hero: {title'],
    ['an alias', 'a: &a 1\nb: *a'],
    ['a number', '7'],
    ['a tab', 'a:\n\tb: 1'],
  ])('instead of a site file, %s is rejected without an exception', (_name, source) => {
    const { site, findings } = compileSite(source)
    expect(site).toBeNull()
    expect(findings.length).toBeGreaterThan(0)
  })
})
