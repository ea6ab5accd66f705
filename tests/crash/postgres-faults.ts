/**
 * `node tests/crash/postgres-faults.ts [FAULT...]`: two servers on PostgreSQL under load; a server is killed again and
 * again, connections are cut before, during and after COMMIT, PostgreSQL is restarted and crashes, and a synchronous
 * standby takes over from a primary that is killed (FAILOVERS=5 times). `pooled`: PgBouncer in transaction mode is between
 * them, a server is killed and PostgreSQL crashes. Each fault has a database of its own. `CLIENTS`,
 * `TIMES` and `TOLD` change the load. Prints what it saw; 1: something was wrong.
 */
import { FAULTS, needsStandby, RESUMED_MS_MAX, runFaults } from './fault-rounds.ts'
import type { Fault, FaultOutcome } from './fault-rounds.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { hasStandbys, startCluster } from './postgres-cluster.ts'

const CLIENTS = Number(process.env['CLIENTS'] ?? 16)
const TIMES = Number(process.env['TIMES'] ?? 6)
const TOLD_MIN = Number(process.env['TOLD'] ?? 40)
const FAILOVERS = Number(process.env['FAILOVERS'] ?? 1)
const WRONG_SHOWN_MAX = 10

const POOLED = 'pooled'
type Run = Fault | typeof POOLED
const RUNS: readonly Run[] = [...FAULTS, POOLED]
const isRun = (name: string): name is Run => RUNS.some((run) => run === name)
const named = process.argv.slice(2)
const unknown = named.filter((name) => !isRun(name))
if (unknown.length > 0) throw new Error(`no fault "${unknown[0]}": ${RUNS.join(', ')}`)
const chosen = named.length === 0 ? RUNS : named.filter(isRun)
const runs = chosen.flatMap((fault) =>
  fault !== POOLED && needsStandby(fault)
    ? Array.from({ length: FAILOVERS }, () => fault)
    : [fault],
)

let isRight = true
for (const fault of runs) {
  const problems = await tryFault(fault).catch((error: unknown) => [String(error)])
  for (const problem of problems.slice(0, WRONG_SHOWN_MAX)) console.log(`  wrong: ${problem}`)
  if (problems.length > WRONG_SHOWN_MAX)
    console.log(`  and ${problems.length - WRONG_SHOWN_MAX} more`)
  isRight &&= problems.length === 0
}
console.log(isRight ? 'nothing was wrong' : 'something was wrong')
process.exitCode = isRight ? 0 : 1

async function tryFault(run: Run): Promise<readonly string[]> {
  const hasStandby = run !== POOLED && needsStandby(run)
  if (hasStandby && !hasStandbys()) {
    console.log(`${run}: left out, because this PostgreSQL has no pg_basebackup`)
    return []
  }
  if (run === POOLED && !hasPgbouncer()) {
    console.log('pooled: left out, because there is no PgBouncer (apt-get install pgbouncer)')
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
      toldMin: TOLD_MIN,
      times: TIMES,
      cluster,
      ...(standby === undefined ? {} : { standby }),
      ...(pooler === undefined ? {} : { pooler }),
      database: run,
      say: (line) => console.log(line),
    })
    console.log(`  ${formatOutcome(outcome)}`)
    const late = outcome.resumedMs.filter((ms) => ms > RESUMED_MS_MAX)
    return [...outcome.wrong, ...late.map((ms) => `a server resumed after ${Math.round(ms)} ms`)]
  } finally {
    await pooler?.stop()
    await standby?.remove()
    await cluster.remove()
  }
}

function formatOutcome({ told, registered, paid, mails, resumedMs }: FaultOutcome): string {
  const resumed = resumedMs.map(Math.round).join(' and ')
  return [
    `${registered} registered, ${told.registered.size} of them told, ${paid} paid, ${mails} emails`,
    `${told.refused.length} found the hall full`,
    ...(resumed === '' ? [] : [`servers registered again after ${resumed} ms`]),
  ].join(', ')
}
