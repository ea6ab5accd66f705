/** Causes faults for two servers on PostgreSQL: `node tests/crash/postgres-faults.ts [FAULT...]`. */
import { FAULTS, needsStandby, MAX_RESUME_MS, runFaults } from './fault-rounds.ts'
import type { Fault, FaultOutcome } from './fault-rounds.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { hasStandbys, startCluster } from './postgres-cluster.ts'

// Faults: a server is killed repeatedly, connections are cut around COMMIT, PostgreSQL is restarted or crashes, and a
// synchronous standby replaces a killed primary (FAILOVERS=5 times). `pooled`: with PgBouncer in transaction mode, a
// server is killed and PostgreSQL crashes. Each fault uses a separate database. CLIENTS, TIMES and TOLD (the
// registrations per phase) set the load. Prints a report; exits with 1 if there are problems.

const CLIENTS = Number(process.env['CLIENTS'] ?? 16)
const TIMES = Number(process.env['TIMES'] ?? 6)
const MIN_REGISTRATIONS = Number(process.env['TOLD'] ?? 40)
const FAILOVERS = Number(process.env['FAILOVERS'] ?? 1)
const MAX_PROBLEMS_SHOWN = 10

const POOLED = 'pooled'
type Run = Fault | typeof POOLED
const RUNS: readonly Run[] = [...FAULTS, POOLED]
const isRun = (name: string): name is Run => RUNS.some((run) => run === name)
const runNames = process.argv.slice(2)
const unknownNames = runNames.filter((name) => !isRun(name))
if (unknownNames.length > 0) throw new Error(`no fault "${unknownNames[0]}": ${RUNS.join(', ')}`)
const chosenRuns = runNames.length === 0 ? RUNS : runNames.filter(isRun)
const runs = chosenRuns.flatMap((fault) =>
  fault !== POOLED && needsStandby(fault)
    ? Array.from({ length: FAILOVERS }, () => fault)
    : [fault],
)

let hasPassed = true
for (const fault of runs) {
  const problems = await runFault(fault).catch((error: unknown) => [String(error)])
  for (const problem of problems.slice(0, MAX_PROBLEMS_SHOWN)) console.log(`  wrong: ${problem}`)
  if (problems.length > MAX_PROBLEMS_SHOWN)
    console.log(`  and ${problems.length - MAX_PROBLEMS_SHOWN} more`)
  hasPassed &&= problems.length === 0
}
console.log(hasPassed ? 'no problems' : 'some checks failed')
process.exitCode = hasPassed ? 0 : 1

async function runFault(run: Run): Promise<readonly string[]> {
  const hasStandby = run !== POOLED && needsStandby(run)
  if (hasStandby && !hasStandbys()) {
    console.log(`${run}: skipped, because this PostgreSQL has no pg_basebackup`)
    return []
  }
  if (run === POOLED && !hasPgbouncer()) {
    console.log('pooled: skipped, because PgBouncer is not installed (apt-get install pgbouncer)')
    return []
  }
  const cluster = await startCluster({ isDurable: false })
  const standby = hasStandby ? await cluster.addSynchronousStandby() : undefined
  const pooler = run === POOLED ? await startPgbouncer(cluster) : undefined
  if (pooler !== undefined) console.log(`through PgBouncer ${pooler.version} ${pooler.urlOptions}`)
  try {
    const outcome = await runFaults({
      faults: run === POOLED ? ['server', 'crash'] : [run],
      clients: CLIENTS,
      minRegistrations: MIN_REGISTRATIONS,
      faultCount: TIMES,
      cluster,
      ...(standby === undefined ? {} : { standby }),
      ...(pooler === undefined ? {} : { pooler }),
      database: run,
      print: (line) => console.log(line),
    })
    console.log(`  ${formatOutcome(outcome)}`)
    const lateMs = outcome.resumeTimesMs.filter((ms) => ms > MAX_RESUME_MS)
    return [
      ...outcome.problems,
      ...lateMs.map((ms) => `a server resumed after ${Math.round(ms)} ms`),
    ]
  } finally {
    await pooler?.stop()
    await standby?.remove()
    await cluster.remove()
  }
}

function formatOutcome({
  results,
  registered,
  paid,
  emailCount,
  resumeTimesMs,
}: FaultOutcome): string {
  const resumedText = resumeTimesMs.map(Math.round).join(' and ')
  return [
    `${registered} registered, ${results.registered.size} of them confirmed, ${paid} paid, ${emailCount} emails`,
    `${results.soldOut.length} were told that the hall is full`,
    ...(resumedText === '' ? [] : [`servers registered again after ${resumedText} ms`]),
  ].join(', ')
}
