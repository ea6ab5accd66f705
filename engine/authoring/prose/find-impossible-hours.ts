/** Finds impossible times of day in texts: "25:00", "8.75 AM", "9 AM to 3 AM". */
import { findMatches } from './pattern-matches.ts'

type HourMention = { readonly start: number; readonly end: number }

/** The start of a number that is not part of a longer number, a date or a range. */
const NUMBER_START = '(?<![\\d.,:/-])'
/** Lower-case "am" after a space may be a verb. */
const WITH_AM_PM = new RegExp(
  `${NUMBER_START}(\\d{1,2})(?:[.:](\\d\\d)\\s*[apAP]\\.?[mM]|(?:[ap]m|\\s*(?:[ap]\\.m|[AP]\\.?M|pm)))(?![\\w/])`,
  'g',
)
const TWENTY_FOUR_HOURS = new RegExp(`${NUMBER_START}(\\d\\d?):(\\d\\d)(?![\\d:.])`, 'g')
const MONEY_BEFORE = /(?:[₹€£$]|\b(?:rs\.?|inr|eur|usd|gbp))\s*$/i
/** Words for durations and ratios. */
const DURATION_WORDS = /\b(?:duration|minutes?|mins?|seconds?|videos?|length|long|ratio|score)\b/i
const CLOCK_PATTERN = '(?:(?:[01]?\\d|2[0-3])[.:][0-5]\\d|\\d{1,2}\\s*[ap]\\.?m\\.?)'
const TO_WORDS = '\\s*(?:-|–|—|to|till|until)\\s*'
const HOUR_BEFORE = new RegExp(
  `(?:\\b(?:at|from|till|until|by|opens?|closes?|starts?|begins?)\\s+|\\b${CLOCK_PATTERN}(?:\\s*hrs\\.?)?${TO_WORDS})$`,
  'i',
)
const HOUR_AFTER = new RegExp(`^(?:\\s*(?:hrs|hours|h)\\b|${TO_WORDS}${CLOCK_PATTERN})`, 'i')

/** Returns the impossible times in a string. Ignores ambiguous numbers, such as 25:00 on its own. */
export function findImpossibleHours(text: string): readonly HourMention[] {
  if (!/\d/.test(text) || DURATION_WORDS.test(text)) return []
  const plain = text.replaceAll('\n', ' ')
  const locate = (match: RegExpExecArray): HourMention => ({
    start: match.index,
    end: match.index + match[0].length,
  })
  const isImpossible = (hour: string, minute: string): boolean =>
    Number(minute) > 59 || Number(hour) > 24 || (Number(hour) === 24 && Number(minute) > 0)
  const found = findMatches(plain, WITH_AM_PM)
    .filter(
      ({ index, 1: hour = '', 2: minute = '0' }) =>
        isImpossible(hour, minute) && !MONEY_BEFORE.test(plain.slice(0, index)),
    )
    .map(locate)
  const twentyFourHourTimes = findMatches(plain, TWENTY_FOUR_HOURS)
    .filter(({ index, 0: matchedText, 1: hour = '', 2: minute = '' }) => {
      // The parts of a ratio are larger, as in 40:60.
      if (!isImpossible(hour, minute) || Number(hour) > 29) return false
      const [left, right] = [plain.slice(0, index), plain.slice(index + matchedText.length)]
      return (
        HOUR_BEFORE.test(left) ||
        HOUR_AFTER.test(right) ||
        (/,\s*$/.test(left) && /^\s*\)/.test(right))
      )
    })
    .map(locate)
  return [
    ...found,
    ...twentyFourHourTimes.filter(({ start }) =>
      found.every((candidate) => start < candidate.start || candidate.end <= start),
    ),
  ]
}

const MORNING_RANGE =
  /(\d{1,2})(?:[.:](\d\d))?\s*a\.?m\.?\s*(?:-|–|—|to|till|until)\s*(\d{1,2})(?:[.:](\d\d))?\s*a\.?m\b\.?/gi
/** Words for hours that continue into the next day on purpose. */
const NEXT_DAY = /\b(?:next (?:day|morning)|overnight|following (?:day|morning)|night)\b/i

/** Returns opening hours such as "9 AM to 3 AM", which end before they start because AM was written instead of PM. */
export function findNightAfterMorning(text: string): readonly HourMention[] {
  if (NEXT_DAY.test(text)) return []
  const toMinutes = (hour = '', minute = '0'): number => (Number(hour) % 12) * 60 + Number(minute)
  return findMatches(text, MORNING_RANGE)
    .filter(([, hour, minute, untilHour, untilMinute]) => {
      const [from, until] = [toMinutes(hour, minute), toMinutes(untilHour, untilMinute)]
      return until <= from && from > 0
    })
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
}
