/** When two payments are of one person, and what the second confirmation says. */
import { expect, test } from 'vitest'
import { payerKey } from '../../../engine/index.ts'
import { secondPaymentMail } from '../../../engine/messages.ts'
import type { RegNo } from '../../../engine/index.ts'

const key = (fullName: string, email = 'asha@example.org') => payerKey({ email, fullName })
const asha = key('Asha D’Souza')

test.each([
  'Dr Asha D’Souza',
  'PROF. DR. ASHA D’SOUZA',
  'Dr.Asha DSouza',
  ' asha   d\u2019sou\u200bza ',
  "Asha D'Souza",
])('"%s" is the same person, however the name is written', (name) => {
  expect(key(name, ' Asha@EXAMPLE.org')).toBe(asha)
})

test('another name or another email address is another person; without one of them nobody is', () => {
  expect(key('Anil D’Souza')).not.toBe(asha)
  expect(key('Asha D’Souza', 'asha2@example.org')).not.toBe(asha)
  expect(key('डॉ आशा नायर')).not.toBe(key('डॉ उषा नायर'))
  expect([key(''), key('...'), key('Asha', ' ')]).toEqual([null, null, null])
  expect(key('Dr')).not.toBeNull()
})

test('the second confirmation says so below its greeting, and always has a link', () => {
  const first = 'DEMO1' as RegNo
  const said = secondPaymentMail({ subject: 'Confirmed', text: 'Dear Asha,\n\nWelcome.' }, first)
  expect(said.subject).toBe('Confirmed (second payment)')
  expect(said.text.split('\n\n')).toEqual([
    'Dear Asha,',
    expect.stringMatching(
      /^This is the second payment .* You had already paid for registration DEMO1\./,
    ),
    'Welcome.',
    'Your registration:\n{link}',
  ])
  const linked = secondPaymentMail({ subject: 'x', text: 'Welcome.\n\nHere:\n{link}' }, first)
  expect(linked.text.match(/\{link\}/g)).toHaveLength(1)
})
