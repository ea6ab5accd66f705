/** The chart of registrations per day, with the dates of price changes. */
import { addDays, day, formatCount, formatDayShort } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { EventStats, StatsResponse } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { addAmounts, formatResponseMoney } from '../ui/format-amount.ts'

type DayFigures = StatsResponse['data']['by_day'][string][number]
/** About four months of days. Longer ranges are drawn by week, so that the bars remain visible. */
const MAX_BARS = 125

type Bar = {
  readonly from: string
  readonly to: string
  readonly registrations: number
  readonly revenue: number
}

/**
 * Returns a bar for each day from the first to the last registration, including days without registrations. If there
 * are too many days, returns a bar for each week.
 */
export function buildBars(
  days: readonly DayFigures[],
  today: string,
  currency: Currency,
): readonly Bar[] {
  const entryByDay = new Map(days.map((entry) => [entry.day, entry]))
  const sortedDays = [...entryByDay.keys()].sort()
  const firstDay = sortedDays[0]
  const lastRegistrationDay = sortedDays.at(-1)
  if (firstDay === undefined || lastRegistrationDay === undefined) return []
  const allDays: DayFigures[] = []
  // The chart ends today while registrations are still arriving, otherwise on the date of the last registration.
  const lastDay =
    addDays(day(lastRegistrationDay), 14) >= today && lastRegistrationDay < today
      ? today
      : lastRegistrationDay
  for (let currentDay = day(firstDay); currentDay <= lastDay; currentDay = addDays(currentDay, 1))
    allDays.push(entryByDay.get(currentDay) ?? { day: currentDay, registrations: 0, revenue: 0 })
  const groupSize = allDays.length > MAX_BARS ? 7 : 1
  const bars: Bar[] = []
  for (let start = 0; start < allDays.length; start += groupSize) {
    const group = allDays.slice(start, start + groupSize)
    bars.push({
      from: group[0]?.day ?? firstDay,
      to: group.at(-1)?.day ?? lastRegistrationDay,
      registrations: group.reduce((sum, entry) => sum + entry.registrations, 0),
      revenue: addAmounts(
        group.map((entry) => entry.revenue),
        currency,
      ),
    })
  }
  return bars
}

const formatPeriod = (bar: Bar): string =>
  bar.from === bar.to
    ? formatDayShort(day(bar.from))
    : `the week from ${formatDayShort(day(bar.from))}`

const describePeriod = (bar: Bar): string =>
  bar.from === bar.to ? `day ${formatPeriod(bar)}` : `week from ${formatDayShort(day(bar.from))}`

/**
 * Returns a text alternative for the chart: the total for the whole period, the busiest day or week, the highest
 * revenue, and today's registrations.
 */
export function describeBars(
  bars: readonly Bar[],
  title: string,
  today: string,
  currency: Currency,
): string {
  const firstBar = bars[0]
  const lastBar = bars.at(-1)
  if (firstBar === undefined || lastBar === undefined) return `${title}: no registrations yet.`
  const busiestBar = bars.reduce((currentBest, bar) =>
    bar.registrations > currentBest.registrations ? bar : currentBest,
  )
  const topRevenueBar = bars.reduce((currentBest, bar) =>
    bar.revenue > currentBest.revenue ? bar : currentBest,
  )
  const total = bars.reduce((sum, bar) => sum + bar.registrations, 0)
  const countText = `${formatCount(total)} ${total === 1 ? 'registration' : 'registrations'}`
  if (firstBar.from === lastBar.to) {
    const revenue =
      firstBar.revenue > 0 ? `; revenue ${formatResponseMoney(firstBar.revenue, currency)}` : ''
    return `${countText} on ${formatPeriod(firstBar)}${revenue}.`
  }
  const parts = [
    `${countText} from ${formatDayShort(day(firstBar.from))} to ${formatDayShort(day(lastBar.to))}; busiest ${describePeriod(busiestBar)} (${formatCount(busiestBar.registrations)})`,
  ]
  if (topRevenueBar.revenue > 0)
    parts.push(
      `highest revenue ${topRevenueBar.from === topRevenueBar.to ? 'on' : 'in'} ${formatPeriod(topRevenueBar)} (${formatResponseMoney(topRevenueBar.revenue, currency)})`,
    )
  if (lastBar.to === today && lastBar.from === lastBar.to)
    parts.push(`${formatCount(lastBar.registrations)} today`)
  return `${parts.join('; ')}.`
}

type OtherRevenue = NonNullable<EventStats['other_currencies']>[number]

/** States the highest revenue in each other currency of the event, which the bars do not show. */
export function describeOtherRevenue(otherRevenues: readonly OtherRevenue[]): string {
  return otherRevenues
    .flatMap((other) => {
      const [firstEntry, ...otherDetails] = other.by_day ?? []
      if (firstEntry === undefined) return []
      const topEntry = otherDetails.reduce(
        (highest, entry) => (entry.revenue > highest.revenue ? entry : highest),
        firstEntry,
      )
      return topEntry.revenue <= 0
        ? []
        : [
            ` Highest revenue in ${other.currency} on ${formatDayShort(day(topEntry.day))} (${formatResponseMoney(topEntry.revenue, readResponseCurrency(other))}).`,
          ]
    })
    .join('')
}

export type PriceChange = { readonly day: string; readonly label: string }

/** Returns the price changes within the chart, each with the index of its first bar. */
export function locatePriceChanges(
  bars: readonly Bar[],
  steps: readonly PriceChange[],
): readonly (PriceChange & { readonly barIndex: number })[] {
  return steps.flatMap((step) => {
    const barIndex = bars.findIndex(({ from, to }) => from <= step.day && step.day <= to)
    return barIndex > 0 ? [{ ...step, barIndex }] : []
  })
}

/** Describes the price changes. Returns an empty string if there are none. */
export function describePriceChanges(steps: readonly PriceChange[]): string {
  if (steps.length === 0) return ''
  const changes = steps.map(
    ({ day: stepDay, label }) => `${formatDayShort(day(stepDay))} (${label})`,
  )
  return ` Prices changed on ${changes.join(', ')}.`
}

type RegistrationsChartProps = {
  readonly title: string
  readonly days: readonly DayFigures[]
  readonly otherRevenues: readonly OtherRevenue[]
  /** Dates from which new prices apply. */
  readonly steps: readonly PriceChange[]
  readonly today: string
  readonly currency: Currency
  /** Whether to also draw the payments of each day, less refunds. */
  readonly showsRevenue?: boolean
}

/**
 * Shows registrations per day, with the price changes. The sentence below it gives the same
 * information as text.
 */
export function RegistrationsChart({
  title,
  days,
  otherRevenues,
  steps,
  today,
  currency,
  showsRevenue = false,
}: RegistrationsChartProps) {
  const bars = buildBars(days, today, currency)
  const sentence = describeBars(bars, title, today, currency)
  if (bars.length === 0) return <p className="mute no-chart">{sentence}</p>
  const unit = bars.some(({ from, to }) => from !== to) ? 'week' : 'day'
  const visiblePriceChanges = locatePriceChanges(bars, steps)
  return (
    <figure className="plots">
      <BarChart
        caption={`Registrations per ${unit}`}
        bars={bars.map((bar) => ({ ...bar, value: bar.registrations }))}
        format={formatCount}
        steps={visiblePriceChanges}
        today={today}
      />
      {showsRevenue && bars.some(({ revenue }) => revenue > 0) && (
        <BarChart
          caption={`Received per ${unit}, less refunds`}
          bars={bars.map((bar) => ({ ...bar, value: bar.revenue }))}
          format={(amount) => formatResponseMoney(amount, currency)}
          steps={visiblePriceChanges}
          today={today}
        />
      )}
      <figcaption>
        {sentence}
        {describeOtherRevenue(otherRevenues)}
        {describePriceChanges(visiblePriceChanges)}
      </figcaption>
    </figure>
  )
}

/** The units of the drawing, which is stretched to the width of the page. */
const PLOT_WIDTH = 400
const PLOT_HEIGHT = 80

/** Minimum distance between the labels of price changes; the sentence below lists all of them. */
const MIN_PRICE_CHANGE_GAP = 70

type BarsProps = {
  readonly caption: string
  readonly bars: readonly (Bar & { readonly value: number })[]
  readonly format: (value: number) => string
  readonly steps: ReturnType<typeof locatePriceChanges>
  readonly today: string
}

/**
 * Shows the bars. The labels are text outside the drawing, so that their size is constant and their contrast can be
 * measured.
 */
function BarChart({ caption, bars, format, steps, today }: BarsProps) {
  const maximum = roundUpForAxis(Math.max(1, ...bars.map(({ value }) => value)))
  const barStep = PLOT_WIDTH / bars.length
  const width = Math.max(1.5, Math.min(22, barStep * 0.74))
  const computeYPosition = (value: number) => PLOT_HEIGHT * (1 - value / maximum)
  return (
    <div className="plot" aria-hidden="true">
      <p className="cap">{caption}</p>
      <div className="axis-labels">
        {steps.map(({ day: stepDay, barIndex }, index) => {
          const x = barIndex * barStep
          const next = steps[index + 1]
          if (next !== undefined && (next.barIndex - barIndex) * barStep < MIN_PRICE_CHANGE_GAP)
            return null
          return (
            <span
              key={stepDay}
              className={PLOT_WIDTH - x < MIN_PRICE_CHANGE_GAP ? 'before' : undefined}
              style={{ left: `${(100 * x) / PLOT_WIDTH}%` }}
            >
              {formatDayShort(day(stepDay)).replace(/ \d{4}$/, '')}
            </span>
          )
        })}
      </div>
      <div className="ys">
        {[maximum, maximum / 2, 0].map((value) => (
          <span key={value}>{format(value)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`} preserveAspectRatio="none">
        {[maximum, maximum / 2].map((value) => (
          <line
            key={value}
            x1={0}
            x2={PLOT_WIDTH}
            y1={computeYPosition(value)}
            y2={computeYPosition(value)}
            className="grid"
          />
        ))}
        {bars.map(
          ({ value, from, to }, index) =>
            value > 0 && (
              <rect
                key={from}
                x={index * barStep + (barStep - width) / 2}
                width={width}
                y={computeYPosition(value)}
                height={PLOT_HEIGHT - computeYPosition(value)}
                className={to >= today && from <= today ? 'bar now' : 'bar'}
              />
            ),
        )}
        {steps.map(({ day: stepDay, barIndex }) => {
          const x = barIndex * barStep
          return <line key={stepDay} x1={x} x2={x} y1={0} y2={PLOT_HEIGHT} className="step" />
        })}
        <line x1={0} x2={PLOT_WIDTH} y1={PLOT_HEIGHT} y2={PLOT_HEIGHT} className="axis" />
      </svg>
      <p className="xs">
        {listAxisLabels(bars).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
    </div>
  )
}

/** Returns the first and last day and, if there is room, the middle one. */
function listAxisLabels(bars: readonly Bar[]): readonly string[] {
  const labelledBars =
    bars.length > 4
      ? [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)]
      : [bars[0], bars.at(-1)]
  const labels = labelledBars.flatMap((bar) =>
    bar === undefined ? [] : [formatDayShort(day(bar.from))],
  )
  return [...new Set(labels)]
}

/**
 * Rounds up to 1, 2, 4, 5 or 10 times a power of ten. A result of 1 is raised to 2, and 5 to 6, so that half of it is a
 * whole number.
 */
function roundUpForAxis(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const roundedValue =
    [1, 2, 4, 5, 10].map((multiple) => multiple * power).find((candidate) => candidate >= value) ??
    value
  return roundedValue < 2 ? 2 : roundedValue === 5 ? 6 : roundedValue
}
