/** Steps about what is kept: backed up under load and brought back, and brought up to date from each earlier version. */
import { createHash } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { migrations } from '../../../../server/storage/database/schema.ts'
import { asking } from '../load.ts'
import type { Folders } from '../operator.ts'
import { fillEmpty, firstRows } from './older-version.ts'
import { asksOf, figuresOf, numbersIn, officeOf, PAID, rowsOf, same } from './installation.ts'
import type { Step } from './step.ts'
import { USER_ID } from './systemd-unit.ts'

/** What the recovery writes that a restore begins: tables, and columns of others. */
const OF_RECOVERY = new Set([
  'audit_log',
  'installation',
  'recoveries',
  'recovery_payments',
  'unknown_orders',
])
const ASKED_AGAIN: Readonly<Record<string, null>> = {
  next_ask_at: null,
  next_at: null,
  asking_until: null,
  watch_until: null,
}

/** The same of a copy and of what was restored from it. */
function copiedOf(file: string): Readonly<Record<string, string>> {
  return contentOf(file, (row) => ({ ...row, ...ASKED_AGAIN }), OF_RECOVERY)
}

/** Every row of every table, one hash a table; what is made anew from the others is left out. */
function contentOf(
  file: string,
  seen: (row: Readonly<Record<string, unknown>>) => unknown = (row) => row,
  without: ReadonlySet<string> = new Set(),
): Readonly<Record<string, string>> {
  const tables = rowsOf(
    file,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search%' ORDER BY name",
  )
    .map(({ name }) => String(name))
    .filter((name) => !without.has(name))
  return Object.fromEntries(
    tables.map((table) => {
      const rows = rowsOf(file, `SELECT * FROM "${table}"`).map((row) => JSON.stringify(seen(row)))
      const hash = createHash('sha256').update(rows.toSorted().join('\n')).digest('hex')
      return [table, `${rows.length} rows ${hash}`]
    }),
  )
}
/** Every proof by its bytes. */
function proofsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.length === 64)
    .map((entry) =>
      createHash('sha256')
        .update(readFileSync(join(entry.parentPath, entry.name)))
        .digest('hex'),
    )
    .sort()
}

/** What the office and whoever watches see, but for what is of this process and this moment. */
async function seenOf(url: string): Promise<Readonly<Record<string, unknown>>> {
  const office = await officeOf(url)
  const { data } = JSON.parse(await office('/admin/dashboard/stats/')) as {
    readonly data: Record<string, unknown>
  }
  const figures = [...(await figuresOf(url))].filter(([name]) =>
    /^rollcall_(registrations|mails|payments_pending|reviews|events\b)/.test(name),
  )
  const lists = (
    JSON.parse(await office('/admin/session/')) as {
      readonly events: { readonly lists: { readonly export: { readonly api: string } }[] }[]
    }
  ).events.flatMap(({ lists: own }) => own.map((list) => list.export.api))
  const exports = await Promise.all(lists.map((api) => office(api)))
  return { ...data, now: null, figures, exports }
}

const REGISTERED_BEFORE = 120

export const kept: Step = {
  name: 'back up under load, restore into an empty folder',
  run: async (place, say) => {
    const folders = place.folders('kept')
    const into = place.folder('backups')
    const held = await place.serve(folders)
    const load = asking(held.url, { clients: 8, asks: asksOf })
    await load.answered(REGISTERED_BEFORE)
    const before = numbersIn(folders)
    const underLoad = join(into, 'under-load')
    const backup = await place.rollcall(folders, ['db', 'backup', underLoad], [into])
    same(
      'the status of a backup under load',
      [backup.status, backup.said.split('\n').length],
      [0, 1],
    )
    await load.answered(load.count() + 30)
    const { failed, regNos } = await load.end()
    same('what failed while it was made', failed, [])
    say(`under load: ${backup.said}`)

    const restored = place.folders('restored')
    const restore = async (from: string, to: Folders): Promise<void> => {
      const { status, said } = await place.rollcall(to, ['db', 'restore', from], [into])
      same('the status of a restore', status, 0)
      say(`restored: ${said.split('\n')[0]}`)
      same(
        'every row',
        copiedOf(join(to.dataDir, 'rollcall.db')),
        copiedOf(join(from, 'rollcall.db')),
      )
      same('every proof', proofsIn(join(to.dataDir, 'uploads')), proofsIn(join(from, 'uploads')))
    }
    await restore(underLoad, restored)
    const back = new Set(numbersIn(restored))
    same(
      'who was answered before it began and is not in it',
      before.filter((one) => !back.has(one)),
      [],
    )
    const wanted = rowsOf(
      join(restored.dataDir, 'rollcall.db'),
      'SELECT DISTINCT sha256 FROM uploads ORDER BY sha256',
    ).map(({ sha256 }) => sha256)
    same('the proofs of who is in it', proofsIn(join(restored.dataDir, 'uploads')), wanted)
    say(
      `${back.size} registrations (${before.length} were answered before it began, ${regNos.length} by the end), ${wanted.length} proofs, all whole`,
    )

    // At rest, so that the figures of both are of one moment.
    const seen = await seenOf(held.url)
    const atRest = join(into, 'at-rest')
    same(
      'the status of a backup',
      (await place.rollcall(folders, ['db', 'backup', atRest], [into])).status,
      0,
    )
    await held.close()
    const again = place.folders('again')
    await restore(atRest, again)
    const ending = ['db', 'recovery', 'end', '--who', 'operator', '--mails', 'send']
    same('the status of ending a recovery', (await place.rollcall(again, ending)).status, 0)
    const other = await place.serve({ ...again, eventsDir: folders.eventsDir })
    const seenAgain = await seenOf(other.url)
    same('every figure', seenAgain, seen)
    await other.close()
    const { figures, exports } = seen as { figures: unknown[]; exports: string[] }
    say(
      `served from the restored folder: dashboard, ${figures.length} figures and ${exports.length} exports (${exports.join('').length} characters) are the same`,
    )
  },
}

export const upgraded: Step = {
  name: 'bring a filled database of each earlier version up to date',
  run: async (place, say) => {
    const known = migrations.length
    // A server tells more than a command; it is started on the oldest, on one in the middle, and on the last.
    const served = new Set([1, Math.ceil(known / 2), known - 1])
    for (let version = 1; version < known; version += 1) {
      const folders = place.folders(`version-${version}`)
      const file = join(folders.dataDir, 'rollcall.db')
      const db = new Database(file)
      db.pragma('journal_mode = WAL')
      for (const [at, step] of migrations.slice(0, version).entries()) {
        db.exec(step)
        if (at === 0) firstRows(db, PAID)
      }
      const { filled, empty } = fillEmpty(db)
      db.pragma(`user_version = ${version}`)
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
      if (place.confinement.isOtherUser)
        for (const name of readdirSync(folders.dataDir))
          chownSync(join(folders.dataDir, name), USER_ID, USER_ID)
      const before = contentOf(file)
      const numbers = numbersIn(folders)
      const refused = await place.rollcall(folders, ['user', 'list'])
      same(`version ${version}: a command that may not migrate`, refused.status, 2)
      let how = 'rollcall db migrate'
      if (served.has(version)) {
        how = 'a start'
        const held = await place.serve(folders)
        const figures = await figuresOf(held.url)
        const counted = [...figures]
          .filter(([name]) => name.startsWith('rollcall_registrations{'))
          .reduce((sum, [, count]) => sum + count, 0)
        same(`version ${version}: registrations counted`, counted, numbers.length)
        await held.close()
      } else
        same(
          `version ${version}: the status of migrate`,
          (await place.rollcall(folders, ['db', 'migrate'])).status,
          0,
        )
      const copy = join(folders.dataDir, `rollcall.before-v${known}.db`)
      same(`version ${version}: the copy`, contentOf(copy), before)
      same(`version ${version}: the version after`, rowsOf(file, 'PRAGMA user_version'), [
        { user_version: known },
      ])
      same(`version ${version}: the numbers after`, numbersIn(folders), numbers)
      same(`version ${version}: whole`, rowsOf(file, 'PRAGMA quick_check'), [{ quick_check: 'ok' }])
      same(`version ${version}: references`, rowsOf(file, 'PRAGMA foreign_key_check'), [])
      say(
        `version ${version}: ${filled} tables filled${empty.length === 0 ? '' : ` (empty: ${empty.join(', ')})`}, brought to ${known} by ${how}; the copy is what it was`,
      )
    }
  },
}
