/** Messages that contain values, and the format of every message in the catalogue. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatMessage, selectPluralForm } from '../../../engine/messages.ts'

test('a value is inserted unchanged, even if it looks like a placeholder or a replacement pattern', () => {
  expect(formatMessage('Dear {name}, {name}', { name: "{link} $& $'" })).toBe(
    "Dear {link} $& $', {link} $& $'",
  )
})

test.each([
  [0, '0 files'],
  [1, '1 file'],
  [2, '2 files'],
])('a count of %d selects its plural form', (count, text) => {
  const forms = { one: '{count} file', other: '{count} files' } as const
  expect(formatMessage(selectPluralForm(count, forms), { count })).toBe(text)
})

const CATALOGUE = join(import.meta.dirname, '../../../engine/text-catalogue')

type Messages = { readonly [key: string]: string | Messages }

const listTexts = (messages: Messages): readonly string[] =>
  Object.values(messages).flatMap((message) =>
    typeof message === 'string' ? [message] : listTexts(message),
  )

test.each(readdirSync(CATALOGUE))(
  'the messages in %s are plain text, so that translations can replace them',
  async (file) => {
    const texts = listTexts((await import(join(CATALOGUE, file))) as Messages)
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) {
      expect(text.trim()).toBe(text)
      // Braces must enclose the name of a value, and every element must have an end tag.
      expect(text.replaceAll(/\{\w+\}|<(\w+)>[^<]*<\/\1>/g, '')).not.toMatch(/[{}<>]/)
    }
  },
)
