/** `npm run attacks SEED REQUESTS`: runs the random attack and prints the results as a table. */
import { showProgress } from '../../server/cli/progress-line.ts'
import { runRandomAttack, startMeasuredServer } from './random.ts'

const [seed = 20261121, requestCount = 200_000] = process.argv.slice(2).map(Number)
const MB = 1024 * 1024
const target = await startMeasuredServer()
try {
  const run = await showProgress({ progressStream: process.stderr }, () =>
    runRandomAttack(target, seed, requestCount),
  )
  const { afterWarmUp, end } = run.memory
  const sortedCounts = [...run.responseCounts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  console.log(`seed ${seed}, ${run.requestCount} requests in ${run.seconds.toFixed(0)} s`)
  console.log('| answer | times |\n|---|---|')
  for (const [status, count] of sortedCounts) console.log(`| ${status} | ${count} |`)
  console.log(
    `heap ${(afterWarmUp.heapBytes / MB).toFixed(0)} MB after the warm-up, ${(end.heapBytes / MB).toFixed(0)} MB at the end; ` +
      `resident ${(afterWarmUp.residentBytes / MB).toFixed(0)} and ${(end.residentBytes / MB).toFixed(0)} MB`,
  )
  for (const { n, problem, head } of run.violations.slice(0, 50))
    console.log(`request ${n}: ${problem}\n${head.replaceAll(/^/gm, '    ')}`)
  if (run.untestedRoutes.length > 0)
    console.log(`No requests were sent to ${run.untestedRoutes.join(', ')}`)
  if (!run.isStillSignedIn) console.log('The admin session ended during the run')
  const hasPassed =
    run.violations.length === 0 && run.untestedRoutes.length === 0 && run.isStillSignedIn
  console.log(hasPassed ? 'No violations.' : `${run.violations.length} violations.`)
  process.exitCode = hasPassed ? 0 : 1
} finally {
  await target.stop()
}
