/** The chart of registrations per day, with the days of price changes. */
import { addDays, day, formatCount, formatDayShort } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { EventStats, StatsResponse } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { addAmounts, formatResponseMoney } from '../ui/format-amount.ts'

type DayFigures = StatsResponse['data']['by_day'][string][number]
/** About four months of days. A longer range is drawn in weeks, so that the bars remain visible. */
const BARS_MAX = 125

type Bar = {
  readonly from: string
  readonly to: string
  readonly registrations: number
  readonly revenue: number
}

/**
 * Returns a bar for every day from the first to the last registration, including empty days.
 * Returns weeks if there are too many days.
 */
export function buildBars(
  days: readonly DayFigures[],
  today: string,
  currency: Currency,
): readonly Bar[] {
  const entryByDay = new Map(days.map((entry) => [entry.day, entry]))
  const sortedDays = [...entryByDay.keys()].sort()
  const first = sortedDays[0]
  const last = sortedDays.at(-1)
  if (first === undefined || last === undefined) return []
  const allDays: DayFigures[] = []
  // Ends today while registrations are still arriving; otherwise on the day of the last
  // registration.
  const lastDay = addDays(day(last), 14) >= today && last < today ? today : last
  for (let currentDay = day(first); currentDay <= lastDay; currentDay = addDays(currentDay, 1))
    allDays.push(entryByDay.get(currentDay) ?? { day: currentDay, registrations: 0, revenue: 0 })
  const groupSize = allDays.length > BARS_MAX ? 7 : 1
  const bars: Bar[] = []
  for (let start = 0; start < allDays.length; start += groupSize) {
    const group = allDays.slice(start, start + groupSize)
    bars.push({
      from: group[0]?.day ?? first,
      to: group.at(-1)?.day ?? last,
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
 * Returns a text alternative for the chart: the total and its period, the maximum and its day, and
 * today.
 */
export function describeBars(
  bars: readonly Bar[],
  title: string,
  today: string,
  currency: Currency,
): string {
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return `${title}: no registrations yet.`
  const busiestBar = bars.reduce((currentBest, bar) =>
    bar.registrations > currentBest.registrations ? bar : currentBest,
  )
  const topRevenueBar = bars.reduce((currentBest, bar) =>
    bar.revenue > currentBest.revenue ? bar : currentBest,
  )
  const total = bars.reduce((sum, bar) => sum + bar.registrations, 0)
  const countText = `${formatCount(total)} ${total === 1 ? 'registration' : 'registrations'}`
  if (first.from === last.to) {
    const revenue =
      first.revenue > 0 ? `; revenue ${formatResponseMoney(first.revenue, currency)}` : ''
    return `${countText} on ${formatPeriod(first)}${revenue}.`
  }
  const parts = [
    `${countText} from ${formatDayShort(day(first.from))} to ${formatDayShort(day(last.to))}; busiest ${describePeriod(busiestBar)} (${formatCount(busiestBar.registrations)})`,
  ]
  if (topRevenueBar.revenue > 0)
    parts.push(
      `highest revenue ${topRevenueBar.from === topRevenueBar.to ? 'on' : 'in'} ${formatPeriod(topRevenueBar)} (${formatResponseMoney(topRevenueBar.revenue, currency)})`,
    )
  if (last.to === today && last.from === last.to)
    parts.push(`${formatCount(last.registrations)} today`)
  return `${parts.join('; ')}.`
}

type OtherRevenue = NonNullable<EventStats['other_currencies']>[number]

/** States the highest revenue in each other currency of the event, which is in none of the bars. */
export function describeOtherRevenue(others: readonly OtherRevenue[]): string {
  return others
    .flatMap((other) => {
      const [first, ...more] = other.by_day ?? []
      if (first === undefined) return []
      const top = more.reduce((best, entry) => (entry.revenue > best.revenue ? entry : best), first)
      return top.revenue <= 0
        ? []
        : [
            ` Highest revenue in ${other.currency} on ${formatDayShort(day(top.day))} (${formatResponseMoney(top.revenue, readResponseCurrency(other))}).`,
          ]
    })
    .join('')
}

export type PriceStep = { readonly day: string; readonly label: string }

/**
 * Returns the price changes within the chart, each with the index of the bar in which it begins.
 */
export function locateSteps(
  bars: readonly Bar[],
  steps: readonly PriceStep[],
): readonly (PriceStep & { readonly barIndex: number })[] {
  return steps.flatMap((step) => {
    const barIndex = bars.findIndex(({ from, to }) => from <= step.day && step.day <= to)
    return barIndex > 0 ? [{ ...step, barIndex }] : []
  })
}

/** Describes the price changes. Empty if the chart contains none. */
export function describeSteps(steps: readonly PriceStep[]): string {
  if (steps.length === 0) return ''
  const changes = steps.map(
    ({ day: stepDay, label }) => `${formatDayShort(day(stepDay))} (${label})`,
  )
  return ` Prices changed on ${changes.join(', ')}.`
}

type RegistrationsChartProps = {
  readonly title: string
  readonly days: readonly DayFigures[]
  readonly others: readonly OtherRevenue[]
  /** Days from which new prices apply. */
  readonly steps: readonly PriceStep[]
  readonly today: string
  readonly currency: Currency
}

/**
 * Shows registrations per day, with the price changes. The sentence below it gives the same
 * information as text.
 */
export function RegistrationsChart({
  title,
  days,
  others,
  steps,
  today,
  currency,
}: RegistrationsChartProps) {
  const bars = buildBars(days, today, currency)
  const sentence = describeBars(bars, title, today, currency)
  if (bars.length === 0) return <p className="mute plotless">{sentence}</p>
  const unit = bars.some(({ from, to }) => from !== to) ? 'week' : 'day'
  const visibleSteps = locateSteps(bars, steps)
  return (
    <figure className="plots">
      <Bars caption={`Registrations per ${unit}`} bars={bars} steps={visibleSteps} today={today} />
      <figcaption>
        {sentence}
        {describeOtherRevenue(others)}
        {describeSteps(visibleSteps)}
      </figcaption>
    </figure>
  )
}

const CHART_WIDTH = 440
const PLOT_LEFT = 46
const PLOT_HEIGHT = 74
const PLOT_TOP = 34

/** Minimum distance between the labels of price changes; the sentence below lists all of them. */
const STEP_GAP = 70

type BarsProps = {
  readonly caption: string
  readonly bars: readonly Bar[]
  readonly steps: ReturnType<typeof locateSteps>
  readonly today: string
}

function Bars({ caption, bars, steps, today }: BarsProps) {
  const maximum = roundUpForAxis(Math.max(1, ...bars.map(({ registrations }) => registrations)))
  const barStep = (CHART_WIDTH - PLOT_LEFT) / bars.length
  const width = Math.max(1.5, Math.min(22, barStep * 0.74))
  const bottom = PLOT_TOP + PLOT_HEIGHT
  const yPosition = (value: number) => bottom - (value / maximum) * PLOT_HEIGHT
  return (
    <svg className="plot" viewBox={`0 0 ${CHART_WIDTH} ${bottom + 24}`} aria-hidden="true">
      <text x={0} y={14} className="cap">
        {caption}
      </text>
      {[maximum, maximum / 2].map((value) => (
        <g key={value}>
          <line
            x1={PLOT_LEFT}
            x2={CHART_WIDTH}
            y1={yPosition(value)}
            y2={yPosition(value)}
            className="grid"
          />
          <text x={PLOT_LEFT - 8} y={yPosition(value) + 4} textAnchor="end">
            {formatCount(value)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => {
        const value = bar.registrations
        return (
          value > 0 && (
            <rect
              key={bar.from}
              x={PLOT_LEFT + index * barStep + (barStep - width) / 2}
              width={width}
              y={yPosition(value)}
              height={bottom - yPosition(value)}
              className={bar.to >= today && bar.from <= today ? 'bar now' : 'bar'}
            />
          )
        )
      })}
      {steps.map(({ day: stepDay, barIndex }, index) => {
        const x = PLOT_LEFT + barIndex * barStep
        const next = steps[index + 1]
        const hasRoom = next === undefined || (next.barIndex - barIndex) * barStep >= STEP_GAP
        const isNearEdge = CHART_WIDTH - x < STEP_GAP
        return (
          <g key={stepDay}>
            <line x1={x} x2={x} y1={PLOT_TOP - 12} y2={bottom} className="step" />
            {hasRoom && (
              <text
                x={isNearEdge ? x - 5 : x + 5}
                y={PLOT_TOP - 4}
                textAnchor={isNearEdge ? 'end' : 'start'}
                className="when"
              >
                {formatDayShort(day(stepDay)).replace(/ \d{4}$/, '')}
              </text>
            )}
          </g>
        )
      })}
      <line x1={PLOT_LEFT} x2={CHART_WIDTH} y1={bottom} y2={bottom} className="axis" />
      {axisLabels(bars).map(({ index, text, anchor }) => (
        <text
          key={index}
          x={
            anchor === 'end'
              ? CHART_WIDTH
              : PLOT_LEFT + (index + (anchor === 'start' ? 0 : 0.5)) * barStep
          }
          y={bottom + 18}
          textAnchor={anchor}
        >
          {text}
        </text>
      ))}
    </svg>
  )
}

/** Returns the first and last day and, if there is room, the middle one. */
function axisLabels(
  bars: readonly Bar[],
): readonly { index: number; text: string; anchor: 'start' | 'middle' | 'end' }[] {
  const shortDay = (bar: Bar | undefined) =>
    bar === undefined ? '' : formatDayShort(day(bar.from))
  if (bars.length === 1) return [{ index: 0, text: shortDay(bars[0]), anchor: 'middle' }]
  const middle = Math.floor(bars.length / 2)
  return [
    { index: 0, text: shortDay(bars[0]), anchor: 'start' },
    ...(bars.length > 4
      ? [{ index: middle, text: shortDay(bars[middle]), anchor: 'middle' as const }]
      : []),
    { index: bars.length - 1, text: shortDay(bars.at(-1)), anchor: 'end' },
  ]
}

/** Rounds up to 1, 2, 4, 5 or 10 times a power of ten; 1 becomes 2 and 5 becomes 6. */
function roundUpForAxis(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const rounded =
    [1, 2, 4, 5, 10].map((multiple) => multiple * power).find((candidate) => candidate >= value) ??
    value
  return rounded < 2 ? 2 : rounded === 5 ? 6 : rounded
}
