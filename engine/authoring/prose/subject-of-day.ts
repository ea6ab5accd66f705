/** Determines the subject of a date in text: prices and registration, the event, or something else. */
import { memoize } from '../../lib/memoize.ts'
import { findMatches } from './pattern-matches.ts'
import type { Model } from '../checked-file.ts'
import type { EventText } from './event-texts.ts'
import { findNamedPeriods, findTables, listLocatedPeriods } from './named-periods.ts'

export type DaySubject = {
  /** `other`: the date of something that has no date in the file, such as abstracts or a birthday. */
  readonly topic: 'price' | 'event' | 'other' | null
  readonly direction: 'until' | 'before' | 'from' | 'after' | null
  /**
   * Indexes in `listLocatedPeriods` of the price periods that the text mentions: one per table that has a period of
   * this name.
   */
  readonly periods: readonly number[]
  /**
   * The price tables that the text may refer to, if it mentions categories or a group. Null if it may refer to any
   * table.
   */
  readonly tables: readonly number[] | null
  /** True if the date belongs to a part of the event, such as a session or one day. */
  readonly isPartOfEvent: boolean
}

/** Builds a pattern of whole words; `_` stands for a space or nothing. */
const buildWordPattern = (list: string): RegExp =>
  new RegExp(
    `(?<![\\w-])(?:${list.trim().replaceAll(/\s+/g, '|').replaceAll('_', '[\\s-]?')})(?!\\w)`,
    'gi',
  )

/** Words for subjects with their own dates, which the event file does not contain. */
const OTHER_WORDS = buildWordPattern(`
  abstracts? papers? e-?posters? posters? submissions? manuscripts? essays? proposals? presentations? slides
  accommodation hotels? rooms? stay lodging hostels? guest_house cancel\\w* refund\\w* withdraw\\w*
  workshops? pre_conference post_conference pre_congress satellite hands_on
  birth\\w* d\\.?o\\.?b\\.? born founded founding establish\\w* estd since anniversary jayanti jubilee inception formed
  order_no ref_no letter_no circular notif\\w+ dated invoice vide g\\.o\\.? was were ago history previous\\w*
  earlier last_year last_edition last_conference next_year next_edition next_conference next_meeting
  banquet dinner gala tours? trips? excursion sightseeing travel\\w* flights? trains? arriv\\w+ depart\\w*
  bus(?:es)? coach(?:es)? minibus(?:es)? cabs? taxis? ferry station airport
  new_members? members?_(?:who_)?(?:have_|are_)?(?:newly_)?(?:join\\w*|enrol\\w*|admitted)
  (?:join\\w*|enrol\\w*)_(?:the_|our_)?(?:society|association|academy|chapter|body|residency)
  (?:join\\w*|enrol\\w*|admitted)_as_(?:an?_)?(?:\\w+_)?members?
  check_in check_out visas? passport licen[cs]e pick_?up shuttle for_example examples? e\\.?g such_as format
  elections? agm general_body awards? nominations? exam\\w* quiz holidays? sponsor\\w* stalls? exhibit\\w*
  volunteers? certificates? office desk counter badges? kits? memberships? mbbs degree passed passing joined
  graduat\\w+ completed updated as_on as_of privacy terms policy recordings? videos? results? feedback
  onam diwali deepavali christmas eid holi pongal vishu good_friday new_year
  (?:world|international|national|women'?s|teachers?'?|doctors?'?|nurses?'?|republic|independence|children'?s|labour)_(?:[\\w’']+_)?day
  publish\\w* releas\\w+ brochure launch\\w* goes_live app faculty contests? competitions? entries trade_fair expo grants?
  fellowships? scholarships? confirmation confirm_by
`)
const PRICE_WORDS = buildWordPattern(`
  early_birds? registrations? register\\w* regn enrol\\w* fees? rates? tariffs? prices? pricing charges? late spot
  on_?site regular slabs? phase tier pay\\w* discount\\w* concession\\w* offers? last_dates? last_day closing_date
  due_date cut_?off deadlines? bookings? tickets?
`)
const EVENT_WORDS = buildWordPattern(`
  conferences? congress symposi\\w+ summit convention seminar meet meeting cme event held schedul\\w+
  takes?_place taking_place (?:save|block|mark)_(?:the|your)_(?:dates?|calendars?) see_you seeing_you meet_you look_forward join_us we_meet welcome venue days?_\\d inaugura\\w+
  valedictory conclave dates? sessions? attend\\w* camp course fest
`)
/** Words for a part of the event. It need not cover all days of the event. */
const EVENT_PART_WORDS = buildWordPattern(`
  sessions? days?_\\d day_(?:one|two|three|i+) attend\\w* tracks? lectures? orations? inaugura\\w+ valedictory cme
  which_days? opens?
`)
const CLEAR_SUBJECT = buildWordPattern('early_birds?')
/** Words for accommodation, which has its own early-bird dates. */
const ACCOMMODATION_WORDS = buildWordPattern(
  'accommodations? hotels? resorts? rooms? stay lodging hostels? guest_house',
)
/**
 * Separates parts of a statement: "early bird" refers to the hotel only in the same part as a room.
 */
const STATEMENT_BOUNDARY =
  /[,:()&–—]|\b(?:and|but|or|while)\b|\b(?:regist\w*|regn|deleg\w*|conference)\b/gi
/** The end of the words that belong to the preceding date. */
const CLAUSE_END = /[,:()&–—]|\b(?:and|but|while)\b/i
/** "Regular bus", "late night": these words do not refer to a price here. */
const NON_PRICE_WORDS = new RegExp(
  `\\b(?:late|spot|on-?site|regular|normal|standard)(?=[\\s-]+(?:${[
    'nights?|evenings?|mornings?|hours?|arriv|comers?|lunch|dinner|breakfast|tea|coffee|meals?|menu|food|diet',
    'bus|buses|coach|train|flight|shuttle|transport|cab|taxi|service|interval|break',
    'prize|award|quiz|contest|competition|judging|voting|check|light|meeting|session|class|course|round|clinic',
    'programme|program|work|update|post|mail|submission|screening|assessment|visa',
  ].join('|')})\\w*\\b(?!\\s+(?:fees?|rates?|charges?|prices?|tariffs?|regist)))`,
  'gi',
)
/** Words of direction that refer to registration if the text has no other subject. */
const CLEAR_DIRECTION = buildWordPattern(
  'till until untill upto up_to last_date last_day deadline clos(?:es?|ing) onwards? opens?',
)

/** Words between "until" and its date: "until midnight of", "till 5 pm on". */
const HOUR_WORDS =
  '(?:[\\s):,–-]|\\b(?:the|on|of|is|are|date|midnight|noon|eod|\\d{1,2}(?:[.:]\\d\\d)?|[ap]\\.?m\\.?|hrs)\\b)*$'
const buildHoursPattern = (list: string): RegExp =>
  new RegExp(`${buildWordPattern(list).source}${HOUR_WORDS}`, 'gi')
const DIRECTION_PATTERNS: readonly (readonly [NonNullable<DaySubject['direction']>, RegExp])[] = [
  [
    'until',
    buildHoursPattern(
      'till until untill til upto up_to on_or_before by not_later_than no_later_than latest_by',
    ),
  ],
  [
    'until',
    buildWordPattern(
      'ends? ending ended clos(?:es?|ing|ed) last_dates? last_days? deadlines? expires? due cut_?off concludes?',
    ),
  ],
  ['before', buildHoursPattern('before prior_to')],
  ['from', buildHoursPattern('from since w\\.?e\\.?f\\.? with_effect_from effective')],
  ['from', buildWordPattern('start(?:s|ing)? begin(?:s|ning)? opens? opening commenc\\w+')],
  ['after', buildHoursPattern('after past beyond')],
]

const findLastMatch = (text: string, pattern: RegExp): number =>
  findMatches(text, pattern).at(-1)?.index ?? -1
const findFirstMatch = (text: string, pattern: RegExp): number =>
  findMatches(text, pattern)[0]?.index ?? Infinity

/** Separates one statement from the next. */
const STATEMENT_BREAK =
  /[;!?|•·\n]|(?<!\b(?:incl|excl|approx|prof|govt|regn?|no|rs|dr|st|upto|vs|e\.g|i\.e|w\.e\.f))\.(?=\s|$)/gi

/**
 * Returns the statement around a range: the text before it, back to the break or to `from`, and the
 * text after it.
 */
export function findStatement(
  text: string,
  mention: { readonly start: number; readonly end: number },
  from = 0,
  until = text.length,
) {
  // A line break ends a statement only in a literal block; other lines are folded.
  const plain = /^[|]/.test(text) ? text : text.replaceAll('\n', ' ')
  const textBefore = plain.slice(from, mention.start)
  const previousBreak = findMatches(textBefore, STATEMENT_BREAK).at(-1)
  const textAfter = plain.slice(mention.end, until)
  const nextBreak = findMatches(textAfter, STATEMENT_BREAK)[0]
  return {
    left:
      previousBreak === undefined
        ? textBefore
        : textBefore.slice(previousBreak.index + previousBreak[0].length),
    right: nextBreak === undefined ? textAfter : textAfter.slice(0, nextBreak.index),
    isCut: previousBreak !== undefined,
  }
}

/**
 * Returns the subject of the date at `mentionIndex` in a string. `previousSubject` is used for "until 30 September,
 * then until 31 October".
 */
export function findDaySubject(
  model: Model,
  { path, text, heading }: EventText,
  mentions: readonly { readonly start: number; readonly end: number }[],
  mentionIndex: number,
  previousSubject: DaySubject | null,
): DaySubject {
  const mention = mentions[mentionIndex]
  if (mention === undefined)
    return { topic: null, direction: null, periods: [], tables: null, isPartOfEvent: false }
  const statement = findStatement(
    text,
    mention,
    mentions[mentionIndex - 1]?.end ?? 0,
    mentions[mentionIndex + 1]?.start ?? text.length,
  )
  const { isCut } = statement
  const [left, right] = [removeAdjectives(statement.left), removeAdjectives(statement.right)]
  const periodIndex = listLocatedPeriods(model).findIndex((period) =>
    path.startsWith(`${period.at}.`),
  )
  const direction = findDirection(left, right)
  if (periodIndex >= 0)
    return { topic: 'price', direction, periods: [periodIndex], tables: null, isPartOfEvent: false }
  const isPartOfEvent =
    /\.options\./.test(path) || isFound(`${heading} ${left} ${right}`, EVENT_PART_WORDS)
  const leftTopic = findTopic(model, left, true, direction)
  const rightTopic = leftTopic ?? findTopic(model, right, false, direction)
  const statementTopic = rightTopic ?? (isCut ? null : (previousSubject?.topic ?? null))
  const sectionTopic = path.startsWith('event.') ? ('event' as const) : null
  const directionTopic =
    direction !== null && isFound(`${left} ${right}`, CLEAR_DIRECTION) ? ('price' as const) : null
  // The options of "Which day will you attend?" are days of the event.
  const isDayChoice = /\.options\./.test(path) && /\b(?:days?|dates?)\b/i.test(heading)
  const fallbackTopic =
    isDayChoice || (!/\.options\./.test(path) && hasOnlyEventWords(model, `${left} ${right}`))
      ? ('event' as const)
      : null
  const topic =
    statementTopic ??
    findTopic(model, normaliseHeading(path, heading), true, direction) ??
    sectionTopic ??
    directionTopic ??
    fallbackTopic
  // Text between this date and the next one may describe the next one.
  const isLast =
    mentionIndex + 1 >= mentions.length ||
    text.slice(mention.end, mentions[mentionIndex + 1]?.start) !== right
  const tables = findTables(model, path, [left, isLast ? right.split(CLAUSE_END)[0] : '', heading])
  const listPeriods = (allowed: typeof tables): readonly number[] => {
    const leftPeriods = findNamedPeriods(model, left, true, allowed)
    return leftPeriods.length > 0 || leftTopic !== null
      ? leftPeriods
      : findNamedPeriods(model, right, false, allowed)
  }
  if (topic !== 'price') return { topic, direction, periods: [], tables, isPartOfEvent }
  const periodsOfTables = listPeriods(tables)
  const namedPeriods = periodsOfTables.length > 0 ? periodsOfTables : listPeriods(null)
  // If only a different table has the period, the named categories do not belong to this date.
  return {
    topic,
    direction,
    periods: namedPeriods,
    tables: periodsOfTables.length < namedPeriods.length ? null : tables,
    isPartOfEvent,
  }
}

const removeAdjectives = (text: string): string =>
  text.replace(NON_PRICE_WORDS, (word) => ' '.repeat(word.length))

/**
 * Returns the heading in which to look for the subject of a date. Omits "dates" from headings of lines and notes,
 * because "Important dates" may precede dates of any kind.
 */
function normaliseHeading(path: string, heading: string): string {
  return /\.(?:lines|notes)\./.test(path) ? heading.replace(/\bdates?\b/gi, ' ') : heading
}

/** Returns true if the text around the date contains only the place or the name of the event. */
function hasOnlyEventWords({ config }: Model, text: string): boolean {
  const eventWords = `${config.title} ${config.venue} india`.toLowerCase()
  return (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).every((word) => eventWords.includes(word))
}

const isFound = (text: string, pattern: RegExp): boolean =>
  findFirstMatch(text, pattern) !== Infinity

function findDirection(left: string, right: string): DaySubject['direction'] {
  const nearest = DIRECTION_PATTERNS.map(([direction, pattern]) => ({
    direction,
    at: findLastMatch(left, pattern),
  }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => b.at - a.at)[0]
  if (nearest !== undefined) return nearest.direction
  if (/^[\s)]*(?:onwards?|and after)\b/i.test(right)) return 'from'
  return /^[\s):–-]*(?:is the |are the )?(?:last (?:date|day)|deadline|closing)\b/i.test(right)
    ? 'until'
    : null
}

/**
 * Returns the topic of the nearest word. A word for a subject with its own dates takes priority, unless "early bird" is
 * between it and the date.
 */
function findTopic(
  model: Model,
  text: string,
  isLeft: boolean,
  direction: DaySubject['direction'],
): DaySubject['topic'] {
  const findPosition = (pattern: RegExp): number =>
    isLeft ? findLastMatch(text, pattern) : -findFirstMatch(text, pattern)
  const notFound = isLeft ? -1 : -Infinity
  const namedPosition =
    findNamedPeriods(model, text, isLeft, null).length === 0
      ? notFound
      : Math.max(findPosition(CLEAR_SUBJECT), findPosition(PRICE_WORDS))
  const itemPosition = findPosition(buildEventNamePattern(model))
  const [other, price, event] = [
    findPosition(OTHER_WORDS),
    Math.max(findPosition(PRICE_WORDS), namedPosition),
    Math.max(findPosition(EVENT_WORDS), itemPosition),
  ]
  if (other !== notFound)
    return Math.max(findPosition(CLEAR_SUBJECT), namedPosition) > other &&
      !isHotelRate(text, Math.abs(findPosition(CLEAR_SUBJECT)))
      ? 'price'
      : 'other'
  if (price === notFound && event === notFound) return null
  if (price === notFound) return 'event'
  if (event === notFound || price > event) return 'price'
  // "Register for the conference by 30 October"
  return direction === 'until' || direction === 'before' ? 'price' : 'event'
}

/** Returns true if the "early bird" at this position is about a room: "hotel rooms at early bird rates". */
function isHotelRate(text: string, position: number): boolean {
  if (!Number.isFinite(position) || !isFound(text.slice(position), CLEAR_SUBJECT)) return false
  const boundaries = findMatches(text, STATEMENT_BOUNDARY).map(({ index }) => index)
  const start = boundaries.findLast((index) => index < position) ?? 0
  return isFound(
    text.slice(start, boundaries.find((index) => index > position) ?? text.length),
    ACCOMMODATION_WORDS,
  )
}

/** Returns a pattern for the conference's name without the year. */
const buildEventNamePattern = memoize(({ config }: Model): RegExp => {
  const name = config.title.replace(/[\s'’-]*\b(?:20)?\d\d$/, '').trim()
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(literal.length < 3 ? '(?!)' : literal, 'gi')
})
