/** Decides whether two payments are from the same person, and builds the second confirmation. */
import { expect, test } from 'vitest'
import { decideSamePerson, getPayerKey } from '../../../engine/index.ts'
import { addSecondPaymentNotice } from '../../../engine/messages.ts'
import type { RegNo } from '../../../engine/index.ts'

const getKey = (fullName: string, email = 'asha@example.org') => getPayerKey({ email, fullName })
const ashaKey = getKey('Asha D’Souza')

test.each([
  'Dr Asha D’Souza',
  'PROF. DR. ASHA D’SOUZA',
  'Dr.Asha DSouza',
  ' asha   d\u2019sou\u200bza ',
  "Asha D'Souza",
])('"%s" is recognised as the same person', (name) => {
  expect(getKey(name, ' Asha@EXAMPLE.org')).toBe(ashaKey)
})

test('a name typed in full-width characters is recognised as the same person', () => {
  const printable = Array.from({ length: 94 }, (_, index) => String.fromCodePoint(0x21 + index))
  const toFullWidth = (character: string) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)
  const buildKey = (character: string) => getKey(`Dr${character}Asha${character} D${character}S`)
  const differing = printable.filter(
    (character) => buildKey(character) !== buildKey(toFullWidth(character)),
  )
  expect(differing).toEqual([])
})

test('a name typed on two different Malayalam keyboards is recognised as the same person', () => {
  const olderSpelling = 'മോഹന\u0D4D\u200D കുമാര\u0D4D\u200D'
  expect(getKey(olderSpelling)).toBe(getKey('മോഹൻ കുമാർ'))
  expect(getKey('മോഹൻ')).not.toBe(getKey('മോഹൽ'))
})

test.each([
  ['a.sha+congress@gmail.com', 'asha@googlemail.com', true],
  ['asha+congress@example.org', 'asha@example.org', true],
  ['a.sha@example.org', 'asha@example.org', false],
])('%s and %s are the same mailbox: %s', (email, otherEmail, isSame) => {
  expect(getKey('Asha', email) === getKey('Asha', otherEmail)).toBe(isSame)
})

const ownRegistration = { regNo: 'MINE', isProven: true }
const olderRegistration = { regNo: 'OLDER', isProven: true }
const unprovenRegistration = { regNo: 'OTHER', isProven: false }
test.each([
  ['the person has no registration', [], null, null],
  ['this browser made the registration', [ownRegistration], null, ['ask', ownRegistration]],
  ['the delegate was asked about this registration', [ownRegistration], 'MINE', null],
  [
    'the delegate was asked about an older registration',
    [ownRegistration, olderRegistration],
    'OLDER',
    ['ask', ownRegistration],
  ],
  [
    'only another browser made a registration',
    [unprovenRegistration],
    null,
    ['email', unprovenRegistration],
  ],
  [
    'a stranger enters the registration number',
    [unprovenRegistration],
    'OTHER',
    ['email', unprovenRegistration],
  ],
  [
    'both browsers made a registration',
    [unprovenRegistration, ownRegistration],
    null,
    ['ask', ownRegistration],
  ],
] as const)(
  'the form detects a person who may already be registered: %s',
  (_, registrations, confirmed, expected) => {
    const decision = decideSamePerson(registrations, confirmed)
    expect(decision === null ? null : [decision.is, decision.registration]).toEqual(expected)
  },
)

test('a different name or email address means a different person; a registration without a name or email address matches no other', () => {
  expect(getKey('Anil D’Souza')).not.toBe(ashaKey)
  expect(getKey('Asha D’Souza', 'asha2@example.org')).not.toBe(ashaKey)
  expect(getKey('डॉ आशा नायर')).not.toBe(getKey('डॉ उषा नायर'))
  expect([getKey(''), getKey('...'), getKey('Asha', ' ')]).toEqual([null, null, null])
  expect(getKey('Dr')).not.toBeNull()
})

test('the second confirmation mentions the first registration below the greeting, and always contains a link', () => {
  const firstRegNo = 'DEMO1' as RegNo
  const secondConfirmation = addSecondPaymentNotice(
    { subject: 'Confirmed', text: 'Dear Asha,\n\nWelcome.' },
    firstRegNo,
  )
  expect(secondConfirmation.subject).toBe('Confirmed (second payment)')
  expect(secondConfirmation.text.split('\n\n')).toEqual([
    'Dear Asha,',
    expect.stringMatching(
      /^This is the second payment .* You had already paid for registration DEMO1\./,
    ),
    'Welcome.',
    'Your registration:\n{link}',
  ])
  const linkedConfirmation = addSecondPaymentNotice(
    { subject: 'x', text: 'Welcome.\n\nHere:\n{link}' },
    firstRegNo,
  )
  expect(linkedConfirmation.text.match(/\{link\}/g)).toHaveLength(1)
})
