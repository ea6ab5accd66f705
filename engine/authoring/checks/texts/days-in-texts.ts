/** Check EV604: a day in a text about prices or registration is one of the file's days. */
import { addDays, formatDay, type Day } from '../../../lib/time.ts'
import type { Draft } from '../../finding.ts'
import {
  countDaysApart,
  collectEdges,
  listFileDays,
  isAdjustmentDay,
  isInPastYear,
  isMethodDay,
  mentions,
  locate,
  formatDayWords,
  type Edge,
  type Mention,
} from '../../prose/mentioned-days.ts'
import { getStatedClosingDay, type Check, type Model } from '../../checked-file.ts'
import { findStatement, type DaySubject } from '../../prose/subject-of-day.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { listTextPeriods } from '../../prose/named-periods.ts'

const HELP_TEXT = 'write the same day in both places, or accept the finding under allow'
/**
 * A day without a year and without a stated subject is compared with one of the file's days within
 * this distance.
 */
const NEAR_DAYS = 31

/** Common words for surcharges and deductions, whatever their name in the file. */
const ADJUSTMENT_WORDS =
  /\b(?:late (?:fees?|charges?)|surcharges?|penalt(?:y|ies)|fine|extra|discount\w*|rebates?|concession\w*|waivers?|coupons?|vouchers?|off|save)\b/i
const PAYMENT_WORDS =
  /\b(?:pay\w*|paid|transfers?|bank|neft|rtgs|imps|upi|cheques?|drafts?|dd|cards?|online|net ?banking|cash|gateway|qr)\b/i

/**
 * Returns the days of adjustments and similar that a text may mean: by their name, or by a word for
 * their kind.
 */
function selectEdge(model: Model, { about, readable, stated }: Mention): (edge: Edge) => boolean {
  const { adjustments } = model.config.fees
  const { left, right } = findStatement(readable.text, stated)
  const statement = `${readable.heading} ${left} ${right}`
  const toPlain = (name: string): string => name.toLowerCase().replaceAll(/[\s-]+/g, ' ')
  const named = adjustments.flatMap(({ id, label }, index) =>
    [id, label].some((name) => name.length > 4 && toPlain(statement).includes(toPlain(name)))
      ? [index]
      : [],
  )
  const isNamed = named.length > 0
  // "Presenters' concession till 31 December": the days of that adjustment, if it states any.
  const ofNamed = named.filter((index) => {
    const { from, to } = adjustments[index] ?? {}
    return from !== undefined || to !== undefined
  })
  if (about.periods.length === 0 && ofNamed.length > 0)
    return ({ at }) => ofNamed.some((index) => at.startsWith(`fees.adjustments.${index}.`))
  const [adjusts, pays] = [
    isNamed || ADJUSTMENT_WORDS.test(statement),
    PAYMENT_WORDS.test(statement),
  ]
  return (edge) =>
    isAdjustmentDay(edge)
      ? about.periods.length === 0 || adjusts
      : isMethodDay(edge)
        ? about.periods.length === 0 || pays
        : about.periods.length === 0
          ? isOfTables(model, about, edge)
          : edge.period !== null && about.periods.includes(edge.period)
}

/** Whether the day may be one of the tables that the text names; days of items and of registration may always be. */
function isOfTables(model: Model, { tables }: DaySubject, { period }: Edge): boolean {
  const table = listTextPeriods(model)[period ?? -1]?.table ?? null
  return tables === null || table === null || tables.includes(table)
}

/**
 * Returns the days that a text about prices and registration may mean; the nearest is reported if
 * it matches none.
 */
function findEdges(model: Model, mention: Mention): readonly Edge[] {
  const { about, readable } = mention
  const { config } = model
  const ofItems = findEdgesOfNamedItems(model, mention)
  const all = collectEdges(model)
  // An adjustment's label refers to its own days.
  const adjustmentPath = /^fees\.adjustments\.\d+\./.exec(readable.path)?.[0]
  const ofOwn =
    adjustmentPath === undefined ? [] : all.filter(({ at }) => at.startsWith(adjustmentPath))
  if (ofOwn.length > 0) return ofOwn
  const matchingEdges = all.filter(selectEdge(model, mention))
  const closing = all.filter(({ at }) => about.periods.length > 0 && at === 'registration.closes')
  const event: readonly Edge[] =
    about.periods.length > 0
      ? []
      : [
          {
            day: config.from,
            at: 'event.from',
            description: 'the event begins on',
            side: 'start',
            period: null,
          },
          {
            day: config.to,
            at: 'event.to',
            description: 'the event ends on',
            side: 'end',
            period: null,
          },
        ]
  return [...matchingEdges, ...ofItems, ...closing, ...event]
}

/** "Rooms at the early price until 15 October": the days of an item that the text or its question names. */
function findEdgesOfNamedItems(
  model: Model,
  { about, readable, stated }: Mention,
): readonly Edge[] {
  if (about.periods.length === 0) return []
  const { left, right } = findStatement(readable.text, stated)
  const statement = `${readable.heading} ${left} ${right}`
  const own = model.config.fees.items.flatMap((item) => {
    const at = model.fields.find(({ id }) => id === (item.by ?? item.count?.field))
    const isNamed =
      (at !== undefined && readable.path.startsWith(`${at.path}.`)) ||
      findAllNamed([[item.label, item.id.replaceAll('-', ' '), at?.field.label ?? '']], statement)
        .length > 0
    return isNamed ? [item.id] : []
  })
  return collectEdges(model).filter(({ period }) => {
    const owner = period === null ? null : listTextPeriods(model)[period]
    return owner?.table === null && own.includes(owner.owner ?? '')
  })
}

/** Whether the file states the day, or the adjacent day that "before" or "after" means. */
function isInFile(model: Model, day: Day, { direction }: DaySubject): boolean {
  const days = listFileDays(model)
  return (
    days.has(day) ||
    (direction === 'before' && days.has(addDays(day, -1))) ||
    ((direction === 'after' || direction === 'from') &&
      days.has(addDays(day, direction === 'after' ? 1 : -1)))
  )
}

/** "Registration closes on": not a period's end, but the closing day of the file. */
const CLOSING_WORDS =
  /\b(?:registrations?|regn\.?|forms?|portal)\b[^,;]*\b(?:clos(?:es?|ing|ed)|ends?|last (?:date|day)|deadline)\b|\b(?:last (?:date|day)|deadline|closing date)\b[^,;]*\b(?:registrations?|regn\.?|regist(?:er|ering)|forms?)\b/i
/** For some delegates, or at a special price: a different day from the final one. */
const PARTIAL_OFFER_WORDS =
  /\b(?:early|discount\w*|concession\w*|offer|group|bulk|rate|fees?|members?|waiver|students?|spot)\b/i

function isClosing(model: Model, { about, readable, stated }: Mention): boolean {
  if (about.periods.length > 0 || getStatedClosingDay(model) === undefined) return false
  const { left, right } = findStatement(readable.text, stated)
  return CLOSING_WORDS.test(left) && !PARTIAL_OFFER_WORDS.test(`${left} ${right}`)
}

/**
 * Whether a day is that edge in ordinary wording: "before 1 February" and "until 31 January" are
 * the same day.
 */
function isEdge(day: Day, { day: edge, side }: Edge, { direction }: DaySubject): boolean {
  switch (direction) {
    case 'until':
      return day === edge && side === 'end'
    case 'before':
      return side === 'end' ? day === edge || addDays(day, -1) === edge : day === edge
    case 'from':
      return day === edge && side === 'start'
    case 'after':
      return side === 'start' ? addDays(day, 1) === edge : day === edge
    case null:
      return day === edge
  }
}

const ON_SPOT_WORDS = /\b(?:spot|on-?site|walk-?in)\b/i
const HOUR_PATTERN = /\b\d{1,2}(?:[.:]\d\d)?\s*(?:[ap]\.?m\b|hrs\b|hours\b|o[’']?clock\b)/i

/**
 * "Spot registration from 8 AM on 12 February": the opening hour of a desk at the venue, whenever
 * its price begins.
 */
function isAtDesk(model: Model, mention: Mention): boolean {
  const { left, right } = findStatement(mention.readable.text, mention.stated)
  return isOnSpot(model, mention) && HOUR_PATTERN.test(`${left} ${right}`)
}

function isOnSpot(model: Model, { about, readable, stated }: Mention): boolean {
  const { left, right } = findStatement(readable.text, stated)
  return (
    ON_SPOT_WORDS.test(`${left} ${right}`) ||
    about.periods.some((index) => {
      const { id = '', label = '' } = listTextPeriods(model)[index]?.period ?? {}
      return ON_SPOT_WORDS.test(`${id} ${label}`)
    })
  )
}

function checkPriceDay(model: Model, mention: Mention): Draft | null {
  const { config } = model
  const { about, stated, firsts, lasts, readable } = mention
  const isInEvent = (day: Day): boolean => config.from <= day && day <= config.to
  const { desk } = config.registration
  if (
    desk !== undefined &&
    isOnSpot(model, mention) &&
    [...firsts, ...lasts].some((day) => day === desk.opens || day === desk.closes)
  )
    return null
  if (isAtDesk(model, mention) && [...firsts, ...lasts].some(isInEvent)) return null
  // An unnamed price may extend into the event; on-site payment is described by the event's days.
  const isNamed = about.periods.length > 0
  if (!isNamed && [...firsts, ...lasts].some(isInEvent)) return null
  const closing = isClosing(model, mention)
  if (
    !isNamed &&
    !closing &&
    [firsts, lasts].every((days) => days.some((day) => isInFile(model, day, about)))
  )
    return null
  const edges = closing
    ? findEdges(model, mention).filter(({ at }) => at === 'registration.closes')
    : findEdges(model, mention)
  const isSpan = stated.first !== stated.last
  const ends = edges.filter(({ side }) => side === 'end')
  const starts = edges.filter(({ side }) => side === 'start')
  if (isSpan) {
    const isStart =
      isNamed && starts.length === 0
        ? true
        : !isNamed && config.fees.periods[0]?.from === undefined
          ? true
          : firsts.some((day) => starts.some((edge) => edge.day === day))
    const ended =
      (isNamed && ends.length === 0) || lasts.some((day) => ends.some((edge) => edge.day === day))
    if (isStart && ended) return null
    return reportContradiction(mention, isStart ? lasts : firsts, isStart ? ends : starts, edges)
  }
  if (lasts.some((day) => edges.some((edge) => isEdge(day, edge, about)))) return null
  const expectedEdges =
    about.direction === null
      ? edges
      : edges.filter(
          ({ side }) => side === (/until|before/.test(about.direction ?? '') ? 'end' : 'start'),
        )
  const named = listTextPeriods(model)[about.periods[0] ?? -1]
  if (named !== undefined && expectedEdges.length === 0) {
    // "Regular until 31 December" where regular never ends; a first period may begin at any time.
    if (about.direction !== 'until' && about.direction !== 'before') return null
    if (lasts.some(isInEvent)) return null
    return {
      ...locate(readable, stated),
      message: `the text says until ${formatDayWords(mention)}, but period \`${named.period.id}\` has no end`,
      related: [{ at: named.at, message: 'it continues' }],
      help: 'give the period its last day with `to`, or remove the day from the text',
    }
  }
  return reportContradiction(mention, lasts, expectedEdges, edges)
}

/** Reports the text's day with the nearest of the days it could mean. */
function reportContradiction(
  mention: Mention,
  days: readonly Day[],
  expected: readonly Edge[],
  otherwise: readonly Edge[],
): Draft | null {
  const possible = expected.length > 0 ? expected : otherwise
  // For prices and registration, their own days are reported before those of the event.
  const edgesOfOwnPeriods = possible.filter(({ at }) => !at.startsWith('event.'))
  const candidates =
    mention.about.topic === 'price' && edgesOfOwnPeriods.length > 0 ? edgesOfOwnPeriods : possible
  const nearestEdges = candidates
    .map((edge) => ({ edge, away: Math.min(...days.map((day) => countDaysApart(day, edge.day))) }))
    .toSorted((a, b) => a.away - b.away)[0]
  if (nearestEdges === undefined) return null
  const { edge } = nearestEdges
  return {
    ...locate(mention.readable, mention.stated),
    message: `the text says ${formatDayWords(mention)}, but ${edge.description} ${formatDay(edge.day)}`,
    related: [{ at: edge.at, message: 'here' }],
    help: HELP_TEXT,
  }
}

/** The label of a field: its days are the delegate's, such as the day of birth or of arrival. */
const QUESTION_PATH = /^form\.sections\.\d+\.fields\.\d+\.(?:label|hint|required|invalid)/

const isQuestion = ({ readable }: Mention): boolean => QUESTION_PATH.test(readable.path)

function checkUnexpectedDay(model: Model, mention: Mention): Draft | null {
  if (isQuestion(mention) && mention.about.direction === null) return null
  const { config } = model
  const { firsts, lasts, stated } = mention
  const all = findEdges(model, mention)
  const isKnown = (day: Day): boolean =>
    (config.from <= day && day <= config.to) ||
    isInFile(model, day, mention.about) ||
    all.some(({ day: edge }) => Math.abs(countDaysApart(day, edge)) <= 1)
  if (firsts.some(isKnown) && lasts.some(isKnown)) return null
  const main = all.filter((edge) => !isAdjustmentDay(edge) && !isMethodDay(edge))
  const nearestDistance = Math.min(
    ...lasts.flatMap((day) => main.map((edge) => countDaysApart(day, edge.day))),
  )
  if (stated.last.year === null && nearestDistance > NEAR_DAYS) return null
  return reportContradiction(mention, lasts, main, main)
}

const textDateCheck: Check = {
  slug: 'text-date',
  severity: 'warning',
  why: 'A day in a text that matches no period and no opening or closing day is probably outdated.',
  after: ['EV407', 'EV419', 'EV432'],
  find: (model) =>
    mentions(model).flatMap((mention): Draft[] => {
      if (mention.wrong !== null) return [mention.wrong]
      if (mention.about.topic === 'other' || mention.about.topic === 'event') return []
      if (isInPastYear(model, mention) && (mention.about.topic === null || isQuestion(mention)))
        return []
      const draft =
        mention.about.topic === 'price'
          ? checkPriceDay(model, mention)
          : checkUnexpectedDay(model, mention)
      return draft === null ? [] : [draft]
    }),
}

export const textDayChecks = { EV604: textDateCheck }
