/** Finds impossible times of day in texts: "25:00", "8.75 AM", "9 AM to 3 AM". */
import { findMatches } from './pattern-matches.ts'

type HourMention = { readonly start: number; readonly end: number }

/** Not part of a longer number, a date or a range. */
const ALONE = '(?<![\\d.,:/-])'
/** Lower-case "am" after a space may be a verb. */
const WITH_AM_PM = new RegExp(
  `${ALONE}(\\d{1,2})(?:[.:](\\d\\d)\\s*[apAP]\\.?[mM]|(?:[ap]m|\\s*(?:[ap]\\.m|[AP]\\.?M|pm)))(?![\\w/])`,
  'g',
)
const TWENTY_FOUR_HOURS = new RegExp(`${ALONE}(\\d\\d?):(\\d\\d)(?![\\d:.])`, 'g')
const MONEY = /(?:[₹€£$]|\b(?:rs\.?|inr|eur|usd|gbp))\s*$/i
/** Durations and ratios. */
const WITHOUT_CLOCK_TIME =
  /\b(?:duration|minutes?|mins?|seconds?|videos?|length|long|ratio|score)\b/i
const CLOCK = '(?:(?:[01]?\\d|2[0-3])[.:][0-5]\\d|\\d{1,2}\\s*[ap]\\.?m\\.?)'
const TO = '\\s*(?:-|–|—|to|till|until)\\s*'
const BEFORE = new RegExp(
  `(?:\\b(?:at|from|till|until|by|opens?|closes?|starts?|begins?)\\s+|\\b${CLOCK}(?:\\s*hrs\\.?)?${TO})$`,
  'i',
)
const BEHIND = new RegExp(`^(?:\\s*(?:hrs|hours|h)\\b|${TO}${CLOCK})`, 'i')

/** Returns the impossible times of a text. An ambiguous number, such as 25:00 alone, is not included. */
export function findImpossibleHours(text: string): readonly HourMention[] {
  if (!/\d/.test(text) || WITHOUT_CLOCK_TIME.test(text)) return []
  const plain = text.replaceAll('\n', ' ')
  const locate = (match: RegExpExecArray): HourMention => ({
    start: match.index,
    end: match.index + match[0].length,
  })
  const isNone = (hour: string, minute: string): boolean =>
    Number(minute) > 59 || Number(hour) > 24 || (Number(hour) === 24 && Number(minute) > 0)
  const found = findMatches(plain, WITH_AM_PM)
    .filter(
      ({ index, 1: hour = '', 2: minute = '0' }) =>
        isNone(hour, minute) && !MONEY.test(plain.slice(0, index)),
    )
    .map(locate)
  const others = findMatches(plain, TWENTY_FOUR_HOURS)
    .filter(({ index, 0: matchedText, 1: hour = '', 2: minute = '' }) => {
      // The parts of a ratio are larger, as in 40:60.
      if (!isNone(hour, minute) || Number(hour) > 29) return false
      const [left, right] = [plain.slice(0, index), plain.slice(index + matchedText.length)]
      return BEFORE.test(left) || BEHIND.test(right) || (/,\s*$/.test(left) && /^\s*\)/.test(right))
    })
    .map(locate)
  return [
    ...found,
    ...others.filter(({ start }) =>
      found.every((candidate) => start < candidate.start || candidate.end <= start),
    ),
  ]
}

const MORNINGS =
  /(\d{1,2})(?:[.:](\d\d))?\s*a\.?m\.?\s*(?:-|–|—|to|till|until)\s*(\d{1,2})(?:[.:](\d\d))?\s*a\.?m\b\.?/gi
/** Where the hours continue into the next day on purpose. */
const NEXT_DAY = /\b(?:next (?:day|morning)|overnight|following (?:day|morning)|night)\b/i

/** Returns opening hours such as "9 AM to 3 AM", whose end is before their start: PM was meant. */
export function findNightAfterMorning(text: string): readonly HourMention[] {
  if (NEXT_DAY.test(text)) return []
  const minutes = (hour = '', minute = '0'): number => (Number(hour) % 12) * 60 + Number(minute)
  return findMatches(text, MORNINGS)
    .filter(([, hour, minute, untilHour, untilMinute]) => {
      const [from, until] = [minutes(hour, minute), minutes(untilHour, untilMinute)]
      return until <= from && from > 0
    })
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
}
