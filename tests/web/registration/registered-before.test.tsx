/** The notice about a registration that was completed in the same tab. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { FORM_MESSAGES } from '../../../engine/messages.ts'
import { compareEmail, hashEmail } from '../../../web/registration/draft-storage.ts'
import { AlreadyRegisteredNotice } from '../../../web/registration/previous-submission-notice.tsx'

const ADDRESS = 'asha@example.org'
const completed = { day: '2026-10-10', ending: '1234', mark: hashEmail(ADDRESS) }
const roles = { email: 'email' }
const message = 'This address is registered already.'
const block = (...fields: string[]) => ({ fields, onDuplicate: 'block' as const, message })
const warn = { ...block('email'), onDuplicate: 'warn' as const }

test.each([
  ['an address that may be used once', [block('email')], ADDRESS, 'emailBlocked'],
  ['an address that may be used again after a question', [warn], ADDRESS, 'sameEmail'],
  ['an address that may be used for another name', [block('email', 'name')], ADDRESS, 'sameEmail'],
  ['a different address', [block('email')], 'ravi@example.org', null],
])('the form asks “Register again?” only if it is possible: %s', (_, unique, email, expected) => {
  const sameEmail = compareEmail({ roles, unique }, { email }, completed)
  expect(sameEmail).toBe(expected)
  const notice = renderToStaticMarkup(<AlreadyRegisteredNotice {...{ completed, sameEmail }} />)
  const isBlocked = expected === 'emailBlocked'
  expect(notice).toContain('1234')
  expect(notice.includes('Do you want to register someone else?')).toBe(!isBlocked)
  expect(notice.includes('<a href="/my">request its link by email</a>')).toBe(isBlocked)
  if (sameEmail !== null)
    expect(FORM_MESSAGES.summary[sameEmail].includes('Register again?')).toBe(!isBlocked)
})
