/**
 * `npm run adopt [COUNT]`: fills a database of schema version 30 with the code of that version, on SQLite and on PostgreSQL,
 * and migrates both, undisturbed and killed at several points. Prints what it saw; 1: something differs.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../server/storage/database/schema.ts'
import { moveToPostgres } from '../../server/storage/database/move-database.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { adopt, killAt, readVersion } from './adoption/killed-adoption.ts'
import type { Place } from './adoption/killed-adoption.ts'
import { compareContents, readContents, readTotals } from './adoption/table-contents.ts'
import type { Contents } from './adoption/table-contents.ts'

/** The last commit whose schema has version 30. */
const COMMIT = 'eed793e3fdee953fc42729f2b6cf776f156a5b53'
const OLD = 30
const REPOSITORY = join(import.meta.dirname, '../..')
/**
 * What a migration may change: it spells references that delegates reported as banks do, and it marks payments for review
 * that have the reference of another one.
 */
const MAY_DIFFER = /^tellings\.folded: |^event_issuers/

let isWrong = false
const report = (line: string, isRight = true): void => {
  if (!isRight) isWrong = true
  console.log(`${isRight ? ' ' : '!'} ${line}`)
}
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  report(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return result
}

function checkOut(folder: string): void {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', COMMIT], {
    cwd: REPOSITORY,
    maxBuffer: 1024 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
}

const databaseOf = ({ dataDir, url }: Place): string => url ?? join(dataDir, 'rollcall.db')

/** Compares rows with those of the old version, and totals with the rows. Returns the hash of the rows. */
async function compare(name: string, before: Contents, place: Place): Promise<string> {
  const { rows, tables, differences, hash } = compareContents(
    before,
    await readContents(databaseOf(place)),
  )
  const unexpected = differences.filter((one) => !MAY_DIFFER.test(one))
  report(
    `${name}: ${rows} rows of ${tables} tables, hash ${hash}; differences: ${differences.join('; ') || 'none'}`,
    unexpected.length === 0,
  )
  const { counted, stored } = await readTotals(databaseOf(place))
  report(
    `${name}: totals ${counted === stored ? 'are those of the rows' : `${counted}, rows ${stored}`}`,
    counted === stored,
  )
  return hash
}

/** `copy` makes a further database as the old version left it. */
async function examine(name: string, copy: (name: string) => Promise<Place>): Promise<Place> {
  const known = migrations.length
  const original = await copy('original')
  const before = await readContents(databaseOf(original))
  const totals = (await readTotals(databaseOf(original))).counted
  report(`${name}: totals before ${totals}`)
  const place = await copy('adopted')
  await timed(`${name}: migrated`, () => adopt(place))
  const hash = await compare(name, before, place)
  const after = (await readTotals(databaseOf(place))).counted
  report(`${name}: totals ${after === totals ? 'as before' : after}`, after === totals)
  const began = OLD * 1000
  const targets = [OLD + 1, began + OLD + 1, began + OLD + 5, began + OLD + 10, began + known]
  for (const [at, target] of targets.entries()) {
    const killed = await copy(`killed${at}`)
    const left = await killAt(killed, target)
    await adopt(killed)
    const again = await compare(`${name}, killed at ${left}`, before, killed)
    report(`${name}, killed at ${left}: the same rows as undisturbed`, again === hash)
  }
  const often = await copy('often')
  const versions: number[] = []
  for (let target = began + OLD + 1; target <= began + known; target += 3)
    versions.push(await killAt(often, target))
  await adopt(often)
  const again = await compare(`${name}, killed at ${versions.join(', ')}`, before, often)
  report(`${name}, killed often: the same rows as undisturbed`, again === hash)
  report(`${name}: version ${await readVersion(often)}`, (await readVersion(often)) === known)
  return place
}

const count = process.argv[2] ?? '50000'
const given = process.argv[3]
const folder = mkdtempSync(join(tmpdir(), 'rollcall-adopt-'))
let server: PostgresServer | null = null
try {
  const checkout = join(folder, 'old')
  checkOut(checkout)
  const filler = join(import.meta.dirname, 'adoption/fill-old-database.ts')
  const fill = async (...args: readonly string[]): Promise<void> => {
    const said = execFileSync(process.execPath, [filler, checkout, ...args], { encoding: 'utf8' })
    report(`refused by the old store: ${said.trim() || 'nothing'}`, said.trim() === '')
  }
  const filled = given ?? join(folder, 'filled')
  if (given === undefined)
    await timed(`SQLite: ${count} registrations filled by ${COMMIT.slice(0, 8)}`, () =>
      fill(filled, count),
    )
  const sqlite = await examine('SQLite', async (name) => {
    const dataDir = join(folder, name)
    cpSync(filled, dataDir, { recursive: true })
    return { dataDir, url: null }
  })
  if (hasPostgres) {
    const started = await startPostgres()
    server = started
    const moved = await started.database('old_moved')
    await timed('PostgreSQL: moved there by the old version', async () => {
      execFileSync(process.execPath, ['bin/rollcall.js', 'move', 'to-postgres'], {
        cwd: checkout,
        env: { ...process.env, DATA_DIR: filled, DATABASE_URL: moved },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
    })
    const small = await started.database('old_direct')
    await timed('PostgreSQL: 620 registrations filled by the old version', () =>
      fill(join(folder, 'direct'), '620', small),
    )
    const dataDir = join(folder, 'no-data')
    mkdirSync(dataDir)
    for (const [name, like] of [
      ['PostgreSQL, moved', 'old_moved'],
      ['PostgreSQL, direct', 'old_direct'],
    ] as const)
      await examine(name, async (copy) => ({
        dataDir,
        url: await started.database(`${like}_${copy}`, { like }),
      }))
    const target = await started.database('moved_new')
    const result = await timed('the migrated SQLite database moves to PostgreSQL', () =>
      moveToPostgres(sqlite.dataDir, target),
    )
    report(`db move: ${JSON.stringify(result.ok ? result.value : result.error)}`, result.ok)
    await compare('db move', await readContents(databaseOf(sqlite)), { dataDir, url: target })
  }
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = isWrong ? 1 : 0
