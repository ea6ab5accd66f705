/** Answers with the same meaning are treated as equal, and others are not. */
import { describe, expect, test } from 'vitest'
import { foldCode, getComparisonKey, foldText, listUniqueRules } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { foldPhone } from '../../../engine/answers/compare-answers.ts'

describe('equal answers', () => {
  test.each([
    ['asha@example.org', ' Asha@EXAMPLE.org '],
    ['KMC 12345', 'kmc12345'],
    ['straße', 'STRASSE'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['ｋｍｃ１２', 'KMC12'],
    ['ﬁve', 'FIVE'],
    ['e\u0301', 'é'],
    ['a\u200bb\u2060c', 'abc'],
    ['അനിത\u200c', 'അനിത'],
  ])('the texts %j and %j are equal', (firstSpelling, secondSpelling) => {
    expect(foldText(firstSpelling)).toBe(foldText(secondSpelling))
    expect(foldText(foldText(firstSpelling))).toBe(foldText(firstSpelling))
  })

  test.each([
    '9847012345',
    '+91 98470 12345',
    '+91-98470-12345',
    '09847012345',
    '0091 9847012345',
    '919847012345',
    '(+91) 0 98470.12345',
    '９８４７０１２３４５',
  ])('the mobile number %j is equal to 9847012345', (number) => {
    expect(foldPhone(number)).toBe('9847012345')
  })

  test('the discount codes FAC-1-B and fac1b are equal', () => {
    expect(foldCode(' FAC–1 -B ')).toBe(foldCode('fac1b'))
  })
})

describe('different answers', () => {
  test.each([
    ['12345', '12346'],
    ['K-123', 'K123'],
    ['o', '0'],
    ['asha.menon@example.org', 'ashamenon@example.org'],
  ])('the texts %j and %j are different', (firstSpelling, secondSpelling) => {
    expect(foldText(firstSpelling)).not.toBe(foldText(secondSpelling))
  })

  test.each([
    ['+44 20 7946 0958', '+91 20 7946 0958'],
    ['0471 2345678', '2345678'],
    ['5847012345', '915847012345'],
  ])('the phone numbers %j and %j are different', (firstSpelling, secondSpelling) => {
    expect(foldPhone(firstSpelling)).not.toBe(foldPhone(secondSpelling))
  })

  test('a foreign number that begins with 00 is equal to the same number with +', () => {
    expect(foldPhone('0044 20 7946 0958')).toBe(foldPhone('+44 20 7946 0958'))
  })
})

test('a uniqueness rule compares all its answers in order, and does not apply if an answer is missing', () => {
  const event = {
    fields: [
      { id: 'phone', type: 'phone', default: '+91' },
      { id: 'number', type: 'text' },
    ],
    unique: [{ fields: ['phone', 'number'], onDuplicate: 'block', message: '' }],
    roles: {},
  } as unknown as EventConfig
  const [rule] = listUniqueRules(event)
  if (rule === undefined) throw new Error('there is no rule')
  const getPhoneKey = (phone: string, number?: string): string | null =>
    getComparisonKey(rule, number === undefined ? { phone } : { phone, number })
  expect(getPhoneKey('+91 9847012345', 'A 1')).toBe(getPhoneKey('09847012345', 'a1'))
  expect(getPhoneKey('9847012345', 'a1')).not.toBe(getPhoneKey('9847012346', 'a1'))
  expect([
    getPhoneKey('9847012345'),
    getPhoneKey('9847012345', '\u200b'),
    getPhoneKey('+91', 'a1'),
  ]).toEqual([null, null, null])
})
