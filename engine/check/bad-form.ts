/** Values of the right kind in the wrong form: a date, an address, a name, a price, and how it is written here. */
import type { Draft } from './finding.ts'

/** Pattern of the schema → what it asks for. A test sees to it that none is missing. */
export const PATTERNS: Readonly<Record<string, string>> = {
  '\\S': 'a text with something in it',
  '^[a-z_]+(\\.[a-z0-9_-]+)*$': 'a dotted path such as fees.prices',
  '^#[0-9A-Fa-f]{6}$': 'a colour such as "#1050AC"',
  '^none$': 'a block of keys, or the word none',
  '^[a-z][a-z0-9-]*$': 'a name in small letters, words joined by hyphens',
  '^EV[0-9]{3,4}$': 'a code such as EV409',
  '^[a-z][a-z0-9]*(-[a-z0-9]+)*$': 'a name in small letters, words joined by single hyphens',
  '^[a-z][a-z0-9]*(_[a-z0-9]+)*$': 'a name in small letters, words joined by single underscores',
  '^[a-z][a-z0-9_]*(\\.[a-z_]+)?$':
    'the name of a field or value, such as full_name or event.title',
  '^/([a-z0-9-]+(/[a-z0-9-]+)*)?$':
    'an address such as /payment/success: it begins with a slash and does not end with one',
  '^/[A-Za-z0-9_./?={}&-]+$': 'the path of a call, such as /api/register/',
  '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2}))?$':
    'a day (2026-01-25) or a time with its offset (2026-01-25T23:59:59+05:30)',
  '^[a-z][a-z0-9]*$': 'a name of small letters and digits',
  '^[a-z][a-z0-9_]*$': 'a name in small letters, words joined by underscores',
  '^[A-Z][A-Z0-9]*$': 'capital letters and digits',
  '^[a-z0-9]+$': 'a file ending without its dot, such as pdf',
  '\\.csv$': 'a file name that ends in .csv',
  '^https://[a-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9_./-]*)?$': 'an address that begins with https://',
  '^[A-Za-z][A-Za-z0-9_]*$': 'a name of letters and digits',
  '^([1-5][0-9][0-9]|network|not_ok|other)$': 'an HTTP status, or network, not_ok, other',
}

/** What a schema asks of a text that it does not have. */
export type Asked = {
  readonly keyword: string
  readonly format: string | undefined
  readonly pattern: string | undefined
}

/** `said` is the value as the file writes it, `value` as it is read. */
export function badForm(
  path: string,
  said: string,
  value: unknown,
  asked: Asked,
): Draft & { readonly code: 'EV103' | 'EV105' } {
  if (asked.keyword === 'minLength' || (typeof value === 'string' && value.trim() === ''))
    return { code: 'EV105', at: path, message: `\`${labelOf(path)}\` is empty` }
  if (asked.format === 'date')
    return {
      code: 'EV105',
      at: path,
      message: `\`${said}\` is not a proper date`,
      help: dateHelp(String(value)),
    }
  if (asked.format === 'email')
    return { code: 'EV105', at: path, message: `\`${said}\` is not an e-mail address` }
  const pattern = asked.pattern ?? ''
  if (pattern === '^none$' && /^[\d.,_ ]+$/.test(String(value)))
    return {
      code: 'EV103',
      at: path,
      message: `\`${said}\` is a text, not a number`,
      help: `write ${String(value).replace(/[,_ ]/g, '')}`,
    }
  return {
    code: 'EV105',
    at: path,
    message: `\`${said}\` is not proper for \`${labelOf(path)}\``,
    help: `it must be ${PATTERNS[pattern] ?? 'written differently'}`,
  }
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
function dateHelp(text: string): string {
  const words = /^(\d{1,2})\s+([A-Za-z]+)\s+(\d{4})$/.exec(text.trim())
  const month =
    words === null
      ? -1
      : MONTHS.findIndex((name) => name.startsWith((words[2] ?? '').toLowerCase().slice(0, 3)))
  const numbers = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text.trim())
  const two = (part: string | undefined): string => (part ?? '').padStart(2, '0')
  if (words !== null && month >= 0)
    return `write ${words[3]}-${two(String(month + 1))}-${two(words[1])}`
  if (numbers !== null)
    return `write the year first: ${numbers[3]}-${two(numbers[2])}-${two(numbers[1])}`
  return 'write year-month-day, such as 2026-01-31, and a day that the month has'
}

/** `event.venue` → `venue`; the third of a list → its list's name. */
export function labelOf(path: string): string {
  return (
    path
      .split('.')
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? path
  )
}
