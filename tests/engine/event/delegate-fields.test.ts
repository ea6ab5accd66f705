/** The fields with the delegate's name, email address and phone number are found, whatever their ids. */
import { describe, expect, test } from 'vitest'
import { INR, readDelegate, instant, suggestEmailAddress } from '../../../engine/index.ts'
import { buildConfirmationEmail } from '../../../engine/messages.ts'
import { findRoles } from '../../../engine/event/delegate-fields.ts'
import { createEvent, createField } from '../fixtures.ts'

describe('the role of a field is found', () => {
  test.each<[string, string, object]>([
    [
      'by the most common ids first',
      'hospital:text full_name:text email:email phone_number:phone',
      { fullName: 'full_name', email: 'email', phone: 'phone_number' },
    ],
    [
      'by another word for the name',
      'title:select delegate_name:text mail:email mobile:phone',
      { fullName: 'delegate_name', email: 'mail', phone: 'mobile' },
    ],
    [
      'for `name`, not for the name of something else',
      'hospital_name:text name:text',
      { fullName: 'name' },
    ],
    [
      'for the first text field, if no id contains “name”',
      'member:yes-no badge:text city:text',
      { fullName: 'badge' },
    ],
    [
      'for an email address and a phone number in text fields',
      'full_name:text e_mail:text mobile_number:text',
      { fullName: 'full_name', email: 'e_mail', phone: 'mobile_number' },
    ],
    [
      'for the council number',
      'full_name:text kmc_reg_no:text',
      { fullName: 'full_name', councilNo: 'kmc_reg_no' },
    ],
    ['but not for a choice, which cannot be a name', 'course_name:select', {}],
    [
      'for the first of two fields',
      'email:email second:email phone:phone other:phone',
      { email: 'email', phone: 'phone' },
    ],
  ])('%s', (_says, fieldList, roles) => {
    expect(
      findRoles(
        fieldList.split(' ').map((word) => {
          const [id = '', type = ''] = word.split(':')
          return { id, type }
        }),
      ),
    ).toEqual(roles)
  })
})

test('the confirmation is sent to the delegate’s address, whatever the id of the email field', () => {
  const event = createEvent({
    fields: [createField('who'), createField('write_to', { type: 'email' })],
    email: { subject: 'For {who}', text: 'Hello' },
  })
  const registration: Parameters<typeof buildConfirmationEmail>[1] = {
    regNo: 'SAMP1',
    answers: { who: 'Asha', write_to: 'asha@example.org' },
    category: null,
    period: null,
    base: null,
    gst: null,
    total: null,
    currency: INR,
    lines: [],
    paymentStatus: 'success',
    inReview: false,
    paymentId: null,
    paidAt: null,
    createdAt: instant(0),
  }
  expect(buildConfirmationEmail(event, registration)).toMatchObject({
    to: 'asha@example.org',
    subject: 'For Asha',
  })
  expect(readDelegate(event, { who: 'Asha' })).toEqual({
    fullName: 'Asha',
    email: '',
    phone: '',
    councilNo: '',
  })
})

test.each([
  ['asha@gmial.com', 'asha@gmail.com'],
  ['asha@gmail.con', 'asha@gmail.com'],
  ['asha@gmail.co', 'asha@gmail.com'],
  ['asha@GMAIL', 'asha@gmail.com'],
  ['asha@redifmail.com', 'asha@rediffmail.com'],
  ['asha@yaho.co.in', 'asha@yahoo.co.in'],
  ['asha@hotmial.com', 'asha@hotmail.com'],
  [' Asha.Rao@outlok.com ', 'Asha.Rao@outlook.com'],
  ['asha@kims.ac.ni', 'asha@kims.ac.in'],
])('%s: did you mean %s?', (typed, suggestion) =>
  expect(suggestEmailAddress(typed)).toBe(suggestion),
)

test.each([
  'asha@gmail.com',
  'asha@mail.com',
  'asha@live.in',
  'asha@aiims.edu',
  'asha@kims.ac.in',
  'asha',
  '@gmial.com',
  'two words@gmial.com',
  '',
])('%s: no suggestion', (typed) => expect(suggestEmailAddress(typed)).toBeNull())
