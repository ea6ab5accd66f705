/** The chart of registrations per day, with the days of price changes. */
import { addDays, day, formatCount, formatDayShort } from '../../../engine/index.ts'
import type { StatsAnswer } from '../../../engine/api.ts'
import { formatRupees } from '../lists/list-table.tsx'

type Entry = StatsAnswer['data']['by_day'][string][number]
/** Four months of days; a longer range is drawn in weeks, so that the bars remain visible. */
const BARS_MAX = 125

type Bar = {
  readonly from: string
  readonly to: string
  readonly registrations: number
  readonly revenue: number
}

/**
 * Every day between the first and the last with registrations, including empty ones; weeks if there
 * are too many days.
 */
export function barsOf(days: readonly Entry[], today: string): readonly Bar[] {
  const known = new Map(days.map((entry) => [entry.day, entry]))
  const sorted = [...known.keys()].sort()
  const first = sorted[0]
  const last = sorted.at(-1)
  if (first === undefined || last === undefined) return []
  const every: Entry[] = []
  // Ends today while registrations are still arriving; for a past conference, with its last day.
  const end = addDays(day(last), 14) >= today && last < today ? today : last
  for (let at = day(first); at <= end; at = addDays(at, 1))
    every.push(known.get(at) ?? { day: at, registrations: 0, revenue: 0 })
  const size = every.length > BARS_MAX ? 7 : 1
  const bars: Bar[] = []
  for (let start = 0; start < every.length; start += size) {
    const span = every.slice(start, start + size)
    bars.push({
      from: span[0]?.day ?? first,
      to: span.at(-1)?.day ?? last,
      registrations: span.reduce((sum, entry) => sum + entry.registrations, 0),
      revenue: span.reduce((sum, entry) => sum + Math.round(entry.revenue * 100), 0) / 100,
    })
  }
  return bars
}

const span = (bar: Bar): string =>
  bar.from === bar.to
    ? formatDayShort(day(bar.from))
    : `the week from ${formatDayShort(day(bar.from))}`

const spanOf = (bar: Bar): string =>
  bar.from === bar.to ? `day ${span(bar)}` : `week from ${formatDayShort(day(bar.from))}`

/** Text alternative of the chart: the total and its period, the maximum and its day, and today. */
export function sentenceOf(bars: readonly Bar[], title: string, today: string): string {
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return `${title}: no registrations yet.`
  const most = bars.reduce((best, bar) => (bar.registrations > best.registrations ? bar : best))
  const richest = bars.reduce((best, bar) => (bar.revenue > best.revenue ? bar : best))
  const total = bars.reduce((sum, bar) => sum + bar.registrations, 0)
  const counted = `${formatCount(total)} ${total === 1 ? 'registration' : 'registrations'}`
  if (first.from === last.to) {
    const revenue = first.revenue > 0 ? `; revenue ${formatRupees(first.revenue, true)}` : ''
    return `${counted} on ${span(first)}${revenue}.`
  }
  const parts = [
    `${counted} from ${formatDayShort(day(first.from))} to ${formatDayShort(day(last.to))}; busiest ${spanOf(most)} (${formatCount(most.registrations)})`,
  ]
  if (richest.revenue > 0)
    parts.push(
      `highest revenue ${richest.from === richest.to ? 'on' : 'in'} ${span(richest)} (${formatRupees(richest.revenue, true)})`,
    )
  if (last.to === today && last.from === last.to)
    parts.push(`${formatCount(last.registrations)} today`)
  return `${parts.join('; ')}.`
}

export type Step = { readonly day: string; readonly label: string }

/** Price changes within the chart, each with the bar in which it begins. */
export function stepsIn(
  bars: readonly Bar[],
  steps: readonly Step[],
): readonly (Step & { readonly at: number })[] {
  return steps.flatMap((step) => {
    const at = bars.findIndex(({ from, to }) => from <= step.day && step.day <= to)
    return at > 0 ? [{ ...step, at }] : []
  })
}

/** Price changes as text; empty if the chart contains none. */
export function stepsSentence(steps: readonly Step[]): string {
  if (steps.length === 0) return ''
  const said = steps.map(({ day: on, label }) => `${formatDayShort(day(on))} (${label})`)
  return ` Prices changed on ${said.join(', ')}.`
}

type PlotProps = {
  readonly title: string
  readonly days: readonly Entry[]
  /** Days from which new prices apply. */
  readonly steps: readonly Step[]
  readonly today: string
}

/**
 * Registrations by day, with the price changes. The sentence below gives the same information to
 * everyone.
 */
export function Plot({ title, days, steps, today }: PlotProps) {
  const bars = barsOf(days, today)
  const sentence = sentenceOf(bars, title, today)
  if (bars.length === 0) return <p className="mute plotless">{sentence}</p>
  const unit = bars.some(({ from, to }) => from !== to) ? 'week' : 'day'
  const marked = stepsIn(bars, steps)
  return (
    <figure className="plots">
      <Bars caption={`Registrations per ${unit}`} bars={bars} steps={marked} today={today} />
      <figcaption>
        {sentence}
        {stepsSentence(marked)}
      </figcaption>
    </figure>
  )
}

const WIDTH = 440
const LEFT = 46
const HEIGHT = 74
const TOP = 34

/** Minimum distance between the labels of price changes; the sentence below lists all of them. */
const STEP_GAP = 70

type BarsProps = {
  readonly caption: string
  readonly bars: readonly Bar[]
  readonly steps: ReturnType<typeof stepsIn>
  readonly today: string
}

function Bars({ caption, bars, steps, today }: BarsProps) {
  const top = niceMax(Math.max(1, ...bars.map(({ registrations }) => registrations)))
  const step = (WIDTH - LEFT) / bars.length
  const width = Math.max(1.5, Math.min(22, step * 0.74))
  const bottom = TOP + HEIGHT
  const y = (value: number) => bottom - (value / top) * HEIGHT
  return (
    <svg className="plot" viewBox={`0 0 ${WIDTH} ${bottom + 24}`} aria-hidden="true">
      <text x={0} y={14} className="cap">
        {caption}
      </text>
      {[top, top / 2].map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} className="grid" />
          <text x={LEFT - 8} y={y(value) + 4} textAnchor="end">
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
              x={LEFT + index * step + (step - width) / 2}
              width={width}
              y={y(value)}
              height={bottom - y(value)}
              className={bar.to >= today && bar.from <= today ? 'bar now' : 'bar'}
            />
          )
        )
      })}
      {steps.map(({ day: on, at }, index) => {
        const x = LEFT + at * step
        const next = steps[index + 1]
        const hasRoom = next === undefined || (next.at - at) * step >= STEP_GAP
        const isLate = WIDTH - x < STEP_GAP
        return (
          <g key={on}>
            <line x1={x} x2={x} y1={TOP - 12} y2={bottom} className="step" />
            {hasRoom && (
              <text
                x={isLate ? x - 5 : x + 5}
                y={TOP - 4}
                textAnchor={isLate ? 'end' : 'start'}
                className="when"
              >
                {formatDayShort(day(on)).replace(/ \d{4}$/, '')}
              </text>
            )}
          </g>
        )
      })}
      <line x1={LEFT} x2={WIDTH} y1={bottom} y2={bottom} className="axis" />
      {axisDays(bars).map(({ index, text, anchor }) => (
        <text
          key={index}
          x={anchor === 'end' ? WIDTH : LEFT + (index + (anchor === 'start' ? 0 : 0.5)) * step}
          y={bottom + 18}
          textAnchor={anchor}
        >
          {text}
        </text>
      ))}
    </svg>
  )
}

/** First and last day and, if there is room, the middle. */
function axisDays(
  bars: readonly Bar[],
): readonly { index: number; text: string; anchor: 'start' | 'middle' | 'end' }[] {
  const short = (bar: Bar | undefined) => (bar === undefined ? '' : formatDayShort(day(bar.from)))
  if (bars.length === 1) return [{ index: 0, text: short(bars[0]), anchor: 'middle' }]
  const middle = Math.floor(bars.length / 2)
  return [
    { index: 0, text: short(bars[0]), anchor: 'start' },
    ...(bars.length > 4
      ? [{ index: middle, text: short(bars[middle]), anchor: 'middle' as const }]
      : []),
    { index: bars.length - 1, text: short(bars.at(-1)), anchor: 'end' },
  ]
}

/** The next of 1, 2, 4, 5, 10 … times a power of ten, even if half of it is not a whole number. */
function niceMax(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const found = [1, 2, 4, 5, 10].map((step) => step * power).find((nice) => nice >= value) ?? value
  return found < 2 ? 2 : found === 5 ? 6 : found
}
