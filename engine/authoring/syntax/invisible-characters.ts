/** Finds invisible and look-alike characters, and files in the wrong encoding. */
import type { Report } from './syntax-findings.ts'
import { splitRows } from './lines.ts'

const HIDDEN_CHARACTERS: readonly (readonly [RegExp, string])[] = [
  [/[\u200b\u2060\ufeff]/, 'an invisible zero-width space'],
  [/[\u200c\u200d]/, 'an invisible joiner'],
  [/[\u200e\u200f\u061c]/, 'an invisible mark for the writing direction'],
  [
    /[\u202a-\u202e\u2066-\u2069]/,
    'a character that changes the writing direction and disguises the text',
  ],
  [/\u00ad/, 'an invisible hyphen'],
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/, 'a control character'],
  [/[\u2028\u2029]/, 'an invisible line break'],
]
/**
 * Indian scripts, Arabic and emoji need joiners between their letters; elsewhere joiners are
 * mistakes.
 */
const JOINING_SCRIPTS = /[\u0600-\u06ff\u0900-\u0dff\u{1f000}-\u{1ffff}\u2600-\u27bf\ufe0f]/u

/** Most files contain only ASCII and these characters. Such a file needs no further check. */
const UNUSUAL_CHARACTERS = /[^\t\r\n -~₹–—‘’“”…•·°→─÷×]/

export function reportStrayCharacters(text: string, report: Report): void {
  if (reportOtherEncoding(text, report) || !UNUSUAL_CHARACTERS.test(text)) return
  reportLostLetters(text, report)
  reportUnusualSpaces(text, report)
  reportLookalikes(text, report)
  let reportedCount = 0
  for (const match of text.matchAll(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g,
  )) {
    const at = match.index
    if (match[0] === '\ufeff' && at === 0) continue
    if (
      /[\u200c\u200d]/.test(match[0]) &&
      JOINING_SCRIPTS.test(text.slice(Math.max(0, at - 2), at))
    )
      continue
    if (++reportedCount > 10) return
    const name =
      HIDDEN_CHARACTERS.find(([pattern]) => pattern.test(match[0]))?.[1] ?? 'an invisible character'
    const code = `U+${(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    report('EV011', [at, at + match[0].length], '', {
      message: `there is ${name} here (${code})`,
      help: 'delete it',
      fix: { start: at, end: at + match[0].length, text: '' },
    })
  }
}

/** The replacement character for bytes that are not valid UTF-8. */
const REPLACEMENT_CHARACTER = '\ufffd'
const SAVE_AS_HELP = 'save the file as UTF-8 (Notepad: Save as, Encoding: UTF-8)'

/** Reports a file that is not text in a supported encoding. If it returns true, no other check can read the file. */
function reportOtherEncoding(text: string, report: Report): boolean {
  const head = text.slice(0, 400)
  const nulls = head.split('\u0000').length - 1
  const explanation =
    nulls > head.length / 4
      ? ['the file is saved as UTF-16 (“Unicode”), not as UTF-8', SAVE_AS_HELP]
      : head.startsWith('PK\u0003\u0004') || head.startsWith('\ufffd\ufffd\u0011\ufffd')
        ? [
            'this is a Word or Excel document, not a text file',
            'copy the text into a plain text file and save it as UTF-8 with the ending .yaml',
          ]
        : /^\s*(\{\\rtf|%PDF-|<\?xml|<!doctype|<html)/i.test(head)
          ? [
              'this is a document or a web page, not a plain text file',
              'copy its text into a plain text file and save it as UTF-8 with the ending .yaml',
            ]
          : null
  if (explanation === null) return false
  report('EV013', [0, 1], '', {
    message: explanation[0] ?? '',
    help: explanation[1] ?? '',
  })
  return true
}

/** Characters whose UTF-8 bytes were decoded as Windows-1252: `â€™` was ’, `â‚¹` was ₹. */
const MANGLED_LETTERS: readonly (readonly [string, string])[] = [
  ['â‚¹', '₹'],
  ['â€™', '’'],
  ['â€˜', '‘'],
  ['â€œ', '“'],
  ['â€\u009d', '”'],
  ['â€“', '–'],
  ['â€”', '—'],
  ['â€¢', '•'],
  ['â€¦', '…'],
  ['Ã©', 'é'],
  ['Ã¨', 'è'],
  ['Ã¼', 'ü'],
  ['Ã¶', 'ö'],
  ['Ã¤', 'ä'],
  ['Â\u00a0', ' '],
  ['Â°', '°'],
  ['Â·', '·'],
  ['Â£', '£'],
]

const DAMAGED_LETTER = new RegExp(
  `${REPLACEMENT_CHARACTER}+|${MANGLED_LETTERS.map(([wrong]) => wrong).join('|')}`,
  'g',
)

/**
 * Reports one finding per line and at most ten in total, because the wrong encoding damages every accented letter.
 */
function reportLostLetters(text: string, report: Report): void {
  const reportedLines = new Set<number>()
  for (const match of text.matchAll(DAMAGED_LETTER)) {
    const at = match.index
    const line = text.lastIndexOf('\n', at - 1)
    if (reportedLines.has(line) || reportedLines.size >= 10) continue
    reportedLines.add(line)
    const suggestion = MANGLED_LETTERS.find(([wrong]) => wrong === match[0])?.[1]
    const startOfWord = /\S*$/.exec(text.slice(line + 1, at))?.[0] ?? ''
    const restOfWord = /^\S*/.exec(text.slice(at + match[0].length))?.[0] ?? ''
    report('EV013', [at, at + match[0].length], '', {
      message:
        suggestion === undefined
          ? `a letter in \`${`${startOfWord}${match[0]}${restOfWord}`.replaceAll(REPLACEMENT_CHARACTER, '?')}\` is unreadable: the file is not saved as UTF-8`
          : `\`${match[0]}\` was \`${suggestion}\` before the file was saved in another encoding`,
      help:
        suggestion === undefined
          ? `type it again and ${SAVE_AS_HELP}`
          : `write ${suggestion} and ${SAVE_AS_HELP}`,
    })
  }
}

const UNUSUAL_SPACES = '\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000'
/**
 * Spaces that YAML reads as letters although a normal space was meant: before or around a key, or at the ends of a
 * value. Inside text they are harmless.
 */
const MISPLACED_SPACE = new RegExp(
  [
    `^[ ${UNUSUAL_SPACES}]*[${UNUSUAL_SPACES}][ ${UNUSUAL_SPACES}]*`,
    `(?<=^[ ]*(?:- +)*[\\w"'-]+[ ]*:)[ ]*[${UNUSUAL_SPACES}][ ${UNUSUAL_SPACES}]*`,
    `(?<=^[ ]*(?:- +)*-)[ ]*[${UNUSUAL_SPACES}][ ${UNUSUAL_SPACES}]*`,
    `(?<=^[ ]*(?:- +)*[\\w-]+)[${UNUSUAL_SPACES}]+(?=[\\w-]*[ ]*:( |$))`,
    `(?<=^[ ]*(?:- +)*[\\w-]+)[${UNUSUAL_SPACES}]+(?=:)`,
    `[ ${UNUSUAL_SPACES}]*[${UNUSUAL_SPACES}][ ${UNUSUAL_SPACES}]*$`,
  ].join('|'),
  'g',
)
/** Matches misplaced spaces inside brackets, outside quoted texts. */
const UNUSUAL_IN_BRACKETS = new RegExp(
  `(?<=[{[,][ ]*)[${UNUSUAL_SPACES}]+|(?<=[{,][ ]*\\w+:[ ]?)[${UNUSUAL_SPACES}]+|[${UNUSUAL_SPACES}]+(?=[ ]*[}\\],])`,
  'g',
)

const ANY_UNUSUAL_SPACE = new RegExp(`[${UNUSUAL_SPACES}]`)

function reportUnusualSpaces(text: string, report: Report): void {
  if (!ANY_UNUSUAL_SPACE.test(text)) return
  const lines = text.split('\n')
  for (const row of splitRows(text)) {
    const line = (lines[row.at] ?? '').replace(/\r$/, '')
    const start = row.start
    // A quoted text keeps its length but loses its spaces; comments are ignored.
    const structure = line
      .replace(/"(?:[^"\\]|\\.)*"|(?<=[\s,[{:])'[^']*'/g, (quoted) => '"'.repeat(quoted.length))
      .replace(/\s#.*$/, '')
    const isFlow = /(?:^|[:\s-])[{[]/.test(structure) && !/^[^{[]*:\s+[^\s{["'#]/.test(structure)
    const spaceMatches = [
      ...structure.matchAll(MISPLACED_SPACE),
      ...(isFlow ? structure.matchAll(UNUSUAL_IN_BRACKETS) : []),
    ]
    const firstMatch = spaceMatches.sort((a, b) => a.index - b.index)[0]
    if (firstMatch === undefined) continue
    const [from, length] = [start + firstMatch.index, firstMatch[0].length]
    const isEnd = firstMatch.index + length >= structure.length && firstMatch.index > 0
    report('EV011', [from, from + length], '', {
      message: 'this is not a normal space: it looks like one but counts as a letter',
      help: isEnd
        ? 'delete it'
        : 'replace it with a normal space; it was probably copied from a document or web page',
      fix: {
        start: from,
        end: from + length,
        text: isEnd ? '' : firstMatch.index === 0 ? ' '.repeat(length) : ' ',
      },
    })
  }
}

/** Cyrillic and Greek letters, each with the Latin letter that it looks like. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [...'аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο'].map((letter, index) => [
    letter,
    [...'aeopcyxijshdqwABEKMHOPCTYXIJSABEZHIKMNOPTYXo'][index] ?? '',
  ]),
)
const MIXED_SCRIPTS = new RegExp(
  `[A-Za-z][A-Za-z0-9_-]*[${Object.keys(LOOKALIKES).join('')}]|[${Object.keys(LOOKALIKES).join('')}][A-Za-z0-9_-]*[A-Za-z]`,
  'gu',
)

function reportLookalikes(text: string, report: Report): void {
  let lookalikeCount = 0
  for (const match of text.matchAll(MIXED_SCRIPTS)) {
    const lookalikeIndex = [...match[0]].findIndex((letter) => LOOKALIKES[letter] !== undefined)
    const letter = [...match[0]][lookalikeIndex] ?? ''
    if (++lookalikeCount > 10) return
    const at = match.index + match[0].indexOf(letter)
    report('EV011', [at, at + letter.length], '', {
      message: `the \`${letter}\` here is a letter of another script that only looks like \`${LOOKALIKES[letter] ?? ''}\``,
      help: `type ${LOOKALIKES[letter] ?? ''} instead`,
    })
  }
}
