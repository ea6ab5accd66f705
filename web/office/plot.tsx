/** Registrations per day as bars, with the days on which the price changed. */
import { addDays, day, formatCount, formatDay, formatDayShort } from '../../engine/index.ts'
import type { StatsAnswer } from '../../engine/index.ts'
import { moneyOf } from './rows.tsx'

type Entry = StatsAnswer['data']['by_day'][string][number]
/** Four months of days; a longer time is drawn in weeks, so that a bar stays wide enough to see. */
const BARS_MAX = 125

type Bar = {
  readonly from: string
  readonly to: string
  readonly registrations: number
  readonly revenue: number
}

/** Every day between the first and the last with anything on it, empty ones too; weeks when there are too many. */
export function barsOf(days: readonly Entry[], today: string): readonly Bar[] {
  const known = new Map(days.map((entry) => [entry.day, entry]))
  const sorted = [...known.keys()].sort()
  const first = sorted[0]
  const last = sorted.at(-1)
  if (first === undefined || last === undefined) return []
  const every: Entry[] = []
  // Up to today while registrations are still coming in; a conference long over ends with its last day.
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
  bar.from === bar.to ? formatDay(day(bar.from)) : `the week from ${formatDay(day(bar.from))}`

/** The plot in words: how many over what time, the most on which day, and today. */
export function sentenceOf(bars: readonly Bar[], title: string, today: string): string {
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return `${title}: no registrations yet.`
  const most = bars.reduce((best, bar) => (bar.registrations > best.registrations ? bar : best))
  const richest = bars.reduce((best, bar) => (bar.revenue > best.revenue ? bar : best))
  const total = bars.reduce((sum, bar) => sum + bar.registrations, 0)
  const parts = [
    `${formatCount(total)} registrations from ${formatDay(day(first.from))} to ${formatDay(day(last.to))}; the most, ${formatCount(most.registrations)}, ${most.from === most.to ? 'on' : 'in'} ${span(most)}`,
  ]
  if (richest.revenue > 0)
    parts.push(
      `the highest revenue, ${moneyOf(richest.revenue, true)}, ${richest.from === richest.to ? 'on' : 'in'} ${span(richest)}`,
    )
  if (last.to === today && last.from === last.to)
    parts.push(`${formatCount(last.registrations)} today`)
  return `${parts.join('; ')}.`
}

/** Registrations above, revenue below, on one time axis. The sentence beneath says the same to everybody. */
export function Plot({
  title,
  days,
  today,
}: {
  readonly title: string
  readonly days: readonly Entry[]
  readonly today: string
}) {
  const bars = barsOf(days, today)
  const sentence = sentenceOf(bars, title, today)
  if (bars.length === 0) return <p className="mute plotless">{sentence}</p>
  const unit = bars.some(({ from, to }) => from !== to) ? 'week' : 'day'
  return (
    <figure className="plots">
      <h3>Per {unit}</h3>
      <div className="pair">
        <Bars
          caption="Registrations"
          bars={bars}
          valueOf={(bar) => bar.registrations}
          textOf={(value) => formatCount(value)}
          today={today}
        />
        <Bars
          caption="Revenue"
          bars={bars}
          valueOf={(bar) => bar.revenue}
          textOf={shortMoney}
          today={today}
        />
      </div>
      <figcaption>{sentence}</figcaption>
    </figure>
  )
}

const WIDTH = 440
const LEFT = 46
const HEIGHT = 74
const TOP = 34

type BarsProps = {
  readonly caption: string
  readonly bars: readonly Bar[]
  readonly valueOf: (bar: Bar) => number
  readonly textOf: (value: number) => string
  readonly today: string
}

function Bars({ caption, bars, valueOf, textOf, today }: BarsProps) {
  const top = niceMax(Math.max(1, ...bars.map(valueOf)))
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
            {textOf(value)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => {
        const value = valueOf(bar)
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

/** First, last and, where there is room, the middle. */
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

/** The next of 1, 2, 4, 5, 10 … times a power of ten, even where halves would not be whole. */
function niceMax(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const found = [1, 2, 4, 5, 10].map((step) => step * power).find((nice) => nice >= value) ?? value
  return found < 2 ? 2 : found === 5 ? 6 : found
}

/** Indian short form: 45K, 1.2L, 3Cr. */
function shortMoney(rupees: number): string {
  const units = [
    [10_000_000, 'Cr'],
    [100_000, 'L'],
    [1000, 'K'],
  ] as const
  const unit = units.find(([size]) => rupees >= size)
  return unit === undefined
    ? String(rupees)
    : `${Math.round((rupees / unit[0]) * 10) / 10}${unit[1]}`
}
