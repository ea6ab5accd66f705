/**
 * `npm run bench -- search [COMMIT]`: the one search of the office at a million registrations, beside the search of a
 * list as it was before (COMMIT, with the packages of this checkout). The rows are made up and put into the tables
 * that each version made for itself, half of them with a payment; each version then indexes them by itself. The two
 * take turns over the same words, and who goes first changes. `ROWS` makes fewer of them.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openStore } from '../../server/storage/open-store.ts'
import type { Store } from '../../server/storage/index.ts'
import { filled, referenceOfNth } from './rows.ts'
import type { Many } from './rows.ts'

const TOP = join(import.meta.dirname, '..', '..')
/** The last before there was one search. */
const COMMIT = '3b016cb'
const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
const ROUNDS = 15
const EVENT = 'bench2027'
const MANY: Many = {
  event: EVENT,
  category: 'member',
  rows: ROWS,
  from: 1_790_000_000_000,
  days: 12,
}
/** From the issue. */
const TIMES_MAX = 2
/** Below this nobody waits, and two figures say nothing beside each other. */
const MS_NOTICED = 5

/** What somebody types now, and what they had to type before to find the same; null: it was not found at all. */
const SEARCHES: readonly (readonly [string, string | null])[] = [
  ['AFPI 0177 4410 8000 1', 'AFPI0177441080001'],
  ['+91 98470-00000', '+919847000000'],
  ['nair asha', 'asha nair'],
  ['nair', 'nair'],
  [referenceOfNth(ROWS / 2 + 1), null],
  [referenceOfNth(ROWS / 2 + 3), null],
]

export async function benchSearch(commit = COMMIT): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-search-'))
  try {
    const tree = join(folder, 'before')
    mkdirSync(tree)
    execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C '${tree}'`], { cwd: TOP })
    symlinkSync(join(TOP, 'node_modules'), join(tree, 'node_modules'))
    const opened = pathToFileURL(join(tree, 'server', 'store', 'open.ts')).href
    const older = (await import(opened)) as { openStore: typeof openStore }
    const before = await filled(join(folder, 'old'), older.openStore, MANY)
    const now = await filled(join(folder, 'new'), openStore, MANY)
    try {
      return await compared(before, now)
    } finally {
      await Promise.all([before.close(), now.close()])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compared(before: Store, now: Store): Promise<boolean> {
  console.log(`| ${ROWS} rows, median ms | before | now | found | times |\n|---|---|---|---|---|`)
  let within = true
  for (const [typed, then] of SEARCHES) {
    const old: number[] = []
    const fresh: number[] = []
    let found = 0
    const query = { eventId: EVENT, answers: {}, search: then ?? typed }
    const turns = [
      async () => old.push(await taking(() => before.listPage(query, 1, 20))),
      async () =>
        fresh.push(
          await taking(async () => {
            found = (await now.findIn([EVENT], typed, 31)).length
          }),
        ),
    ]
    for (let round = 0; round < ROUNDS; round += 1)
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
    const [was, is] = [median(old), median(fresh)]
    const holds = found > 0 && (is <= was * TIMES_MAX || is <= MS_NOTICED)
    within &&= holds
    const said = then === null ? `${was.toFixed(1)} (nothing)` : was.toFixed(1)
    console.log(
      `| \`${typed}\` | ${said} | ${is.toFixed(1)} | ${found} | ${(is / was).toFixed(2)}${holds ? '' : ' (over)'} |`,
    )
  }
  return within
}

async function taking(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
