/** `npm run attacks SEED REQUESTS`: the random run as long as one likes, and its figures as a table. */
import { randomRun, startMeasured } from './random.ts'

const [seed = 20261121, requests = 200_000] = process.argv.slice(2).map(Number)
const MB = 1024 * 1024
const target = await startMeasured()
try {
  const run = await randomRun(target, seed, requests)
  const { warm, end } = run.memory
  const answers = [...run.answers].toSorted(([a], [b]) => (a < b ? -1 : 1))
  console.log(`seed ${seed}, ${run.requests} requests in ${run.seconds.toFixed(0)} s`)
  console.log('| answer | times |\n|---|---|')
  for (const [told, times] of answers) console.log(`| ${told} | ${times} |`)
  console.log(
    `heap ${(warm.heapBytes / MB).toFixed(0)} MB after the warm-up, ${(end.heapBytes / MB).toFixed(0)} MB at the end; ` +
      `resident ${(warm.residentBytes / MB).toFixed(0)} and ${(end.residentBytes / MB).toFixed(0)} MB`,
  )
  for (const { n, what, head } of run.violations.slice(0, 50))
    console.log(`request ${n}: ${what}\n${head.replaceAll(/^/gm, '    ')}`)
  if (run.unasked.length > 0) console.log(`nothing was asked of ${run.unasked.join(', ')}`)
  if (!run.isStillSignedIn) console.log('the admin was signed out on the way')
  const isGood = run.violations.length === 0 && run.unasked.length === 0 && run.isStillSignedIn
  console.log(isGood ? 'Nothing was broken.' : `${run.violations.length} violations.`)
  process.exitCode = isGood ? 0 : 1
} finally {
  await target.stop()
}
