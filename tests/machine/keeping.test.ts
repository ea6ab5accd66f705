/** Backups, bringing them back, and what rollcall doctor finds. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnvironment } from '../../server/machine/environment.ts'
import { noteBackup } from '../../server/machine/backed-up.ts'
import { lookInto } from '../../server/store/copies.ts'
import { pdf } from '../server/files.ts'
import { fixtureDelegate, fixtureEvent } from '../server/fixture.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { runHere } from '../server/running.ts'

let app: TestApp
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-keeping-'))
  app = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': fixtureEvent() } })
  await Promise.all(Array.from({ length: 5 }, (_, n) => register(n)))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Each with a file of its own. */
const register = async (n: number): Promise<void> => {
  const bytes = Buffer.concat([pdf(), Buffer.from(`% ${n}`)])
  const answer = await app.post(
    '/api/sample2026/register/',
    { ...fixtureDelegate, email: `delegate${n}@sample.example` },
    { letter: { name: 'letter.pdf', bytes } },
  )
  expect(answer.statusCode).toBe(201)
}
const variables = (more: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: app.dir,
  EVENTS_DIR: app.eventsDir,
  CLOCK: '2026-01-10',
  ...more,
})

describe('a backup', () => {
  test('made while delegates register is whole, and is what comes back into an empty folder', async () => {
    const into = join(folder, 'one')
    const [backup] = await Promise.all([
      runHere(['backup', into], variables()),
      ...Array.from({ length: 20 }, (_, n) => register(100 + n)),
    ])
    expect([backup.status, backup.err]).toEqual([0, ''])
    const { rows, files } = lookInto(join(into, 'rollcall.db'))
    expect(rows['registrations']).toBeGreaterThanOrEqual(5)
    expect(files.length).toBe(rows['uploads'])
    expect(backup.out).toContain(`${rows['registrations']} registrations, `)
    expect(existsSync(join(into, 'events', 'sample2026.yaml'))).toBe(true)

    const dataDir = join(folder, 'back')
    const restored = await runHere(['restore', into], variables({ DATA_DIR: dataDir }))
    expect([restored.status, restored.err]).toEqual([0, ''])
    const back = lookInto(join(dataDir, 'rollcall.db'))
    expect(back).toEqual({ ...back, rows, files })
    for (const sha256 of files)
      expect(readFileSync(join(dataDir, 'uploads', sha256.slice(0, 2), sha256))).toEqual(
        readFileSync(join(app.dir, 'uploads', sha256.slice(0, 2), sha256)),
      )
    // And nothing is written over.
    const twice = await runHere(['restore', into], variables({ DATA_DIR: dataDir }))
    expect([twice.status, twice.err]).toEqual([
      2,
      expect.stringMatching(/^There is a database in .+ already\./),
    ])
    const again = await runHere(['backup', into], variables())
    expect([again.status, again.err]).toEqual([
      2,
      `${into} is there already: name a folder that is not.\n`,
    ])
  })

  test('a file that is missing or damaged is named, and the rest is kept', async () => {
    const { files } = lookInto(join(app.dir, 'rollcall.db'))
    const [gone = '', changed = ''] = files
    const placeOf = (sha256: string): string => join(app.dir, 'uploads', sha256.slice(0, 2), sha256)
    const before = [gone, changed].map((sha256) => readFileSync(placeOf(sha256)))
    rmSync(placeOf(gone))
    writeFileSync(placeOf(changed), 'something else')
    const into = join(folder, 'two')
    const { status, err } = await runHere(['backup', into], variables())
    for (const [at, sha256] of [gone, changed].entries())
      writeFileSync(placeOf(sha256), before[at] ?? '')
    expect(status).toBe(1)
    expect(err.trim().split('\n').sort()).toEqual(
      [gone, changed]
        .map((sha256) => `The file ${sha256} is missing or damaged; it is not in the copy.`)
        .sort(),
    )
    expect(
      readdirSync(join(into, 'uploads'), { recursive: true }).filter(
        (name) => String(name).length > 60,
      ),
    ).toHaveLength(files.length - 2)
  })

  test('one whose database is not what its list says is not brought back', async () => {
    const into = join(folder, 'three')
    await runHere(['backup', into], variables())
    const db = new Database(join(into, 'rollcall.db'))
    db.exec(
      "INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES ('x', 'y', '', '{}', 1, 1)",
    )
    db.close()
    const dataDir = join(folder, 'not-back')
    const { status, err } = await runHere(['restore', into], variables({ DATA_DIR: dataDir }))
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/^The database of the backup has \d+ rows in /),
    ])
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
    const none = await runHere(['restore', folder], variables({ DATA_DIR: dataDir }))
    expect([none.status, none.err]).toEqual([2, expect.stringContaining('is no backup')])
  })
})

describe('rollcall doctor', () => {
  const part = (name: string): string => `AIRPAY_SAMPLE_${name}`
  const real = {
    GATEWAY_MODE: 'live',
    CLOCK: '',
    [part('USERNAME')]: 'u',
    [part('PASSWORD')]: 'p',
    [part('SECRET')]: 's',
    [part('MERCHANT_ID')]: '1',
  }
  const seen = async (more: Readonly<Record<string, string>> = {}) => {
    const { status, out } = await runHere(['doctor'], variables(more))
    return { status, lines: out.split('\n') }
  }
  /** Makes a fault in a copy of nothing: whatever it changes it puts back. */
  type Fault = {
    readonly says: RegExp
    readonly more?: () => Readonly<Record<string, string>>
    readonly make?: () => () => void
  }
  const inFile = (name: () => string, text: string) => (): (() => void) => {
    const before = existsSync(name()) ? readFileSync(name()) : null
    writeFileSync(name(), text)
    return () => (before === null ? rmSync(name()) : writeFileSync(name(), before))
  }
  const another = (make: (dir: string) => void) => () => {
    const dir = mkdtempSync(join(folder, 'faulty-'))
    make(dir)
    return { DATA_DIR: dir }
  }
  const ofVersion = (version: number) =>
    another((dir) => {
      const db = new Database(join(dir, 'rollcall.db'))
      db.pragma(`user_version = ${version}`)
      db.close()
    })
  const faults: Readonly<Record<string, Fault>> = {
    'an event file with an error': {
      make: inFile(() => join(app.eventsDir, 'third2026.yaml'), 'event: ['),
      says: /^wrong +third2026\.yaml is not served: it has findings\./,
    },
    'shared texts that cannot be read': {
      make: inFile(() => join(app.eventsDir, '_shared', 'texts.yaml'), 'calls: ['),
      says: /^wrong +The files in _shared have findings\./,
    },
    'no event files': {
      more: () => ({ EVENTS_DIR: join(folder, 'nowhere') }),
      says: /^wrong +EVENTS_DIR is .+nowhere, and it cannot be read\./,
    },
    'a data folder that others can read': {
      make: () => {
        chmodSync(app.dir, 0o755)
        return () => chmodSync(app.dir, 0o700)
      },
      says: /^wrong +Other users of this machine can read DATA_DIR/,
    },
    'a database of a newer version': {
      more: ofVersion(999),
      says: /^wrong +The database is of a newer version of Rollcall \(999;/,
    },
    'a database of an older version': {
      more: ofVersion(1),
      says: /^look +The database is of version 1; the next start brings it to \d+\./,
    },
    'a database that is none': {
      more: another((dir) => writeFileSync(join(dir, 'rollcall.db'), 'nothing '.repeat(1000))),
      says: /^wrong +The database rollcall\.db in DATA_DIR cannot be used: it is not a database/,
    },
    'no database': {
      more: another(() => {}),
      says: /^look +There is no database yet/,
    },
    'a file that is missing': {
      make: () => {
        const [sha256 = ''] = lookInto(join(app.dir, 'rollcall.db')).files
        const file = join(app.dir, 'uploads', sha256.slice(0, 2), sha256)
        const bytes = readFileSync(file)
        rmSync(file)
        return () => writeFileSync(file, bytes)
      },
      says: /^wrong +1 files that registrations refer to are missing, the first is \w{64}\./,
    },
    'a mail server that is not there': {
      more: () => ({ SMTP_URL: 'smtp://127.0.0.1:1' }),
      says: /^wrong +The mail server does not take mails: .*ECONNREFUSED/,
    },
    'no mail server': { says: /^look +Mails are written to DATA_DIR\/mail and not sent\./ },
    'no backup': {
      more: another(() => {}),
      says: /^look +No backup was made with rollcall backup yet\./,
    },
    'an old backup': {
      make: () => {
        const file = join(app.dir, 'backed-up')
        const before = existsSync(file) ? readFileSync(file) : null
        writeFileSync(file, String(app.now() - 40 * 3_600_000))
        return () => (before === null ? rmSync(file) : writeFileSync(file, before))
      },
      says: /^wrong +The last backup is 40 hours old\./,
    },
    'an address that nobody reaches': {
      more: () => real,
      says: /^wrong +PUBLIC_URL is http:\/\/127\.0\.0\.1:3000, which others cannot reach/,
    },
    'no proxy named': {
      more: () => ({ ...real, PUBLIC_URL: 'https://register.example.org' }),
      says: /^look +TRUST_PROXY is not set/,
    },
    'a gateway that is not reached': {
      more: () => real,
      make: () =>
        inFile(
          () => join(app.eventsDir, '_shared', 'gateways.yaml'),
          readFileSync(join(app.eventsDir, '_shared', 'gateways.yaml'), 'utf8').replaceAll(
            /https:\/\/[a-z.-]*airpay[a-z.-]*/g,
            'https://127.0.0.1:1',
          ),
        )(),
      says: /^wrong +The gateway at 127\.0\.0\.1:1 is not reached\./,
    },
  }

  test.each(Object.keys(faults))('finds %s', async (name) => {
    const { says, more = () => ({}), make = () => () => {} } = faults[name] ?? { says: /never/ }
    const mend = make()
    try {
      const { status, lines } = await seen(more())
      expect(lines).toContainEqual(expect.stringMatching(says))
      if (says.source.startsWith('^wrong')) expect(status).toBe(1)
    } finally {
      mend()
    }
  })

  test('finds an account without credentials', async () => {
    const { lines } = await seen({ GATEWAY_MODE: 'live', CLOCK: '' })
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^wrong +Event sample2026 is paid into the account "sample", so AIRPAY_SAMPLE_USERNAME/,
      ),
    )
  })

  test('finds nothing wrong where nothing is, and changes nothing', async () => {
    await noteBackup(app.dir, app.now())
    const before = readdirSync(app.dir).sort()
    const { status, lines } = await seen()
    expect(lines.filter((line) => line.startsWith('wrong'))).toEqual([])
    expect(status).toBe(0)
    expect(
      readdirSync(app.dir)
        .filter((name) => !name.startsWith('serving'))
        .sort(),
    ).toEqual(before.filter((name) => !name.startsWith('serving')))
  })
})

test('a secret may stand in a file, and not in two places', () => {
  const file = join(folder, 'smtp')
  writeFileSync(file, 'smtp://127.0.0.1:2525\n')
  const read = readEnvironment({ SMTP_URL_FILE: file })
  expect(read.ok && read.value.smtpUrl).toBe('smtp://127.0.0.1:2525')
  expect(readEnvironment({ SMTP_URL_FILE: file, SMTP_URL: 'smtp://b' })).toMatchObject({
    error: ['SMTP_URL and SMTP_URL_FILE are both set: keep one of them.'],
  })
  expect(readEnvironment({ ADMIN_PASSWORD_FILE: join(folder, 'none') })).toMatchObject({
    error: [`ADMIN_PASSWORD_FILE is ${join(folder, 'none')}, and that file cannot be read.`],
  })
})

test('rollcall health says how the server is, and that there is none', async () => {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.app.server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const well = await runHere(['health'], variables({ PORT: port }))
  expect([well.status, well.out]).toEqual([0, 'The server is well.\n'])
  const none = await runHere(['health'], variables({ PORT: '1' }))
  expect([none.status, none.err]).toEqual([1, 'No server answers at http://127.0.0.1:1/healthz.\n'])
})
