/** Check EV604: a date mentioned in a text about prices or registration is one of the file's dates. */
import { addDays, formatDay, type Day } from '../../../lib/time.ts'
import type { Draft } from '../../finding.ts'
import {
  countDaysApart,
  collectEdges,
  listFileDays,
  isAdjustmentDay,
  isInPastYear,
  isMethodDay,
  listDayMentions,
  locate,
  formatDayWords,
  type Edge,
  type Mention,
} from '../../prose/mentioned-days.ts'
import { getStatedClosingDay, type Check, type Model } from '../../checked-file.ts'
import { findStatement, type DaySubject } from '../../prose/subject-of-day.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { listLocatedPeriods } from '../../prose/named-periods.ts'

const HELP_TEXT = 'write the same date in both places, or accept the finding under `allow`'
/** A date without a year or subject is compared only with dates of the file at most this many days away. */
const MAX_DAYS_APART = 31

/** Common words for surcharges and deductions, whose names in the file may be different. */
const ADJUSTMENT_WORDS =
  /\b(?:late (?:fees?|charges?)|surcharges?|penalt(?:y|ies)|fine|extra|discount\w*|rebates?|concession\w*|waivers?|coupons?|vouchers?|off|save)\b/i
const PAYMENT_WORDS =
  /\b(?:pay\w*|paid|transfers?|bank|neft|rtgs|imps|upi|cheques?|drafts?|dd|cards?|online|net ?banking|cash|gateway|qr)\b/i

/**
 * Creates a function that selects the edges (first or last days) to which a mention may refer: those of adjustments,
 * payment methods and periods that the text mentions by name or by kind.
 */
function createEdgeFilter(
  model: Model,
  { daySubject, eventText, statedDays }: Mention,
): (edge: Edge) => boolean {
  const { adjustments } = model.config.fees
  const { left, right } = findStatement(eventText.text, statedDays)
  const statement = `${eventText.heading} ${left} ${right}`
  const normaliseName = (name: string): string => name.toLowerCase().replaceAll(/[\s-]+/g, ' ')
  const namedAdjustments = adjustments.flatMap(({ id, label }, index) =>
    [id, label].some(
      (name) => name.length > 4 && normaliseName(statement).includes(normaliseName(name)),
    )
      ? [index]
      : [],
  )
  const isNamed = namedAdjustments.length > 0
  // "Presenters' concession till 31 December" refers to the dates of that adjustment, if the adjustment has dates.
  const namedAdjustmentsWithDays = namedAdjustments.filter((index) => {
    const { from, to } = adjustments[index] ?? {}
    return from !== undefined || to !== undefined
  })
  if (daySubject.periods.length === 0 && namedAdjustmentsWithDays.length > 0)
    return ({ at }) =>
      namedAdjustmentsWithDays.some((index) => at.startsWith(`fees.adjustments.${index}.`))
  const [isAboutAdjustment, isAboutPayment] = [
    isNamed || ADJUSTMENT_WORDS.test(statement),
    PAYMENT_WORDS.test(statement),
  ]
  return (edge) =>
    isAdjustmentDay(edge)
      ? daySubject.periods.length === 0 || isAboutAdjustment
      : isMethodDay(edge)
        ? daySubject.periods.length === 0 || isAboutPayment
        : daySubject.periods.length === 0
          ? isInNamedTables(model, daySubject, edge)
          : edge.period !== null && daySubject.periods.includes(edge.period)
}

/**
 * Returns whether an edge belongs to a price table that the text mentions. Edges of items and of registration always
 * match.
 */
function isInNamedTables(model: Model, { tables }: DaySubject, { period }: Edge): boolean {
  const table = listLocatedPeriods(model)[period ?? -1]?.table ?? null
  return tables === null || table === null || tables.includes(table)
}

/**
 * Returns the edges to which text about prices or registration may refer. If the date in the text matches none of
 * them, the nearest edge is reported.
 */
function findEdges(model: Model, mention: Mention): readonly Edge[] {
  const { daySubject, eventText } = mention
  const { config } = model
  const itemEdges = findEdgesOfNamedItems(model, mention)
  const allEdges = collectEdges(model)
  // The text of an adjustment refers to the dates of that adjustment.
  const adjustmentPath = /^fees\.adjustments\.\d+\./.exec(eventText.path)?.[0]
  const ownEdges =
    adjustmentPath === undefined ? [] : allEdges.filter(({ at }) => at.startsWith(adjustmentPath))
  if (ownEdges.length > 0) return ownEdges
  const matchingEdges = allEdges.filter(createEdgeFilter(model, mention))
  const closingEdges = allEdges.filter(
    ({ at }) => daySubject.periods.length > 0 && at === 'registration.closes',
  )
  const eventEdges: readonly Edge[] =
    daySubject.periods.length > 0
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
  return [...matchingEdges, ...itemEdges, ...closingEdges, ...eventEdges]
}

/** Returns the edges of items that the text or its question mentions: "Rooms at the early price until 15 October". */
function findEdgesOfNamedItems(
  model: Model,
  { daySubject, eventText, statedDays }: Mention,
): readonly Edge[] {
  if (daySubject.periods.length === 0) return []
  const { left, right } = findStatement(eventText.text, statedDays)
  const statement = `${eventText.heading} ${left} ${right}`
  const namedItems = model.config.fees.items.flatMap((item) => {
    const itemField = model.fields.find(({ id }) => id === (item.by ?? item.count?.field))
    const isNamed =
      (itemField !== undefined && eventText.path.startsWith(`${itemField.path}.`)) ||
      findAllNamed(
        [[item.label, item.id.replaceAll('-', ' '), itemField?.field.label ?? '']],
        statement,
      ).length > 0
    return isNamed ? [item.id] : []
  })
  return collectEdges(model).filter(({ period }) => {
    const locatedPeriod = period === null ? null : listLocatedPeriods(model)[period]
    return locatedPeriod?.table === null && namedItems.includes(locatedPeriod.owner ?? '')
  })
}

/** Returns whether the file states the date, or the adjacent date to which "before" or "after" refers. */
function isInFile(model: Model, day: Day, { direction }: DaySubject): boolean {
  const days = listFileDays(model)
  return (
    days.has(day) ||
    (direction === 'before' && days.has(addDays(day, -1))) ||
    ((direction === 'after' || direction === 'from') &&
      days.has(addDays(day, direction === 'after' ? 1 : -1)))
  )
}

/** Words before the closing day of registration, as opposed to the end of a period: "Registration closes on". */
const CLOSING_WORDS =
  /\b(?:registrations?|regn\.?|forms?|portal)\b[^,;]*\b(?:clos(?:es?|ing|ed)|ends?|last (?:date|day)|deadline)\b|\b(?:last (?:date|day)|deadline|closing date)\b[^,;]*\b(?:registrations?|regn\.?|regist(?:er|ering)|forms?)\b/i
/** Words for offers that may end earlier than registration: offers for some delegates, or at a special price. */
const PARTIAL_OFFER_WORDS =
  /\b(?:early|discount\w*|concession\w*|offer|group|bulk|rate|fees?|members?|waiver|students?|spot)\b/i

function isAboutClosingDay(model: Model, { daySubject, eventText, statedDays }: Mention): boolean {
  if (daySubject.periods.length > 0 || getStatedClosingDay(model) === undefined) return false
  const { left, right } = findStatement(eventText.text, statedDays)
  return CLOSING_WORDS.test(left) && !PARTIAL_OFFER_WORDS.test(`${left} ${right}`)
}

/**
 * Returns whether a date matches an edge, given the wording: "before 1 February" and "until 31 January" refer to the
 * same edge.
 */
function matchesEdge(day: Day, { day: edge, side }: Edge, { direction }: DaySubject): boolean {
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
 * Returns whether a mention is about the opening hours of a desk at the venue, which need not match the dates of a
 * price: "Spot registration from 8 AM on 12 February".
 */
function isDeskOpeningHour(model: Model, mention: Mention): boolean {
  const { left, right } = findStatement(mention.eventText.text, mention.statedDays)
  return isOnSite(model, mention) && HOUR_PATTERN.test(`${left} ${right}`)
}

function isOnSite(model: Model, { daySubject, eventText, statedDays }: Mention): boolean {
  const { left, right } = findStatement(eventText.text, statedDays)
  return (
    ON_SPOT_WORDS.test(`${left} ${right}`) ||
    daySubject.periods.some((index) => {
      const { id = '', label = '' } = listLocatedPeriods(model)[index]?.period ?? {}
      return ON_SPOT_WORDS.test(`${id} ${label}`)
    })
  )
}

function checkPriceDay(model: Model, mention: Mention): Draft | null {
  const { config } = model
  const { daySubject, statedDays, possibleFirstDays, possibleLastDays, eventText } = mention
  const isInEvent = (day: Day): boolean => config.from <= day && day <= config.to
  const { desk } = config.registration
  if (
    desk !== undefined &&
    isOnSite(model, mention) &&
    [...possibleFirstDays, ...possibleLastDays].some(
      (day) => day === desk.opens || day === desk.closes,
    )
  )
    return null
  if (
    isDeskOpeningHour(model, mention) &&
    [...possibleFirstDays, ...possibleLastDays].some(isInEvent)
  )
    return null
  // Text that mentions no price may mention dates of the event, such as the dates of on-site payment.
  const isNamed = daySubject.periods.length > 0
  if (!isNamed && [...possibleFirstDays, ...possibleLastDays].some(isInEvent)) return null
  const isClosingDay = isAboutClosingDay(model, mention)
  if (
    !isNamed &&
    !isClosingDay &&
    [possibleFirstDays, possibleLastDays].every((days) =>
      days.some((day) => isInFile(model, day, daySubject)),
    )
  )
    return null
  const edges = isClosingDay
    ? findEdges(model, mention).filter(({ at }) => at === 'registration.closes')
    : findEdges(model, mention)
  const isSpan = statedDays.first !== statedDays.last
  const ends = edges.filter(({ side }) => side === 'end')
  const starts = edges.filter(({ side }) => side === 'start')
  if (isSpan) {
    const matchesStart =
      isNamed && starts.length === 0
        ? true
        : !isNamed && config.fees.periods[0]?.from === undefined
          ? true
          : possibleFirstDays.some((day) => starts.some((edge) => edge.day === day))
    const matchesEnd =
      (isNamed && ends.length === 0) ||
      possibleLastDays.some((day) => ends.some((edge) => edge.day === day))
    if (matchesStart && matchesEnd) return null
    return reportContradiction(
      mention,
      matchesStart ? possibleLastDays : possibleFirstDays,
      matchesStart ? ends : starts,
      edges,
    )
  }
  if (possibleLastDays.some((day) => edges.some((edge) => matchesEdge(day, edge, daySubject))))
    return null
  const expectedEdges =
    daySubject.direction === null
      ? edges
      : edges.filter(
          ({ side }) =>
            side === (/until|before/.test(daySubject.direction ?? '') ? 'end' : 'start'),
        )
  const namedPeriod = listLocatedPeriods(model)[daySubject.periods[0] ?? -1]
  if (namedPeriod !== undefined && expectedEdges.length === 0) {
    // Reports "Regular until 31 December" if `regular` has no end. A period without a start may begin at any time.
    if (daySubject.direction !== 'until' && daySubject.direction !== 'before') return null
    if (possibleLastDays.some(isInEvent)) return null
    return {
      ...locate(eventText, statedDays),
      message: `the text says until ${formatDayWords(mention)}, but period \`${namedPeriod.period.id}\` has no end`,
      related: [{ at: namedPeriod.at, message: 'this period has no end' }],
      help: 'add the last day of the period as `to`, or remove the date from the text',
    }
  }
  return reportContradiction(mention, possibleLastDays, expectedEdges, edges)
}

/** Reports the date in the text, with the nearest edge to which it could refer. */
function reportContradiction(
  mention: Mention,
  days: readonly Day[],
  preferredEdges: readonly Edge[],
  otherEdges: readonly Edge[],
): Draft | null {
  const edgesToCompare = preferredEdges.length > 0 ? preferredEdges : otherEdges
  // For prices and registration, edges of periods are preferred to edges of the event.
  const edgesOfPeriods = edgesToCompare.filter(({ at }) => !at.startsWith('event.'))
  const candidates =
    mention.daySubject.topic === 'price' && edgesOfPeriods.length > 0
      ? edgesOfPeriods
      : edgesToCompare
  const nearest = candidates
    .map((edge) => ({ edge, away: Math.min(...days.map((day) => countDaysApart(day, edge.day))) }))
    .toSorted((a, b) => a.away - b.away)[0]
  if (nearest === undefined) return null
  const { edge } = nearest
  return {
    ...locate(mention.eventText, mention.statedDays),
    message: `the text says ${formatDayWords(mention)}, but ${edge.description} ${formatDay(edge.day)}`,
    related: [{ at: edge.at, message: 'the date in this file' }],
    help: HELP_TEXT,
  }
}

/** Matches the texts of questions. Their dates may be the delegate's own, such as a date of birth or arrival. */
const QUESTION_PATH = /^form\.sections\.\d+\.fields\.\d+\.(?:label|hint|required|invalid)/

const isQuestion = ({ eventText }: Mention): boolean => QUESTION_PATH.test(eventText.path)

function checkUnexpectedDay(model: Model, mention: Mention): Draft | null {
  if (isQuestion(mention) && mention.daySubject.direction === null) return null
  const { config } = model
  const { possibleFirstDays, possibleLastDays, statedDays } = mention
  const possibleEdges = findEdges(model, mention)
  const isKnown = (day: Day): boolean =>
    (config.from <= day && day <= config.to) ||
    isInFile(model, day, mention.daySubject) ||
    possibleEdges.some(({ day: edge }) => Math.abs(countDaysApart(day, edge)) <= 1)
  if (possibleFirstDays.some(isKnown) && possibleLastDays.some(isKnown)) return null
  const periodEdges = possibleEdges.filter((edge) => !isAdjustmentDay(edge) && !isMethodDay(edge))
  const nearestDistance = Math.min(
    ...possibleLastDays.flatMap((day) => periodEdges.map((edge) => countDaysApart(day, edge.day))),
  )
  if (statedDays.last.year === null && nearestDistance > MAX_DAYS_APART) return null
  return reportContradiction(mention, possibleLastDays, periodEdges, periodEdges)
}

const textDateCheck: Check = {
  slug: 'text-date',
  severity: 'warning',
  why: 'A date in the texts that matches no period and no opening or closing day is probably outdated.',
  after: ['EV407', 'EV419', 'EV432'],
  find: (model) =>
    listDayMentions(model).flatMap((mention): Draft[] => {
      if (mention.invalidDay !== null) return [mention.invalidDay]
      if (mention.daySubject.topic === 'other' || mention.daySubject.topic === 'event') return []
      if (
        isInPastYear(model, mention) &&
        (mention.daySubject.topic === null || isQuestion(mention))
      )
        return []
      const draft =
        mention.daySubject.topic === 'price'
          ? checkPriceDay(model, mention)
          : checkUnexpectedDay(model, mention)
      return draft === null ? [] : [draft]
    }),
}

export const textDayChecks = { EV604: textDateCheck }
