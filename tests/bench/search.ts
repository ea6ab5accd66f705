/**
 * `npm run bench -- search [COMMIT]`: the staff search in a million registrations, compared with the older search
 * in a list (COMMIT, with the packages of this checkout). The rows are generated and inserted into the tables that
 * each version created, half of them with a payment; each version then indexes them. The two take turns over the
 * same queries, and the order changes. `ROWS` reduces the number of rows.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openStore } from '../../server/storage/open-store.ts'
import type { Store } from '../../server/storage/index.ts'
import { fillStore, createReference } from './rows.ts'
import type { RowsOptions } from './rows.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** The last commit before the single search over all lists. */
const COMMIT = '3b016cb'
const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
const ROUNDS = 15
const EVENT = 'bench2027'
const ROWS_OPTIONS: RowsOptions = {
  event: EVENT,
  category: 'member',
  rows: ROWS,
  from: 1_790_000_000_000,
  days: 12,
}
/** The target: the highest ratio of the new search's time to the old one's. */
const MAX_RATIO = 2
/** Below this, no wait is noticeable and a comparison is meaningless. */
const NOTICEABLE_MS = 5

/** A query, and the older version's query for the same result. Null if the older version could not find the result. */
const SEARCHES: readonly (readonly [string, string | null])[] = [
  ['AFPI 0177 4410 8000 1', 'AFPI0177441080001'],
  ['+91 98470-00000', '+919847000000'],
  ['nair asha', 'asha nair'],
  ['nair', 'nair'],
  [createReference(ROWS / 2 + 1), null],
  [createReference(ROWS / 2 + 3), null],
]

export async function benchSearch(commit = COMMIT): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-search-'))
  try {
    const tree = join(folder, 'before')
    mkdirSync(tree)
    execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C '${tree}'`], { cwd: ROOT })
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    const storeModule = pathToFileURL(join(tree, 'server', 'store', 'open.ts')).href
    const olderModule = (await import(storeModule)) as { openStore: typeof openStore }
    const olderStore = await fillStore(join(folder, 'old'), olderModule.openStore, ROWS_OPTIONS)
    const currentStore = await fillStore(join(folder, 'new'), openStore, ROWS_OPTIONS)
    try {
      return await compareStores(olderStore, currentStore)
    } finally {
      await Promise.all([olderStore.close(), currentStore.close()])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compareStores(olderStore: Store, currentStore: Store): Promise<boolean> {
  console.log(`| ${ROWS} rows, median ms | before | now | found | times |\n|---|---|---|---|---|`)
  let areTargetsMet = true
  for (const [searchText, oldQuery] of SEARCHES) {
    const oldTimes: number[] = []
    const newTimes: number[] = []
    let foundCount = 0
    const query = { eventId: EVENT, answers: {}, search: oldQuery ?? searchText }
    const turns = [
      async () => oldTimes.push(await measureWork(() => olderStore.listPage(query, 1, 20))),
      async () =>
        newTimes.push(
          await measureWork(async () => {
            foundCount = (await currentStore.searchEvents([EVENT], searchText, 31)).length
          }),
        ),
    ]
    for (let round = 0; round < ROUNDS; round += 1)
      for (const runTurn of round % 2 === 0 ? turns : turns.toReversed()) await runTurn()
    const [oldMs, newMs] = [computeMedian(oldTimes), computeMedian(newTimes)]
    const meetsTarget = foundCount > 0 && (newMs <= oldMs * MAX_RATIO || newMs <= NOTICEABLE_MS)
    areTargetsMet &&= meetsTarget
    const oldText = oldQuery === null ? `${oldMs.toFixed(1)} (nothing)` : oldMs.toFixed(1)
    console.log(
      `| \`${searchText}\` | ${oldText} | ${newMs.toFixed(1)} | ${foundCount} | ${(newMs / oldMs).toFixed(2)}${meetsTarget ? '' : ' (over)'} |`,
    )
  }
  return areTargetsMet
}

async function measureWork(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
