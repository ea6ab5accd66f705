/** EV4: every day has at most one period, every category a price in each, and no digit went astray. */
import type { Period } from '../../config.ts'
import { formatMoney, readAmount, split, splitTotal, type Paise } from '../../money.ts'
import { periodOn } from '../../period.ts'
import { addDays, formatDay, isDay, type Day } from '../../time.ts'
import type { Check, Model } from '../model.ts'
import type { Draft } from '../finding.ts'
import { listed } from '../near.ts'
import { columnsOf } from './names.ts'

/** A price this many times its neighbour has a digit too many more often than not. */
const JUMP = 5
/** An event longer than this has a wrong year in it; its days are not walked one by one. */
const EVENT_DAYS_MAX = 60

const periodPath = (at: number): string => `fees.periods.${at}`
const FIRST = '0000-01-01'
const LAST = '9999-12-31'
const from = (period: Period): string => period.from ?? FIRST
const to = (period: Period): string => period.to ?? LAST
const dayBefore = (on: Day): Day => addDays(on, -1)
const said = (first: string, last: string): string =>
  first === last ? sayDay(first) : `${sayDay(first)} to ${sayDay(last)}`
const sayDay = (on: string): string =>
  isDay(on) && on !== FIRST && on !== LAST ? formatDay(on) : 'for ever'

/** Pairs of neighbours in the file's order, with their places. */
const pairs = (model: Model) =>
  model.config.fees.periods.flatMap((later, at) =>
    model.config.fees.periods
      .slice(0, at)
      .map((earlier, before) => ({ earlier, later, at, before })),
  )
const overlapOf = (a: Period, b: Period): readonly [string, string] | null => {
  const [start, end] = [from(a) > from(b) ? from(a) : from(b), to(a) < to(b) ? to(a) : to(b)]
  return start <= end ? [start, end] : null
}

const priceRowMissing: Check = {
  slug: 'price-row-missing',
  severity: 'error',
  why: 'A category without a price fails for the first delegate who is in it.',
  after: ['EV203', 'EV206'],
  find: ({ file }) => {
    const { prices } = file.fees
    if (prices === undefined) return []
    return file.categories.flatMap(({ id }, at): Draft[] =>
      Object.hasOwn(prices, id)
        ? []
        : [
            {
              at: 'fees.prices',
              part: 'key',
              message: `category \`${id}\` has no prices`,
              related: [{ at: `categories.${at}.id`, message: 'declared here' }],
              help: 'add a row with one price per period',
            },
          ],
    )
  },
}

const priceRowLength: Check = {
  slug: 'price-row-length',
  severity: 'error',
  why: 'Prices stand under the names of their periods; one too few moves all that follow.',
  after: ['EV204', 'EV206'],
  find: (model) => {
    const { prices, periods } = model.file.fees
    if (prices === undefined) return []
    const columns = columnsOf(model)
    const missing = periods.map(({ id }) => id).filter((id) => !columns.includes(id))
    const note = `periods: ${listed(columns)}`
    const head: readonly Draft[] =
      missing.length === 0
        ? []
        : [
            {
              at: 'fees.prices.period',
              message: `the first row does not name ${missing.map((id) => `\`${id}\``).join(' and ')}`,
              related: missing.map((id) => ({
                at: `${periodPath(periods.findIndex((period) => period.id === id))}.id`,
                message: 'declared here',
              })),
              help: 'name each period once, in the order of the columns',
            },
          ]
    const doubled = columns.flatMap((id, at): Draft[] =>
      columns.indexOf(id) === at
        ? []
        : [
            {
              at: `fees.prices.period.${at}`,
              message: `the first row names \`${id}\` twice`,
              related: [{ at: `fees.prices.period.${columns.indexOf(id)}`, message: 'first here' }],
              help: 'name each period once, in the order of the columns',
            },
          ],
    )
    // With a wrong first row, how many prices belong below it is not known.
    if (doubled.length > 0) return [...head, ...doubled]
    const count = (row: readonly unknown[]): string =>
      `${row.length} price${row.length === 1 ? '' : 's'} for ${columns.length} period${columns.length === 1 ? '' : 's'}`
    const rows = Object.entries(prices).flatMap(([category, row]): Draft[] =>
      category === 'period' || row.length === columns.length
        ? []
        : [
            {
              at: `fees.prices.${category}`,
              part: 'entry',
              message: count(row),
              related: [{ at: 'fees.prices.period', part: 'entry', message: 'the columns' }],
              notes: [note],
            },
          ],
    )
    return [...head, ...rows]
  },
}

const periodOverlap: Check = {
  slug: 'period-overlap',
  severity: 'error',
  why: 'On a day in two periods, two prices are right.',
  after: ['EV406', 'EV407'],
  find: (model) =>
    model.file.fees.overlap === 'first'
      ? []
      : pairs(model).flatMap(({ earlier, later, at, before }): Draft[] => {
          const both = overlapOf(earlier, later)
          if (both === null) return []
          const one = both[0] === both[1]
          const first =
            both[0] === FIRST
              ? `Every day to ${sayDay(both[1])}`
              : both[1] === LAST
                ? `Every day from ${sayDay(both[0])}`
                : said(both[0], both[1])
          return [
            {
              at: periodPath(at),
              message: `${first} ${one || both[0] === FIRST || both[1] === LAST ? 'is' : 'are'} in two periods, \`${earlier.id}\` and \`${later.id}\``,
              related: [{ at: periodPath(before), message: 'the other one' }],
              help: 'change a date, or say overlap: first',
            },
          ]
        }),
}

const periodGap: Check = {
  slug: 'period-gap',
  severity: 'warning',
  why: 'Between two periods somebody will want to register.',
  after: ['EV404', 'EV406', 'EV407'],
  find: ({ config }) => {
    const { periods, otherDates } = config.fees
    return periods.flatMap((later, at): Draft[] => {
      if (at === 0 || later.from === undefined) return []
      const latest = periods.slice(0, at).map(to).sort().at(-1) ?? LAST
      if (latest === LAST || !isDay(latest) || addDays(latest, 1) >= later.from) return []
      // Falling back to the period that has just ended changes nothing for anybody.
      if (otherDates !== null && periods.find(({ id }) => id === otherDates)?.to === latest)
        return []
      const [first, last] = [addDays(latest, 1), dayBefore(later.from)]
      const then =
        otherDates === null
          ? 'registration would be closed'
          : `the price falls back to \`${otherDates}\``
      return [
        {
          at: periodPath(at),
          message: `${said(first, last)} ${first === last ? 'is' : 'are'} in no period: ${then}`,
        },
      ]
    })
  },
}

const periodsUnsorted: Check = {
  slug: 'periods-unsorted',
  severity: 'error',
  why: 'Where two periods share a day the first counts; that is only clear when they stand in order.',
  after: ['EV407'],
  find: ({ config: { fees } }) =>
    fees.periods.flatMap((period, at): Draft[] => {
      const above = fees.periods[at - 1]
      return above === undefined || from(period) >= from(above)
        ? []
        : [
            {
              at: periodPath(at),
              message: `period \`${period.id}\` starts before \`${above.id}\`, which stands above it`,
              related: [{ at: periodPath(at - 1), message: 'stands above' }],
              help: 'list the periods in the order of their dates',
            },
          ]
    }),
}

const periodBackwards: Check = {
  slug: 'period-backwards',
  severity: 'error',
  why: 'A period that ends before it starts has no day.',
  find: ({ config: { fees } }) =>
    fees.periods.flatMap((period, at): Draft[] =>
      period.from !== undefined && period.to !== undefined && period.to < period.from
        ? [
            {
              at: periodPath(at),
              message: `period \`${period.id}\` ends before it starts`,
              notes: [`from ${formatDay(period.from)} to ${formatDay(period.to)}`],
            },
          ]
        : [],
    ),
}

const periodNeverCounts: Check = {
  slug: 'period-never-counts',
  severity: 'error',
  why: 'A period all of whose days belong to others has a column of prices that nobody pays.',
  after: ['EV404', 'EV406', 'EV407'],
  find: ({ config: { fees } }) =>
    fees.periods.flatMap((period, at): Draft[] => {
      if (fees.otherDates === period.id || !isDay(from(period))) return []
      const earlier = fees.periods.slice(0, at)
      const counts = freeDay(period, earlier)
      return counts
        ? []
        : [
            {
              at: periodPath(at),
              message: `period \`${period.id}\` never counts: all its days belong to ${listed(earlier.filter((one) => overlapOf(one, period) !== null).map(({ id }) => `\`${id}\``))}`,
            },
          ]
    }),
}

/** Whether a period has a day in none of the earlier ones: it is enough to look at its first day and the days after their ends. */
function freeDay(period: Period, earlier: readonly Period[]): boolean {
  const candidates = [
    from(period),
    ...earlier.flatMap((one) =>
      one.to === undefined || one.to === LAST ? [] : [addDays(one.to, 1) as string],
    ),
  ]
  return candidates.some(
    (on) =>
      on >= from(period) &&
      on <= to(period) &&
      !earlier.some((one) => from(one) <= on && on <= to(one)),
  )
}

const priceFallsBack: Check = {
  slug: 'price-falls-back',
  severity: 'warning',
  why: 'Whoever registers late would pay less than whoever was early.',
  after: ['EV204', 'EV406', 'EV407', 'EV419'],
  find: ({ config }) => {
    const { fees, from: first, to: last } = config
    const days: Day[] = []
    for (let on = first; on <= last && days.length < EVENT_DAYS_MAX; on = addDays(on, 1))
      days.push(on)
    const falls = days.filter((on) => {
      const inside = fees.periods.some((period) => from(period) <= on && on <= to(period))
      const before = lastEnded(fees.periods, on)
      return (
        !inside && before !== null && periodOn(fees, on) !== null && fees.otherDates !== before.id
      )
    })
    const on = falls[0]
    if (on === undefined || fees.otherDates === null) return []
    const before = lastEnded(fees.periods, on)
    const example = Object.entries(fees.prices ?? {}).flatMap(([category, row]) => {
      const [was, is] = [before === null ? null : row[before.id], row[fees.otherDates ?? '']]
      return was != null && is != null && is < was
        ? [
            `\`${category}\` costs ${formatMoney(was)} in \`${before?.id ?? ''}\`, then ${formatMoney(is)}`,
          ]
        : []
    })
    return [
      {
        at: 'fees.other_dates',
        message: `on ${formatDay(on)}, a day of the event, the price falls back to \`${fees.otherDates}\``,
        notes: example.slice(0, 1),
      },
    ]
  },
}

function lastEnded(periods: readonly Period[], on: Day): Period | null {
  return (
    periods
      .filter((period) => to(period) < on)
      .sort((a, b) => (to(a) < to(b) ? -1 : 1))
      .at(-1) ?? null
  )
}

const periodAfterEvent: Check = {
  slug: 'period-after-event',
  severity: 'warning',
  why: 'Nobody registers for what is over; a year may be wrong.',
  after: ['EV407', 'EV419'],
  find: ({ config }) =>
    config.fees.periods.flatMap((period, at): Draft[] =>
      period.from !== undefined && period.from > config.to
        ? [
            {
              at: `${periodPath(at)}.from`,
              message: `period \`${period.id}\` starts after the event is over`,
              related: [{ at: 'event.to', message: `the event ends on ${formatDay(config.to)}` }],
            },
          ]
        : [],
    ),
}

/** Every cell of the table as it is written: its category, its column, its place. */
function cellsOf(model: Model) {
  const columns = columnsOf(model)
  return Object.entries(model.file.fees.prices ?? {}).flatMap(([category, row]) => {
    const texts = row.map(
      (_cell, at) => model.source.written(`fees.prices.${category}.${at}`)?.text ?? '',
    )
    return category === 'period'
      ? []
      : row.map((cell, at) => ({
          category,
          column: at,
          period: columns[at] ?? '',
          at: `fees.prices.${category}.${at}`,
          value: cell,
          text: texts[at] ?? '',
          amount: typeof cell === 'number' ? readAmount(texts[at] ?? '') : null,
        }))
  })
}

const notPaise: Check = {
  slug: 'not-paise',
  severity: 'error',
  why: 'Amounts are rupees with at most two decimals; nothing smaller can be paid.',
  find: (model) => {
    const bad = (text: string): Pick<Draft, 'message' | 'help'> => ({
      message: `\`${text}\` is not an amount in rupees and paise`,
      help: 'write digits, and after a point at most two more',
    })
    const cells = cellsOf(model).flatMap(({ at, value, text, amount }): Draft[] =>
      typeof value === 'number' && amount === null ? [{ at, ...bad(text) }] : [],
    )
    const expected = (model.file.examples?.cases ?? []).flatMap((_example, at) =>
      ['base', 'gst', 'total'].flatMap((part): Draft[] => {
        const path = `examples.cases.${at}.expect.${part}`
        const text = model.source.written(path)?.text
        return text === undefined || readAmount(text) !== null ? [] : [{ at: path, ...bad(text) }]
      }),
    )
    const high = cellsOf(model).flatMap(({ at, amount, text }): Draft[] =>
      amount !== null && split(model.config.fees.tax, amount).total > 99_999_999
        ? [
            {
              at,
              message: `\`${text}\` is more than one payment can carry`,
              notes: ['the gateway takes up to ₹ 9,99,999.99, tax included'],
            },
          ]
        : [],
    )
    return [...cells, ...expected, ...high]
  },
}

const AFTER_TABLE = ['EV203', 'EV204', 'EV206', 'EV402', 'EV411']

/** Each priced cell with the one before it in its row, in the order of the periods. */
function steps(model: Model) {
  const order = model.config.fees.periods.map(({ id }) => id)
  const cells = cellsOf(model)
  return cells.flatMap((cell) => {
    const before = order
      .slice(0, order.indexOf(cell.period))
      .reverse()
      .map((id) => cells.find((other) => other.category === cell.category && other.period === id))
      .find((other) => other?.amount != null && other.amount > 0)
    return cell.amount === null || before?.amount == null
      ? []
      : [{ cell, amount: cell.amount, before: before.amount, beforeAt: before.at }]
  })
}

const priceDrops: Check = {
  slug: 'price-drops',
  severity: 'warning',
  why: 'Prices rise with time; a lower one is often a digit too few.',
  after: [...AFTER_TABLE, 'EV406'],
  find: (model) =>
    steps(model).flatMap(({ cell, amount, before, beforeAt }): Draft[] =>
      amount > 0 && amount < before && !isJump(model, beforeAt)
        ? [
            {
              at: cell.at,
              message: `cheaper than in the period before (${plain(before)})`,
              related: [{ at: beforeAt, message: 'the period before' }],
            },
          ]
        : [],
    ),
}

const plain = (amount: Paise): string => formatMoney(amount).replace(/^₹\s*/, '₹')

const priceZero: Check = {
  slug: 'price-zero',
  severity: 'warning',
  why: 'A price of 0 keeps the submit button disabled.',
  after: ['EV411'],
  find: (model) =>
    cellsOf(model).flatMap(({ at, amount }): Draft[] =>
      amount === 0
        ? [
            {
              at,
              message: 'a price of 0 keeps the submit button disabled',
              help: 'write none if it is not on sale then',
            },
          ]
        : [],
    ),
}

/** The cell a price is compared with: the period before in its row, else the middle of its column. */
function jumpOf(model: Model, at: string): number | null {
  const step = steps(model).find(({ cell }) => cell.at === at)
  const cell = cellsOf(model).find((one) => one.at === at)
  if (cell?.amount == null) return null
  if (step !== undefined) return step.amount / step.before
  const column = cellsOf(model)
    .filter((other) => other.period === cell.period && other.amount !== null && other.at !== at)
    .map(({ amount }) => Number(amount))
    .sort((a, b) => a - b)
  const middle = column[Math.floor(column.length / 2)]
  return column.length < 2 || middle === undefined || middle === 0 ? null : cell.amount / middle
}

function isJump(model: Model, at: string): boolean {
  const times = jumpOf(model, at)
  return times !== null && times >= JUMP
}

const priceJump: Check = {
  slug: 'price-jump',
  severity: 'warning',
  why: 'One digit too many, and a delegate pays ten times.',
  after: [...AFTER_TABLE, 'EV406'],
  find: (model) => {
    const first = new Set(steps(model).map(({ cell }) => cell.at))
    return cellsOf(model).flatMap(({ at, amount }): Draft[] => {
      const times = jumpOf(model, at)
      if (amount === null || times === null || times < JUMP) return []
      return [
        {
          at,
          message: `${plain(amount)} is ${Math.round(times)} times ${first.has(at) ? 'the price before' : 'what most others pay'}; is a digit too many?`,
        },
      ]
    })
  },
}

const splitDisagrees: Check = {
  slug: 'split-disagrees',
  severity: 'warning',
  why: 'The form and the result page would name two different bases for one payment.',
  after: AFTER_TABLE,
  find: (model) => {
    const { fees, results } = model.config
    if (results.amounts !== 'split-total') return []
    const differing = cellsOf(model).flatMap(({ at, amount }) => {
      if (amount === null) return []
      const form = split(fees.tax, amount)
      const page = splitTotal(fees.tax, form.total)
      return form.base === page.base ? [] : [{ at, form: form.base, page: page.base }]
    })
    const [one] = differing
    if (one === undefined) return []
    return [
      {
        at: one.at,
        message: `the form shows a base of ${plain(one.form)}, the result page ${plain(one.page)}`,
        related: [{ at: 'results.amounts', message: 'worked back here' }],
        notes: differing.length > 1 ? [`and ${differing.length - 1} more`] : [],
        help: 'leave results.amounts out, or choose prices whose tax is whole rupees',
      },
    ]
  },
}

const taxInPaise: Check = {
  slug: 'tax-in-paise',
  severity: 'note',
  why: 'Totals with paise are right, but nobody prints them on a poster.',
  after: AFTER_TABLE,
  find: (model) => {
    const { tax } = model.config.fees
    if (tax === null || tax.round === 'rupee') return []
    const odd = cellsOf(model).flatMap(({ at, amount }) =>
      amount !== null && split(tax, amount).gst % 100 !== 0
        ? [{ at, gst: split(tax, amount).gst }]
        : [],
    )
    const [one] = odd
    if (one === undefined) return []
    const what =
      tax.prices === 'exclusive' ? 'the total is not whole rupees' : 'the base is not whole rupees'
    return [
      {
        at: one.at,
        message: `${tax.name} of ${plain(one.gst)}: ${what}`,
        notes: odd.length > 1 ? [`and ${odd.length - 1} more`] : [],
        help: 'to round the tax, say round: rupee',
      },
    ]
  },
}

const overlapUnneeded: Check = {
  slug: 'overlap-unneeded',
  severity: 'warning',
  why: 'It would hide the next overlap, which may be a mistake.',
  after: ['EV406', 'EV407'],
  find: (model) =>
    model.file.fees.overlap === 'first' &&
    pairs(model).every(({ earlier, later }) => overlapOf(earlier, later) === null)
      ? [
          {
            at: 'fees.overlap',
            part: 'entry',
            message: 'no periods overlap; this line does nothing',
            help: 'remove it',
          },
        ]
      : [],
}

const windowBackwards: Check = {
  slug: 'window-backwards',
  severity: 'error',
  why: 'Registration that closes before it opens is never open.',
  find: ({ config: { registration } }) =>
    registration.opens !== undefined &&
    registration.closes !== undefined &&
    registration.closes < registration.opens
      ? [
          {
            at: 'registration',
            part: 'key',
            message: 'registration closes before it opens',
            notes: [
              `opens ${formatDay(registration.opens)}, closes ${formatDay(registration.closes)}`,
            ],
          },
        ]
      : [],
}

const eventBackwards: Check = {
  slug: 'event-backwards',
  severity: 'error',
  why: 'A conference lasts at least a day.',
  find: ({ config }) => [
    ...(config.to < config.from
      ? [
          {
            at: 'event.to',
            message: 'the event ends before it starts',
            related: [{ at: 'event.from', message: 'it starts here' }],
          },
        ]
      : []),
    ...(config.to > addDays(config.from, EVENT_DAYS_MAX)
      ? [
          {
            at: 'event.to',
            message: `the event would last more than ${EVENT_DAYS_MAX} days`,
            related: [{ at: 'event.from', message: 'it starts here' }],
            help: 'is a year or a month wrong?',
          },
        ]
      : []),
  ],
}

/** Only with a day to compare with: nothing here reads the clock. */
const eventOver: Check = {
  slug: 'event-over',
  severity: 'warning',
  why: 'An event that is over and still open takes money for nothing.',
  find: ({ config, options }) =>
    options.on !== undefined &&
    isDay(options.on) &&
    config.status === 'open' &&
    config.to < options.on
      ? [
          {
            at: 'event.status',
            message: `the event ended on ${formatDay(config.to)} and is still open`,
            help: 'set status: closed',
          },
        ]
      : [],
}

export const fees = {
  EV401: priceRowMissing,
  EV402: priceRowLength,
  EV404: periodOverlap,
  EV405: periodGap,
  EV406: periodsUnsorted,
  EV407: periodBackwards,
  EV408: periodNeverCounts,
  EV409: priceFallsBack,
  EV410: periodAfterEvent,
  EV411: notPaise,
  EV412: priceDrops,
  EV413: priceZero,
  EV414: priceJump,
  EV415: splitDisagrees,
  EV416: taxInPaise,
  EV417: overlapUnneeded,
  EV418: windowBackwards,
  EV419: eventBackwards,
  EV420: eventOver,
}
