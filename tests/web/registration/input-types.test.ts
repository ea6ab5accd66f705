/** The attributes of an input for the phone's keyboard, autofill, capitals and spelling. */
import { expect, test } from 'vitest'
import { FORMATS } from '../../../engine/event/identifier-patterns.ts'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { getInputAttributes } from '../../../web/registration/fields/keyboard-and-autofill.ts'
import { createField } from '../../engine/fixtures.ts'

const roles: PublicEvent['roles'] = { fullName: 'full_name', email: 'email', phone: 'phone_number' }
/**
 * Returns "autofill · keyboard · capitals · spelling". A "-" means that the attribute is not set, so the browser
 * decides.
 */
const describeInput = (
  testField: Field,
  fieldRoles: PublicEvent['roles'] | null = roles,
): string => {
  const { autocomplete, inputMode, autocapitalize, spellCheck } = getInputAttributes(
    testField,
    fieldRoles,
  )
  return [autocomplete, inputMode, autocapitalize, spellCheck]
    .map((attribute) => attribute ?? '-')
    .join(' · ')
}

test.each<[string, Partial<Field>, string]>([
  ['full_name', {}, 'name · - · words · false'],
  ['first_name', {}, 'given-name · - · words · false'],
  ['surname', {}, 'family-name · - · words · false'],
  ['title', {}, 'honorific-prefix · - · - · -'],
  ['email', { type: 'email' }, 'email · email · off · false'],
  ['second_email', { type: 'email' }, 'email · email · off · false'],
  ['e_mail', {}, 'email · email · off · false'],
  ['phone_number', { type: 'phone' }, 'tel · tel · - · -'],
  ['mobile', { pattern: FORMATS['mobile-in'] }, 'tel · tel · - · -'],
  ['emergency_phone', { type: 'phone' }, 'off · tel · - · -'],
  ['address', { type: 'multiline' }, 'street-address · - · - · -'],
  ['city', {}, 'address-level2 · - · words · -'],
  ['state', { type: 'select' }, 'address-level1 · - · - · -'],
  ['country', { type: 'select' }, 'country-name · - · - · -'],
  ['pincode', {}, 'postal-code · numeric · - · -'],
  ['pin', { pattern: FORMATS.pin }, 'postal-code · numeric · - · -'],
  ['postal_code', {}, 'postal-code · - · characters · false'],
  ['hospital', {}, 'organization · - · words · -'],
  ['present_institute', {}, 'organization · - · words · -'],
  ['organisation', {}, 'organization · - · - · -'],
  ['designation', {}, 'organization-title · - · - · -'],
  ['date_of_birth', { type: 'date' }, 'bday · - · - · -'],
  ['gender', { type: 'select' }, 'sex · - · - · -'],
  ['website', {}, 'url · url · off · false'],
  ['tcmc_reg_no', {}, 'off · - · characters · false'],
  ['afpi_membership_number', {}, 'off · - · characters · false'],
  ['gstin', { pattern: FORMATS.gstin }, 'off · - · characters · false'],
  ['batch', { pattern: '^\\d{4}$' }, '- · numeric · - · -'],
  ['dialled', { pattern: '^\\+[0-9]+$' }, '- · tel · - · -'],
  ['chosen', { pattern: '^[^0-9]+$' }, '- · - · - · -'],
  ['nights', { type: 'number', isWhole: true }, '- · numeric · - · -'],
  ['distance', { type: 'number' }, '- · decimal · - · -'],
  ['spouse_name', {}, 'off · - · words · false'],
  ['qualification', {}, '- · - · - · -'],
  ['remarks', { type: 'multiline' }, '- · - · - · -'],
])('the field “%s” (%o) has the input attributes “%s”', (id, properties, expected) => {
  expect(describeInput(createField(id, properties))).toBe(expected)
})

test('a field about another person has the same keyboard, but no autofill', () => {
  expect(describeInput(createField('name'), null)).toBe('off · - · words · false')
  expect(describeInput(createField('email', { type: 'email' }), null)).toBe(
    'off · email · off · false',
  )
})

test('the enter key on a phone’s keyboard moves to the next field, except in a multi-line field', () => {
  expect(getInputAttributes(createField('city'), roles).enterKeyHint).toBe('next')
  expect(
    getInputAttributes(createField('remarks', { type: 'multiline' }), roles).enterKeyHint,
  ).toBeUndefined()
})
