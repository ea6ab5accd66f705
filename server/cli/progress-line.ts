/** Shows the progress of a long command: one redrawn line on a terminal, otherwise one line per step. */
import { SingleBar } from 'cli-progress'
import { formatCount } from '../../engine/index.ts'
import { onProgress } from '../ops/progress.ts'
import type { ProgressReport } from '../ops/progress.ts'
import type { Terminal } from './command.ts'

/** A rate measured over a shorter time is too inaccurate. */
const MIN_RATE_MS = 1_000
const BAR_WIDTH = 20

/** Runs a task whose functions report progress. The line is removed from the terminal at the end. */
export async function showProgress<T>(
  { progressStream: stream }: Pick<Terminal, 'progressStream'>,
  task: () => Promise<T>,
): Promise<T> {
  if (stream === undefined) return task()
  let currentStep = ''
  const bars: SingleBar[] = []
  const stopListening = onProgress((report) => {
    if (report.step !== currentStep) {
      currentStep = report.step
      bars.pop()?.stop()
      if (stream.isTTY) bars.push(startBar(stream, report))
      else stream.write(`${report.step}: ${formatCount(report.total)}\n`)
    }
    bars[0]?.update(report.done)
  })
  try {
    return await task()
  } finally {
    stopListening()
    bars.pop()?.stop()
  }
}

function startBar(
  stream: NodeJS.WriteStream,
  { step, total }: Omit<ProgressReport, 'done'>,
): SingleBar {
  const startedAt = performance.now()
  const bar = new SingleBar({
    stream,
    hideCursor: true,
    clearOnComplete: true,
    format: (_options, { progress, value }) => {
      const filledWidth = Math.round(progress * BAR_WIDTH)
      const barText = '█'.repeat(filledWidth) + '░'.repeat(BAR_WIDTH - filledWidth)
      const elapsedMs = performance.now() - startedAt
      const line = `${step} ${barText} ${Math.floor(progress * 100)}% · ${formatCount(value)} of ${formatCount(total)}`
      if (elapsedMs < MIN_RATE_MS || value === 0) return line
      const perSecond = (value / elapsedMs) * 1000
      return `${line} · ${formatRate(perSecond)} · ${formatDuration((total - value) / perSecond)} left`
    },
  })
  bar.start(total, 0)
  return bar
}

const formatRate = (perSecond: number): string =>
  perSecond < 1
    ? `${formatCount(Math.round(perSecond * 60))} a minute`
    : `${formatCount(Math.round(perSecond))} a second`

/** Formats whole seconds below a minute, and whole minutes above: “40 s”, “3 min”. */
const formatDuration = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
