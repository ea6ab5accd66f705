/** Writes the small version 30 databases that tests migrate: a SQLite file and PostgreSQL statements. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { findOldestBinaries, startPostgres } from '../../server/storage/postgres-server.ts'

// `node write-fixtures.ts CHECKOUT` needs a checkout of version 30, and pg_dump from PostgreSQL 15.

/** Five registrations per scenario. */
const REGISTRATION_COUNT = '155'

const [checkout = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'rollcall-fixtures-'))
const fill = (...args: readonly string[]): string =>
  execFileSync(
    process.execPath,
    [join(import.meta.dirname, 'fill-old-database.ts'), checkout, ...args],
    { encoding: 'utf8' },
  )
const write = (name: string, bytes: Buffer): void =>
  writeFileSync(join(import.meta.dirname, `${name}.br`), brotliCompressSync(bytes))

console.log(fill(join(folder, 'data'), REGISTRATION_COUNT))
const file = join(folder, 'data', 'rollcall.db')
const db = new Database(file)
db.pragma('journal_mode = DELETE')
db.exec('VACUUM')
db.close()
write('version-30.db', readFileSync(file))

const programs = findOldestBinaries()
const server = await startPostgres(programs)
const url = await server.database('fixture')
console.log(fill(join(folder, 'no-data'), REGISTRATION_COUNT, url))
const options = ['--inserts', '--no-owner', '--no-privileges', '-d', url]
const dump = execFileSync(join(programs ?? '', 'pg_dump'), options, {
  encoding: 'utf8',
  maxBuffer: 1024 * 1024 * 1024,
})
// Removes comments, psql commands and session settings.
const lines = dump
  .split('\n')
  .filter((line) => !/^(\\|--|SET |SELECT pg_catalog.set_config|$)/.test(line))
write('version-30.sql', Buffer.from(`${lines.join('\n')}\n`))
await server.stop()
rmSync(folder, { recursive: true })
