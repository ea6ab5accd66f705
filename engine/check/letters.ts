/** Characters that look like nothing, or like another: what stands in a file and cannot be seen. */
import type { Report } from './reading.ts'

const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\u200b\u2060\ufeff]/, 'an invisible space of no width'],
  [/[\u200c\u200d]/, 'an invisible joiner'],
  [/[\u200e\u200f\u061c]/, 'an invisible mark of writing direction'],
  [
    /[\u202a-\u202e\u2066-\u2069]/,
    'a character that turns the writing direction: the line is not what it looks like',
  ],
  [/\u00ad/, 'an invisible hyphen'],
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/, 'a control character'],
  [/[\u2028\u2029]/, 'an invisible line break'],
]
/** Scripts of India, Arabic and emoji need joiners between their letters; anywhere else they are strays. */
const JOINED = /[\u0600-\u06ff\u0900-\u0dff\u{1f000}-\u{1ffff}\u2600-\u27bf\ufe0f]/u

export function strayLetters(text: string, report: Report): void {
  let told = 0
  for (const match of text.matchAll(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g,
  )) {
    const at = match.index
    if (match[0] === '\ufeff' && at === 0) continue
    if (/[\u200c\u200d]/.test(match[0]) && JOINED.test(text.slice(Math.max(0, at - 2), at)))
      continue
    if (++told > 10) return
    const name = HIDDEN.find(([pattern]) => pattern.test(match[0]))?.[1] ?? 'an invisible character'
    const code = `U+${(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    report('EV011', [at, at + match[0].length], '', {
      message: `there is ${name} here (${code})`,
      help: 'delete it',
      fix: { start: at, end: at + match[0].length, text: '' },
    })
  }
}
