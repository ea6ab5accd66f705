/** EV604 and EV621 to EV623: days in texts are those of the file, fall on their weekday, and are of this year. */
import type { Period } from '../../config.ts'
import { addDays, formatDay, formatDays, isDay, type Day } from '../../time.ts'
import { daysSaid, type DaysSaid, type DayWords } from '../day-words.ts'
import type { Draft } from '../finding.ts'
import type { Check, Model } from '../model.ts'
import { readables, type Readable } from '../readable.ts'
import { aboutDay, type About } from '../said-about.ts'

/** A day this many years before the event is history: a founding, a birthday, an act. */
const HISTORY_YEARS = 3
/** A day without its year, of which the text does not say what it is, is taken for one of the file's when it is as near as this. */
const NEAR_DAYS = 31

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** A day on which something begins or ends, with its line. */
type Edge = {
  readonly day: Day
  readonly at: string
  readonly says: string
  readonly side: 'start' | 'end'
  /** Position of its period; null for registration and the event. */
  readonly period: number | null
}
/** `day` is null for a day that the calendar does not have, `years` the years it may mean. */
type Mention = {
  readonly readable: Readable
  readonly said: DaysSaid
  readonly about: About
  readonly wrong: Draft | null
  readonly firsts: readonly Day[]
  readonly lasts: readonly Day[]
}

const dayOfWords = ({ day, month }: DayWords, year: number): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
const distance = (a: Day, b: Day): number =>
  Math.abs(Date.parse(`${a}T00:00:00Z`) - Date.parse(`${b}T00:00:00Z`)) / 86_400_000
const weekdayOf = (day: Day): number => new Date(`${day}T00:00:00Z`).getUTCDay()

function edgesOf({ config }: Model): readonly Edge[] {
  const { periods } = config.fees
  const { opens, closes } = config.registration
  const edge = (
    day: Day | undefined,
    at: string,
    says: string,
    side: Edge['side'],
    period: number | null,
  ): readonly Edge[] => (day === undefined ? [] : [{ day, at, says, side, period }])
  return [
    ...periods.flatMap((_, i) => [...startOf(periods, i, edge), ...endOf(periods, i, edge)]),
    ...edge(opens, 'registration.opens', 'registration opens on', 'start', null),
    ...edge(closes, 'registration.closes', 'registration closes on', 'end', null),
  ]
}
type MakeEdge = (
  day: Day | undefined,
  at: string,
  says: string,
  side: Edge['side'],
  period: number | null,
) => readonly Edge[]

/** Where a period says no first day, the day after the one before it ends. */
function startOf(periods: readonly Period[], i: number, edge: MakeEdge): readonly Edge[] {
  const [period, before] = [periods[i], periods[i - 1]]
  const says = `period \`${period?.id ?? ''}\` begins on`
  if (period?.from !== undefined)
    return edge(period.from, `fees.periods.${i}.from`, says, 'start', i)
  return before?.to === undefined
    ? []
    : edge(addDays(before.to, 1), `fees.periods.${i - 1}.to`, says, 'start', i)
}
function endOf(periods: readonly Period[], i: number, edge: MakeEdge): readonly Edge[] {
  const [period, after] = [periods[i], periods[i + 1]]
  const says = `period \`${period?.id ?? ''}\` ends on`
  if (period?.to !== undefined) return edge(period.to, `fees.periods.${i}.to`, says, 'end', i)
  return after?.from === undefined
    ? []
    : edge(addDays(after.from, -1), `fees.periods.${i + 1}.from`, says, 'end', i)
}

/** Every day said in the file, with what it is about and the days it can mean. */
function mentionsOf(model: Model): readonly Mention[] {
  const { config } = model
  const eventYear = Number(config.to.slice(0, 4))
  const years = [
    ...new Set(
      [config.from, config.to, ...edgesOf(model).map(({ day }) => day)].map((day) =>
        Number(day.slice(0, 4)),
      ),
    ),
  ]
  return readables(model).flatMap((readable) => {
    const found = daysSaid(readable.text, eventYear)
    let before: About | null = null
    return found.map((said, at): Mention => {
      const about: About = aboutDay(model, readable, found, at, before)
      before = about
      const days = (words: DayWords): readonly Day[] =>
        (words.year === null ? years : [words.year])
          .map((year) => dayOfWords(words, year))
          .filter(isDay)
      const bad = [said.first, said.last].find((words) => days(words).length === 0)
      return {
        readable,
        said,
        about,
        firsts: days(said.first),
        lasts: days(said.last),
        wrong:
          bad === undefined
            ? null
            : {
                ...placeOf(readable, said),
                message: `${readable.text.slice(said.start, said.end)} is not a day of the calendar`,
                help: 'write a day that the month has',
              },
      }
    })
  })
}
const mentioned = new WeakMap<Model, readonly Mention[]>()
function mentions(model: Model): readonly Mention[] {
  const known = mentioned.get(model) ?? mentionsOf(model)
  mentioned.set(model, known)
  return known
}

const placeOf = ({ path, at }: Readable, { start, end }: DaysSaid): Pick<Draft, 'at' | 'span'> => ({
  at: path,
  span: [at + start, at + end],
})

/** The day as the text has it: its year only where one is written. */
function sayWords(mention: Mention): string {
  const { first, last } = mention.said
  const [from, to] = [mention.firsts.at(-1), mention.lasts.at(-1)]
  if (from === undefined || to === undefined) return ''
  const whole = formatDays(from, to)
  return first.year === null && last.year === null ? whole.replaceAll(/ \d{4}\b/g, '') : whole
}

const isHistory = (model: Model, { firsts }: Mention): boolean =>
  firsts.every(
    (day) => Number(day.slice(0, 4)) <= Number(model.config.from.slice(0, 4)) - HISTORY_YEARS,
  )

const HELP = 'write the same day in both places, or accept it with allow'

/** The edges a day about prices and registration may name; the nearest of them is told when it names none. */
function edgesFor(model: Model, { about }: Mention): readonly Edge[] {
  const { config } = model
  const all = edgesOf(model)
  const named = about.period === null ? all : all.filter(({ period }) => period === about.period)
  const closing = all.filter(
    ({ period, at }) => period === null && about.period !== null && at === 'registration.closes',
  )
  const event: readonly Edge[] =
    about.period !== null
      ? []
      : [
          {
            day: config.from,
            at: 'event.from',
            says: 'the event begins on',
            side: 'start',
            period: null,
          },
          { day: config.to, at: 'event.to', says: 'the event ends on', side: 'end', period: null },
        ]
  return [...named, ...closing, ...event]
}

/** Whether a day is that edge, as people say it: "before 1 February" and "until 31 January" are one day. */
function isEdge(day: Day, { day: edge, side }: Edge, { direction }: About): boolean {
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

function priceDay(model: Model, mention: Mention): Draft | null {
  const { config } = model
  const { about, said, firsts, lasts, readable } = mention
  const inEvent = (day: Day): boolean => config.from <= day && day <= config.to
  // An unnamed price may run into the event; what one pays there is told by its days.
  if (about.period === null && [...firsts, ...lasts].some(inEvent)) return null
  const edges = edgesFor(model, mention)
  const isSpan = said.first !== said.last
  const ends = edges.filter(({ side }) => side === 'end')
  const starts = edges.filter(({ side }) => side === 'start')
  if (isSpan) {
    const begun =
      about.period !== null && starts.length === 0
        ? true
        : about.period === null && config.fees.periods[0]?.from === undefined
          ? true
          : firsts.some((day) => starts.some((edge) => edge.day === day))
    const ended =
      (about.period !== null && ends.length === 0) ||
      lasts.some((day) => ends.some((edge) => edge.day === day))
    if (begun && ended) return null
    return contradiction(mention, begun ? lasts : firsts, begun ? ends : starts, edges)
  }
  if (lasts.some((day) => edges.some((edge) => isEdge(day, edge, about)))) return null
  const wanted =
    about.direction === null
      ? edges
      : edges.filter(
          ({ side }) => side === (/until|before/.test(about.direction ?? '') ? 'end' : 'start'),
        )
  if (about.period !== null && wanted.length === 0) {
    // "Regular until 31 December" where regular never ends; a first period may begin when it likes.
    const period = config.fees.periods[about.period]
    if (about.direction !== 'until' && about.direction !== 'before') return null
    if (period === undefined || lasts.some(inEvent)) return null
    return {
      ...placeOf(readable, said),
      message: `the text says until ${sayWords(mention)}, but period \`${period.id}\` has no end`,
      related: [{ at: `fees.periods.${about.period}`, message: 'it goes on' }],
      help: 'give the period its last day with `to`, or take the day out of the text',
    }
  }
  return contradiction(mention, lasts, wanted, edges)
}

/** The text's day beside the nearest of the days it could have meant. */
function contradiction(
  mention: Mention,
  days: readonly Day[],
  wanted: readonly Edge[],
  otherwise: readonly Edge[],
): Draft | null {
  const candidates = wanted.length > 0 ? wanted : otherwise
  const near = candidates
    .map((edge) => ({ edge, away: Math.min(...days.map((day) => distance(day, edge.day))) }))
    .toSorted((a, b) => a.away - b.away)[0]
  if (near === undefined) return null
  const { edge } = near
  return {
    ...placeOf(mention.readable, mention.said),
    message: `the text says ${sayWords(mention)}, ${edge.says} ${formatDay(edge.day)}`,
    related: [{ at: edge.at, message: 'here' }],
    help: HELP,
  }
}

function unplacedDay(model: Model, mention: Mention): Draft | null {
  const { config } = model
  const { firsts, lasts, said } = mention
  const all = edgesFor(model, mention)
  const known = (day: Day): boolean =>
    (config.from <= day && day <= config.to) ||
    all.some(({ day: edge }) => Math.abs(distance(day, edge)) <= 1)
  if (firsts.some(known) && lasts.some(known)) return null
  const near = Math.min(...lasts.flatMap((day) => all.map((edge) => distance(day, edge.day))))
  if (said.last.year === null && near > NEAR_DAYS) return null
  return contradiction(mention, lasts, all, all)
}

const textDate: Check = {
  slug: 'text-date',
  severity: 'warning',
  why: 'A day in a text that no price or opening follows is an old day.',
  after: ['EV407', 'EV419'],
  find: (model) =>
    mentions(model).flatMap((mention): Draft[] => {
      if (mention.wrong !== null) return [mention.wrong]
      if (mention.about.topic === 'other' || mention.about.topic === 'event') return []
      if (mention.about.topic === null && isHistory(model, mention)) return []
      const draft =
        mention.about.topic === 'price' ? priceDay(model, mention) : unplacedDay(model, mention)
      return draft === null ? [] : [draft]
    }),
}

const textEventDay: Check = {
  slug: 'text-event-day',
  severity: 'warning',
  why: 'Delegates travel on the day that a text tells them.',
  after: ['EV407', 'EV419'],
  find: (model) => {
    const { from, to } = model.config
    const inEvent = (day: Day): boolean => from <= day && day <= to
    return mentions(model).flatMap((mention): Draft[] => {
      const { about, said, firsts, lasts, wrong, readable } = mention
      if (wrong !== null || about.topic !== 'event' || isHistory(model, mention)) return []
      const isSpan = said.first !== said.last
      const fits = isSpan
        ? about.isPart
          ? firsts.some(inEvent) && lasts.some(inEvent)
          : firsts.includes(from) && lasts.includes(to)
        : about.isPart || about.direction === null
          ? lasts.some(inEvent)
          : about.direction === 'from'
            ? lasts.includes(from)
            : about.direction === 'until'
              ? lasts.includes(to)
              : lasts.some(
                  (day) => inEvent(day) || inEvent(addDays(day, 1)) || inEvent(addDays(day, -1)),
                )
      return fits
        ? []
        : [
            {
              ...placeOf(readable, said),
              message: `the text says ${sayWords(mention)}, the event is on ${formatDays(from, to)}`,
              related: [
                { at: 'event.from', message: 'it begins here' },
                { at: 'event.to', message: 'it ends here' },
              ],
              help: 'write the days of the event, {event.dates} in mails and result pages',
            },
          ]
    })
  },
}

const textWeekday: Check = {
  slug: 'text-weekday',
  severity: 'warning',
  why: 'A weekday that is not the day’s sends some delegates on another one.',
  after: ['EV604', 'EV621'],
  find: (model) =>
    mentions(model).flatMap((mention): Draft[] => {
      const { said, firsts, lasts, readable } = mention
      return [
        { words: said.first, days: firsts },
        ...(said.first === said.last ? [] : [{ words: said.last, days: lasts }]),
      ].flatMap(({ words, days }): Draft[] => {
        const meant = likely(model, days)
        if (words.weekday === null || meant === null) return []
        if (days.some((day) => weekdayOf(day) === words.weekday)) return []
        const known = [
          { day: model.config.from, at: 'event.from' },
          { day: model.config.to, at: 'event.to' },
          ...edgesOf(model),
        ].find(({ day }) => day === meant)
        return [
          {
            ...placeOf(readable, said),
            message: `${formatDay(meant)} is a ${WEEKDAYS[weekdayOf(meant)] ?? ''}, not a ${WEEKDAYS[words.weekday] ?? ''}`,
            related: known === undefined ? [] : [{ at: known.at, message: 'the day in this file' }],
            help: 'mend the weekday or the day',
          },
        ]
      })
    }),
}

/** Of the years a day without one can mean, the one nearest to the event. */
function likely({ config }: Model, days: readonly Day[]): Day | null {
  return days.toSorted((a, b) => distance(a, config.from) - distance(b, config.from))[0] ?? null
}

const textYear: Check = {
  slug: 'text-year',
  severity: 'warning',
  why: 'A file copied from last year keeps last year’s name in a text.',
  after: ['EV419', 'EV421'],
  find: (model) => {
    const { title } = model.file.event
    const own = /^(.*?\S)[\s'’-]*\b20(\d\d)$/.exec(title)
    if (own === null) return []
    const name = (own[1] ?? '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const said = new RegExp(`\\b${name}[\\s'’-]*(?:20)?(\\d\\d)(?!\\d)`, 'g')
    return readables(model).flatMap(({ path, text, at }) =>
      [...text.matchAll(said)].flatMap((match): Draft[] =>
        match[1] === own[2] ||
        path === 'event.title' ||
        PAST.test(text.slice(Math.max(0, match.index - 40), match.index)) ||
        /^\s*(?:was|were|had)\b/i.test(text.slice(match.index + match[0].length))
          ? []
          : [
              {
                at: path,
                span: [at + match.index, at + match.index + match[0].length],
                message: `the text says ${match[0]}, the event is ${title}`,
                related: [{ at: 'event.title', message: 'its title' }],
                help: 'write this year’s name, {event.title} in mails and result pages',
              },
            ],
      ),
    )
  },
}
/** Before the name of an earlier conference: it is meant. */
const PAST =
  /\b(?:attended|was|were|at|during|in|since|previous|earlier|last|past|after|from|former|winners? of|compared)\b/i

export const saidDays = {
  EV604: textDate,
  EV621: textEventDay,
  EV622: textWeekday,
  EV623: textYear,
}
