/** Checks EV621 to EV623 and EV625: event days, weekdays, years and times of day in texts are correct. */
import { addDays, formatDay, formatDays, getWeekday, type Day } from '../../../lib/time.ts'
import { findDays, findMonths, type StatedDays } from '../../prose/find-days.ts'
import { findImpossibleHours, findNightAfterMorning } from '../../prose/find-impossible-hours.ts'
import type { Draft } from '../../finding.ts'
import {
  countDaysApart,
  collectEdges,
  isPastYear,
  isInPastYear,
  listDayMentions,
  locate,
  formatDayWords,
  type Mention,
} from '../../prose/mentioned-days.ts'
import type { Check, Model } from '../../checked-file.ts'
import { textAgeCheck } from './ages-in-texts.ts'
import { collectEventTexts, type EventText } from '../../prose/event-texts.ts'
import { findDaySubject, findStatement } from '../../prose/subject-of-day.ts'

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const reportWrongDays = (
  { config: { from, to } }: Model,
  eventText: EventText,
  mention: { readonly start: number; readonly end: number },
  words: string,
): Draft => ({
  ...locate(eventText, mention),
  message: `the text says ${words}, but the event is on ${formatDays(from, to)}`,
  related: [
    { at: 'event.from', message: 'the start date' },
    { at: 'event.to', message: 'the event ends here' },
  ],
  help: 'write the days of the event; use {event.dates} in emails and result pages',
})

/** Reports months that differ from the month of the event: "Kochi, March 2026". */
function findOtherMonths(model: Model): readonly Draft[] {
  const { from, to } = model.config
  return collectEventTexts(model).flatMap((eventText) => {
    const listDays = (): readonly StatedDays[] => findDays(eventText.text, Number(to.slice(0, 4)))
    const months = findMonths(eventText.text, listDays)
    return months.flatMap((statedMonth, index): Draft[] => {
      const month = `${statedMonth.year}-${String(statedMonth.month).padStart(2, '0')}`
      return isPastYear(model, statedMonth.year) ||
        (from.slice(0, 7) <= month && month <= to.slice(0, 7)) ||
        findDaySubject(model, eventText, months, index, null).topic !== 'event'
        ? []
        : [
            reportWrongDays(
              model,
              eventText,
              statedMonth,
              eventText.text.slice(statedMonth.start, statedMonth.end),
            ),
          ]
    })
  })
}

/** Words for activities on the days of the event, or on adjacent days. */
const EVENT_DAY_WORDS =
  /\b(?:arriv|depart|travel|check|stay|rooms?\b|hotel|accommodation|lodging|dinner|banquet|gala|workshop|satellite|hands.on|tour|excursion|sightseeing|flight|train|pick|shuttle)/i
/** Words for past or future editions of the event, which have different dates. */
const OTHER_EDITION_WORDS =
  /\b(?:was|were|last|previous\w*|earlier|past|next|held|since|founded|born|birth)\b/i

/**
 * Returns whether dates are those of the event in another year: "11 to 14 March 2026" for an event on 12–14 March
 * 2027.
 */
function areEventDaysOfAnotherYear(
  { config }: Model,
  { statedDays, possibleFirstDays, possibleLastDays, eventText }: Mention,
): boolean {
  const [firstDay] = possibleFirstDays
  const [lastDay] = possibleLastDays
  if (firstDay === undefined || lastDay === undefined || statedDays.first.year === null)
    return false
  const { left, right } = findStatement(eventText.text, statedDays)
  const statement = `${eventText.heading} ${left} ${right}`
  if (!EVENT_DAY_WORDS.test(statement) || OTHER_EDITION_WORDS.test(statement)) return false
  const yearDifference = Number(config.from.slice(0, 4)) - Number(firstDay.slice(0, 4))
  const moveToEventYear = (day: Day): string =>
    `${Number(day.slice(0, 4)) + yearDifference}${day.slice(4)}`
  return (
    yearDifference !== 0 &&
    moveToEventYear(firstDay) >= addDays(config.from, -1) &&
    moveToEventYear(lastDay) <= addDays(config.to, 1)
  )
}

/** Returns whether a mention is about a front desk day: "Spot registration at the venue opens on 7 October". */
function isDeskDay(
  { config }: Model,
  { possibleFirstDays, possibleLastDays, statedDays, eventText }: Mention,
): boolean {
  const { desk } = config.registration
  if (desk === undefined) return false
  const { left, right } = findStatement(eventText.text, statedDays)
  return (
    /\b(?:spot|on-?site|walk-?in|desk|counter|regist\w+)\b/i.test(`${left} ${right}`) &&
    [possibleFirstDays, possibleLastDays].every((days) =>
      days.some((day) => desk.opens <= day && day <= desk.closes),
    )
  )
}

const textEventDayCheck: Check = {
  slug: 'text-event-day',
  severity: 'warning',
  why: 'Delegates book their travel for the dates that they read.',
  after: ['EV407', 'EV419'],
  find: (model) => {
    const { from, to } = model.config
    const isDuringEvent = (day: Day): boolean => from <= day && day <= to
    const dayDrafts = listDayMentions(model).flatMap((mention): Draft[] => {
      const { daySubject, statedDays, possibleFirstDays, possibleLastDays, invalidDay, eventText } =
        mention
      if (invalidDay !== null || isInPastYear(model, mention)) return []
      if (daySubject.topic === 'other' && areEventDaysOfAnotherYear(model, mention))
        return [reportWrongDays(model, eventText, statedDays, formatDayWords(mention))]
      if (daySubject.topic !== 'event' || isDeskDay(model, mention)) return []
      const isSpan = statedDays.first !== statedDays.last
      const isInEvent = isSpan
        ? daySubject.isPartOfEvent
          ? possibleFirstDays.some(isDuringEvent) && possibleLastDays.some(isDuringEvent)
          : possibleFirstDays.includes(from) && possibleLastDays.includes(to)
        : daySubject.isPartOfEvent || daySubject.direction === null
          ? possibleLastDays.some(isDuringEvent)
          : daySubject.direction === 'from'
            ? possibleLastDays.includes(from)
            : daySubject.direction === 'until'
              ? possibleLastDays.includes(to)
              : possibleLastDays.some(
                  (day) =>
                    isDuringEvent(day) ||
                    isDuringEvent(addDays(day, 1)) ||
                    isDuringEvent(addDays(day, -1)),
                )
      return isInEvent
        ? []
        : [reportWrongDays(model, eventText, statedDays, formatDayWords(mention))]
    })
    return [...dayDrafts, ...findOtherMonths(model)]
  },
}

const textWeekdayCheck: Check = {
  slug: 'text-weekday',
  severity: 'warning',
  why: 'If the weekday does not match the date, some delegates arrive on the wrong day.',
  after: ['EV419', 'EV604', 'EV621'],
  find: (model) =>
    listDayMentions(model).flatMap((mention): Draft[] => {
      const { statedDays, possibleFirstDays, possibleLastDays, eventText } = mention
      return [
        { words: statedDays.first, days: possibleFirstDays },
        ...(statedDays.first === statedDays.last
          ? []
          : [{ words: statedDays.last, days: possibleLastDays }]),
      ].flatMap(({ words, days }): Draft[] => {
        const suggestion = chooseLikelyDay(model, days)
        if (words.weekday === null || suggestion === null) return []
        const isOwnDay = listOwnDays(model).includes(suggestion)
        if ((isOwnDay ? [suggestion] : days).some((day) => getWeekday(day) === words.weekday))
          return []
        const fileDay = [
          { day: model.config.from, at: 'event.from' },
          { day: model.config.to, at: 'event.to' },
          ...collectEdges(model),
        ].find(({ day }) => day === suggestion)
        return [
          {
            ...locate(eventText, statedDays),
            message: `${formatDay(suggestion)} is a ${WEEKDAYS[getWeekday(suggestion)] ?? ''}, not a ${WEEKDAYS[words.weekday] ?? ''}`,
            related:
              fileDay === undefined ? [] : [{ at: fileDay.at, message: 'the date in this file' }],
            help: 'correct the weekday or the date',
          },
        ]
      })
    }),
}

/** Returns the dates of the event, and all dates on which a period or a payment method begins or ends. */
function listOwnDays(model: Model): readonly Day[] {
  const { from, to } = model.config
  const days = collectEdges(model).map(({ day }) => day)
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}

/**
 * Returns the most likely meaning of a date without a year: a date that the file contains, or else the date nearest to
 * the event.
 */
function chooseLikelyDay(model: Model, days: readonly Day[]): Day | null {
  const eventDays = listOwnDays(model)
  return (
    days.find((day) => eventDays.includes(day)) ??
    days.toSorted(
      (a, b) => countDaysApart(a, model.config.from) - countDaysApart(b, model.config.from),
    )[0] ??
    null
  )
}

const textYearCheck: Check = {
  slug: 'text-year',
  severity: 'warning',
  why: 'A file copied from last year may still contain last year’s name.',
  after: ['EV419', 'EV421'],
  find: (model) => {
    const { title } = model.file.event
    const titleParts = /^(.*?\S)[\s'’-]*\b20(\d\d)$/.exec(title)
    if (titleParts === null) return []
    const name = (titleParts[1] ?? '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const namedYears = new RegExp(`\\b${name}[\\s'’-]*(?:20)?(\\d\\d)(?!\\d)`, 'g')
    return collectEventTexts(model).flatMap(({ path, text, at }) =>
      [...text.matchAll(namedYears)].flatMap((match): Draft[] =>
        match[1] === titleParts[2] ||
        path === 'event.title' ||
        PAST_WORDS.test(text.slice(Math.max(0, match.index - 40), match.index)) ||
        /^\s*(?:was|were|had|proceedings|photos?|videos?|gallery|archives?|edition|winners?|awardees?)\b/i.test(
          text.slice(match.index + match[0].length),
        ) ||
        (STATEMENT_START.test(text.slice(0, match.index)) &&
          PAST_EVENT.test(text.slice(match.index + match[0].length)))
          ? []
          : [
              {
                at: path,
                span: [at + match.index, at + match.index + match[0].length],
                message: `the text says ${match[0]}, but the event is ${title}`,
                related: [{ at: 'event.title', message: 'the title' }],
                help: 'write this year’s name; use {event.title} in emails and result pages',
              },
            ],
      ),
    )
  },
}
/** Words before the name of an earlier event that is mentioned on purpose. */
const PAST_WORDS =
  /\b(?:attended|was|were|at|during|in|since|previous|earlier|last|past|after|from|former|winners? of|compared)\b/i

/**
 * Matches the text before a name at the start of a sentence. If `PAST_EVENT` matches after the name, the sentence is
 * about the past: "NIDANCON 2026 in Kochi was attended by 900".
 */
const STATEMENT_START = /(?:^|[.!?;:|•·–—-])[\s"'“‘>|-]*(?:the|our|at)?\s*$/i
const PAST_EVENT =
  /^(?:\s*,?\s*(?:held\s+)?(?:in|at|on)\b[^.;:!?\n]{1,60}?)?,?\s+(?:was|were|had|saw|drew|welcomed|brought|took place|attracted)\b/i

const textHourCheck: Check = {
  slug: 'text-hour',
  severity: 'warning',
  why: 'Delegates cannot arrive at a time that does not exist.',
  find: (model) =>
    collectEventTexts(model).flatMap((eventText) => [
      ...findImpossibleHours(eventText.text).map((hour): Draft => ({
        ...locate(eventText, hour),
        message: `the text says ${eventText.text.slice(hour.start, hour.end)}, which is not a valid time`,
        help: 'write a valid time, such as 14:30 or 2.30 PM',
      })),
      ...(/(?:^|\.)hours$/.test(eventText.path) ? findNightAfterMorning(eventText.text) : []).map(
        (hours): Draft => ({
          ...locate(eventText, hours),
          message: `“${eventText.text.slice(hours.start, hours.end)}” ends during the following night`,
          help: 'write PM for a time after noon; if it ends after midnight, write: 9 AM to 3 AM the next day',
        }),
      ),
    ]),
}

export const textEventDateChecks = {
  EV621: textEventDayCheck,
  EV622: textWeekdayCheck,
  EV623: textYearCheck,
  EV625: textHourCheck,
  EV626: textAgeCheck,
}
