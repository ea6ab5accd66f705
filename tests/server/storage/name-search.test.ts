/** Search by the forms of names that callers use, on SQLite. The contract tests cover PostgreSQL too. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { matchesWithOneTypo, rankName } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import { openSqliteStore } from '../../../server/storage/open-store.ts'
import type { OpenedStore } from '../../../server/storage/open-store.ts'
import { parseSearch } from '../../../server/storage/lists/search-terms.ts'
import { addMs, buildRegistration } from '../sample-registrations.ts'
import { useEmptyDatabase } from '../prepared-files.ts'

const FIRST_NAMES = [
  'Suresh',
  'Template',
  'Meera',
  'Anitha',
  'Joseph',
  'Lakshmi',
  'Farida',
  'Thomas',
  'Ravi',
  'Zainab',
]
const LAST_NAMES = ['Alpha', 'Menon', 'Pillai', 'Varghese', 'Iyer']
const INITIALS = ['', 'K', 'P', 'K P']
const TITLES = ['Dr. ', '', 'Prof. ', 'Dr ']

/** 200 different names. A third have a title, and some have their initials before the name. */
const PEOPLE = FIRST_NAMES.flatMap((first, f) =>
  LAST_NAMES.flatMap((last, l) =>
    INITIALS.map((initials, i) => {
      const writtenInitials = (f + l) % 2 === 0 ? initials : initials.replaceAll(/(\w)/g, '$1.')
      return {
        first,
        last,
        initials,
        name: `${TITLES[(f + i) % 4]}${[first, last, writtenInitials].filter((part) => part !== '').join(' ')}`,
        phone: `+91 ${98_000 + f * 20 + l * 4 + i} ${String(10_000 + f * 1_000 + l * 100 + i * 10)}`,
      }
    }),
  ),
)
type Person = (typeof PEOPLE)[number]

/** The forms in which a caller or a secretary may give a name. Null if a person's name has no such form. */
const NAME_FORMS: readonly (readonly [string, (person: Person) => string | null])[] = [
  ['as it is stored', ({ name }) => name],
  ['Dr X Y', ({ first, last, initials }) => `Dr ${first} ${last} ${initials}`],
  ['dr. x y', ({ first, last, initials }) => `dr. ${first} ${last} ${initials}`.toLowerCase()],
  ['Y X', ({ first, last, initials }) => `${last} ${first} ${initials}`],
  ['initials first', ({ first, last, initials }) => `${initials} ${first} ${last}`],
  [
    'initials with dots',
    ({ first, last, initials }) => `${first} ${last} ${initials.replaceAll(/(\w)/g, '$1.')}`,
  ],
  [
    'initials without a space',
    ({ first, last, initials }) => `${first} ${last} ${initials.replaceAll(' ', '')}`,
  ],
  [
    'X Y.',
    ({ first, last, initials }) => (initials === '' ? `${first} ${last.slice(0, 1)}.` : null),
  ],
  ['Prof X Y', ({ first, last, initials }) => `Prof ${first} ${last} ${initials}`],
]

describe('a search with a title or an initial finds the person', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-names-'))
  let opened: OpenedStore
  let store: OpenedStore['store']
  const personByRegNo = new Map<RegNo, Person>()
  beforeAll(async () => {
    await useEmptyDatabase(dataDir)
    opened = await openSqliteStore({ dataDir })
    store = opened.store
    await Promise.all(
      PEOPLE.map(async (person, index) => {
        const registration = buildRegistration({
          at: addMs(index),
          answers: { full_name: person.name, college: `${LAST_NAMES[index % 5]} Medical College` },
          searchable: {
            fullName: person.name,
            email: `person${index}@example.org`,
            phone: person.phone,
            councilNo: '',
          },
        })
        personByRegNo.set(registration.regNo, person)
        await store.register(registration)
      }),
    )
  })
  afterAll(async () => {
    await opened.store.close()
    rmSync(dataDir, { recursive: true })
  })
  const search = async (text: string): Promise<readonly (Person | undefined)[]> =>
    (await store.searchEvents(['demo'], text, 30)).map(({ regNo }) => personByRegNo.get(regNo))
  const formatName = ({ first, last, initials }: Person) => `${first} ${last} ${initials}`

  test.each(NAME_FORMS)(
    'each of 200 people is the first result for their name: %s',
    async (form, writeName) => {
      const failedSearches: string[] = []
      for (const person of PEOPLE) {
        const text = writeName(person)
        if (text === null) continue
        const [firstResult] = await search(text)
        const isFirst =
          form === 'X Y.'
            ? // Another person with the same initial is an equally good result.
              firstResult?.first === person.first &&
              `${firstResult.last} ${firstResult.initials}`
                .split(' ')
                .some((word) => word.startsWith(person.last.slice(0, 1)))
            : firstResult !== undefined && formatName(firstResult) === formatName(person)
        if (!isFirst) failedSearches.push(`${text}: ${firstResult?.name ?? 'no result'}`)
      }
      expect(failedSearches).toEqual([])
    },
  )

  test('each of 200 phone numbers is found by its last five digits, and with different spacing', async () => {
    for (const person of PEOPLE) {
      const digits = person.phone.replaceAll(/\D/g, '')
      for (const text of [digits.slice(-5), `${digits.slice(2, 7)} ${digits.slice(7)}`])
        expect(await search(text)).toContain(person)
    }
  })

  test('a name with one wrong letter is suggested', async () => {
    const failedSearches: string[] = []
    for (const [index, person] of PEOPLE.entries()) {
      const { first, last, initials } = person
      const typoIndex = first.startsWith('Mee') ? 2 : 1 + (index % (first.length - 2))
      const typo = [
        first.slice(0, typoIndex) + first.slice(typoIndex + 1),
        `${first.slice(0, typoIndex)}x${first.slice(typoIndex)}`,
        `${first.slice(0, typoIndex)}q${first.slice(typoIndex + 1)}`,
        `${first.slice(0, typoIndex)}${first[typoIndex + 1]}${first[typoIndex]}${first.slice(typoIndex + 2)}`,
      ][index % 4]
      const text = `Dr ${typo} ${last} ${initials}`
      const suggestions = await store.searchSimilarNames(['demo'], text, 30)
      if (!suggestions.some(({ regNo }) => personByRegNo.get(regNo) === person))
        failedSearches.push(text)
    }
    expect(failedSearches).toEqual([])
  })

  test('a person is listed before an institution of the same name', async () => {
    const results = await search('Alpha')
    expect(results.length).toBe(30)
    expect(results.every((person) => person?.last === 'Alpha')).toBe(true)
  })
})

test.each([
  ['Dr Template Alpha', ['Template', 'Alpha'], []],
  ['A Template', ['Template'], ['A']],
  ['K.P.Nair', ['Nair'], ['K', 'P']],
  ['Dr.Meera', ['Meera'], []],
  ['meera.nair@example.org', ['meera.nair@example.org'], []],
  ['Dr', ['\u0002Dr'], []],
  ['K P', ['K P'], []],
  ['Ward 12', ['Ward 12'], []],
])('the search %s is split into terms and initials', (text, terms, nameStarts) => {
  expect(parseSearch(text)).toEqual({ terms, nameStarts })
})

test.each([
  ['Dr. Template Alpha', 'alpha template', 0],
  ['Suresh K.P.', 'Suresh KP', 0],
  ['Suresh Kumar Pillai', 'suresh k p', 1],
  ['Ann Mariamma', 'mary ann', 3],
  ['Anna Ann', 'ann ann', 1],
  ['Venkatesan', 'katesan', 2],
])('the name %s has the right rank for the search %s', (name, text, rank) => {
  expect(rankName(name, text)).toBe(rank)
})

test.each([
  ['Meera Nair', 'mera nair', true],
  ['Meera Nair', 'meeran air', false],
  ['Meera Nair', 'meeea nair', true],
  ['Meera Nair', 'meear nair', true],
  ['Meera Nair', 'mxxra nair', false],
  ['Meera Nair', 'meera nair', false],
  ['Dr Jo Nair', 'dr ja nair', false],
  ['Ravi Nair', 'rvi nair', true],
])('whether the name %s, typed as %s, contains one typo: %s', (name, text, isTypo) => {
  expect(matchesWithOneTypo(name, text)).toBe(isTypo)
})
