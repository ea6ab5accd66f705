/**
 * Checks a hundred thousand broken texts, with a fixed seed. The checker must never throw or take long, and must reject
 * exactly the texts for which it reports a reason. `node tests/mutants/texts.ts 5000` tries fewer; `npm test` tries a
 * thousand (tests/engine/authoring).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { showProgress } from '../../server/cli/progress-line.ts'
import { reportProgress } from '../../server/ops/progress.ts'
import { compileEvent, formatFindings, type SharedFiles } from '../../engine/authoring.ts'
import { anyText, breakFiles } from '../engine/authoring/broken-files.ts'

const EVENTS_FOLDER = join(import.meta.dirname, '..', '..', 'events')
const readSource = (path: string) => ({
  path,
  text: readFileSync(join(EVENTS_FOLDER, path), 'utf8'),
})
const shared: SharedFiles = {
  lists: readSource('_shared/lists.yaml'),
  gateways: readSource('_shared/gateways.yaml'),
  texts: readSource('_shared/texts.yaml'),
}
const RUN_COUNT = Number(process.argv[2] ?? 100_000)
/** A whole file takes about twenty milliseconds. A hundred times as long counts as a hang. */
const MAX_MS = 5000

const sources = readdirSync(EVENTS_FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .sort()
  .map((name) => readSource(name).text)
let slowestMs = 0
let triedCount = 0
const isConsistent = (text: string): boolean => {
  reportProgress({
    step: 'Checking broken texts',
    done: Math.min(triedCount, RUN_COUNT),
    total: RUN_COUNT,
  })
  triedCount += 1
  const startedAt = performance.now()
  const { event, findings } = compileEvent(text, shared, { path: 'event.yaml' })
  formatFindings(findings, new Map([['event.yaml', text]]))
  slowestMs = Math.max(slowestMs, performance.now() - startedAt)
  return (
    (event === null) === findings.some(({ severity }) => severity === 'error') &&
    performance.now() - startedAt < MAX_MS
  )
}
await showProgress({ progressStream: process.stderr }, async () =>
  fc.assert(
    fc.property(
      fc.oneof({ arbitrary: breakFiles(sources), weight: 3 }, { arbitrary: anyText, weight: 2 }),
      isConsistent,
    ),
    { seed: 20261121, numRuns: RUN_COUNT },
  ),
)
console.log(
  `${RUN_COUNT} broken texts: none made the checker throw, and none took longer than ${Math.ceil(slowestMs)} ms`,
)
