/** Links to the text that delegates agree to. */
import { expect, test } from 'vitest'
import { readGolden } from './goldens.ts'
import { listFindings } from './sample-file.ts'

const listFindingsOf = (link: string): readonly string[] =>
  listFindings(readGolden('EV539.yaml').replace('link: /terms', `link: '${link}'`))

test('a consent link to a page that Rollcall does not serve is reported', () => {
  for (const link of ['/terms', '/sample2026/terms', '/assets/terms.pdf', '/terms?lang=en'])
    expect(listFindingsOf(link)).toEqual([
      `EV539 line 35: Rollcall has no page with the address ${link}`,
    ])
})

test.each(['https://society.example/terms', '/sample2026', '/sample2026#rules', '/'])(
  'a consent link to %s is accepted',
  (link) => expect(listFindingsOf(link)).toEqual([]),
)
