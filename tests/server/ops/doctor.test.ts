/** Findings of `rollcall doctor`: each test creates a fault and expects its message. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { createServer as createSocketServer } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordBackup } from '../../../server/ops/backup/last-backup.ts'
import { copyDatabase, checkCopy } from '../../../server/storage/recovery/copy-database.ts'
import { lockDataFolder } from '../../../server/storage/database/single-server-lock.ts'
import { createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { launcher, run, runHere } from '../run-command.ts'

let app: TestApp
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-doctor-'))
  app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  const answer = await app.post('/api/sample2026/register/', fixtureDelegate, {
    letter: { name: 'letter.pdf', bytes: createPdf() },
  })
  if (answer.statusCode !== 201) throw new Error(answer.body)
})
afterAll(async () => {
  for (const undo of lockReleases) undo?.()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})
/** Returns environment variables for doctor. No program listens on port 1. */
const getVariables = (changes: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: app.dir,
  EVENTS_DIR: app.eventsDir,
  CLOCK: '2026-01-10',
  PORT: '1',
  ...changes,
})

const getVariableName = (name: string): string => `AIRPAY_SAMPLE_${name}`
const LIVE_SETTINGS = {
  GATEWAY_MODE: 'live',
  CLOCK: '',
  [getVariableName('USERNAME')]: 'u',
  [getVariableName('PASSWORD')]: 'p',
  [getVariableName('SECRET')]: 's',
  [getVariableName('MERCHANT_ID')]: '1',
}
const runDoctor = async (changes: Readonly<Record<string, string>> = {}) => {
  const { status, stdout } = await runHere(['doctor'], getVariables(changes))
  return { status, lines: stdout.split('\n') }
}
/** A fault: the expected message, and how to create the fault. `prepare` returns a function that undoes it. */
type Fault = {
  readonly expected: RegExp
  readonly variables?: () => Readonly<Record<string, string>>
  readonly prepare?: () => (() => void) | Promise<() => void>
}
const prepareFile = (getPath: () => string, text: string) => (): (() => void) => {
  const contentBefore = existsSync(getPath()) ? readFileSync(getPath()) : null
  writeFileSync(getPath(), text)
  return () =>
    contentBefore === null ? rmSync(getPath()) : writeFileSync(getPath(), contentBefore)
}
/** Changes the gateway's address in the gateways file, and returns a function that restores the file. */
const replaceGatewayAddress = (address: string): (() => void) => {
  const file = join(app.eventsDir, '_shared', 'gateways.yaml')
  return prepareFile(
    () => file,
    readFileSync(file, 'utf8').replaceAll(/https:\/\/[a-z.-]*airpay[a-z.-]*/g, address),
  )()
}
type ListeningApp = { readonly app: { readonly server: Pick<TestApp['app']['server'], 'address'> } }
function getPort({ app: { server } }: ListeningApp): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
/** Lets these tests' app look like another server, which does not hold the lock on the data folder. */
async function listenOnPort(): Promise<() => void> {
  if (!app.app.server.listening) await app.app.listen({ port: 0, host: '127.0.0.1' })
  return () => {}
}
const prepareTemporaryFolder = (prepare: (dir: string) => void) => () => {
  const dir = mkdtempSync(join(folder, 'faulty-'))
  prepare(dir)
  return { DATA_DIR: dir }
}
const createDatabaseOfVersion = (version: number) =>
  prepareTemporaryFolder((dir) => {
    const db = new Database(join(dir, 'rollcall.db'))
    db.pragma(`user_version = ${version}`)
    db.close()
  })
/** A program that is neither a Rollcall server nor an HTTP server. */
const otherProgram = {
  app: { server: createSocketServer((socket) => socket.on('error', () => {}).end('no\r\n')) },
}
/** Functions that release the locks on temporary folders at the end. */
const lockReleases: ((() => void) | null)[] = []
const faults: Readonly<Record<string, Fault>> = {
  'an event file with an error': {
    prepare: prepareFile(() => join(app.eventsDir, 'third2026.yaml'), 'event: ['),
    expected:
      /^wrong +third2026\.yaml is not served: it has errors\. rollcall validate shows them\./,
  },
  'shared texts that cannot be read': {
    prepare: prepareFile(() => join(app.eventsDir, '_shared', 'texts.yaml'), 'calls: ['),
    expected: /^wrong +The files in _shared have errors\./,
  },
  'no event files': {
    variables: () => ({ EVENTS_DIR: join(folder, 'nowhere') }),
    expected: /^wrong +EVENTS_DIR is .+nowhere, which does not exist\./,
  },
  'no event files, and a file in place of their folder': {
    variables: () => ({ EVENTS_DIR: join(app.dir, 'rollcall.db') }),
    expected: /^wrong +EVENTS_DIR is .+, which is not a folder\. Set it to the folder/,
  },
  'a data folder that is a file': {
    variables: () => ({ DATA_DIR: join(app.dir, 'rollcall.db') }),
    expected: /^wrong +DATA_DIR is .+rollcall\.db, which is a file or is inside one\. Set DATA_DIR/,
  },
  'a data folder that other users can read': {
    prepare: () => {
      chmodSync(app.dir, 0o755)
      return () => chmodSync(app.dir, 0o700)
    },
    expected: /^wrong +Other users of this machine can read DATA_DIR/,
  },
  'a database from a newer version': {
    variables: createDatabaseOfVersion(999),
    expected: /^wrong +The database is from a newer version of Rollcall \(999;/,
  },
  'a database from an older version': {
    variables: createDatabaseOfVersion(1),
    expected: /^check +The database has version 1\. The server migrates it to \d+ /,
  },
  'a file that is not a database': {
    variables: prepareTemporaryFolder((dir) =>
      writeFileSync(join(dir, 'rollcall.db'), 'nothing '.repeat(1000)),
    ),
    expected: /^wrong +The database rollcall\.db in DATA_DIR cannot be used: it is not a database/,
  },
  'no database': {
    variables: prepareTemporaryFolder(() => {}),
    expected: /^check +There is no database yet/,
  },
  'a file that is missing': {
    prepare: () => {
      const [sha256 = ''] = checkCopy(join(app.dir, 'rollcall.db')).files
      const file = join(app.dir, 'uploads', sha256.slice(0, 2), sha256)
      const bytes = readFileSync(file)
      rmSync(file)
      return () => writeFileSync(file, bytes)
    },
    expected: /^wrong +1 file that registrations refer to is missing: \w{64}\./,
  },
  'an unreachable mail server': {
    variables: () => ({ SMTP_URL: 'smtp://127.0.0.1:1' }),
    expected: /^wrong +The mail server does not accept emails: .*ECONNREFUSED/,
  },
  'a mail server without a sender': {
    variables: () => ({ SMTP_URL: 'smtp://127.0.0.1:1' }),
    expected:
      /^check +MAIL_FROM is not set, so emails are sent from Rollcall <no-reply@127\.0\.0\.1>\. Set it to an address/,
  },
  'no mail server': {
    expected: /^check +Emails are written to DATA_DIR\/mail and not sent\. Set SMTP_URL/,
  },
  'no backup': {
    variables: prepareTemporaryFolder(() => {}),
    expected: /^check +There is no backup yet\./,
  },
  'an old backup': {
    prepare: () => {
      const file = join(app.dir, 'backed-up')
      const contentBefore = existsSync(file) ? readFileSync(file) : null
      writeFileSync(file, String(app.now() - 40 * 3_600_000))
      return () => (contentBefore === null ? rmSync(file) : writeFileSync(file, contentBefore))
    },
    expected: /^wrong +The last backup is 40 hours old\./,
  },
  'an unreachable public address': {
    variables: () => LIVE_SETTINGS,
    expected:
      /^wrong +PUBLIC_URL is http:\/\/127\.0\.0\.1:1, which is reachable only from this machine/,
  },
  'no proxy in the settings': {
    variables: () => ({ ...LIVE_SETTINGS, PUBLIC_URL: 'https://register.example.org' }),
    expected: /^check +TRUST_PROXY is not set/,
  },
  'a database with damaged pages': {
    variables: prepareTemporaryFolder((dir) => {
      const file = join(dir, 'rollcall.db')
      copyDatabase(app.dir, file)
      const handle = openSync(file, 'r+')
      // Damages pages after the part that SQLite reads when it opens the file.
      for (let page = 20; page < 60; page += 1)
        writeSync(handle, 'spoilt '.repeat(500), page * 4096)
      closeSync(handle)
    }),
    expected:
      /^wrong +The database (is damaged: |rollcall\.db in DATA_DIR cannot be used: it is damaged)/,
  },
  // A file system that reports no free space.
  'a full disk': {
    variables: () => ({ DATA_DIR: '/proc' }),
    expected:
      /^wrong +0 MB is free on the disk of DATA_DIR: uploads are rejected, and registrations will soon fail too\./,
  },
  'a server that hangs or listens elsewhere': {
    prepare: () => {
      const undo = lockDataFolder(app.dir) ?? (() => {})
      // A recently started process may be about to respond.
      utimesSync(join(app.dir, 'serving.pid'), 0, 0)
      return undo
    },
    expected:
      /^wrong +A server is running on this DATA_DIR \(process \d+\), but does not respond at http:\/\/127\.0\.0\.1:1\/healthz/,
  },
  'a server whose database was deleted: it must not be stopped': {
    variables: prepareTemporaryFolder((dir) => {
      lockReleases.push(lockDataFolder(dir))
      writeFileSync(join(dir, 'serving.pid'), '4711')
      writeFileSync(join(dir, 'last-served.json'), '{}')
    }),
    expected:
      /^wrong +A server is running on this DATA_DIR \(process 4711\), and its database is gone\. Do not stop it/,
  },
  'a second server, with a different DATA_DIR, at the address of this server': {
    variables: () => ({ PORT: String(getPort(app)) }),
    prepare: listenOnPort,
    expected:
      /^wrong +A server with another DATA_DIR responds at http:\/\/127\.0\.0\.1:\d+\/healthz/,
  },
  'another program at the address of this server, which would prevent a start': {
    variables: () => ({ DATA_DIR: join(folder, 'unused'), PORT: String(getPort(otherProgram)) }),
    prepare: async () => {
      const { server } = otherProgram.app
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return () => void server.close()
    },
    expected: /^check +Another program listens on port \d+, so a server cannot start there\./,
  },
  'two servers, of which delegates reach the one with a different DATA_DIR': {
    variables: () => ({ PORT: String(getPort(app)) }),
    prepare: async () => {
      const undoListen = await listenOnPort()
      const undo = lockDataFolder(app.dir)
      writeFileSync(join(app.dir, 'serving.pid'), '4711')
      return () => {
        undo?.()
        undoListen()
      }
    },
    expected:
      /^wrong +A server is running on this DATA_DIR \(process 4711\), but another one \(process \d+\) responds at /,
  },
  'a gateway with a different clock': {
    variables: () => LIVE_SETTINGS,
    prepare: async () => {
      const { key, cert } = createRequire(import.meta.url)(
        'smtp-server/lib/tls-options.js',
      ).default({})
      const gateway = createServer({ key, cert }, (_, answer) => {
        answer.setHeader('date', new Date(Date.now() - 300_000).toUTCString())
        answer.end()
      })
      gateway.listen(0, '127.0.0.1')
      await once(gateway, 'listening')
      // The gateway's certificate is not trusted.
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
      const restore = replaceGatewayAddress(
        `https://localhost:${getPort({ app: { server: gateway } })}`,
      )
      return () => {
        restore()
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
        gateway.close()
      }
    },
    expected:
      /^wrong +The clocks of this machine and of the gateway at localhost:\d+ differ by \d{3} seconds\./,
  },
  'an unreachable gateway': {
    variables: () => LIVE_SETTINGS,
    prepare: () => replaceGatewayAddress('https://127.0.0.1:1'),
    expected: /^wrong +The gateway at 127\.0\.0\.1:1 is unreachable\./,
  },
}

test.each(Object.keys(faults))('finds %s', { tags: ['slow'] }, async (name) => {
  const {
    expected,
    variables: faultVariables = () => ({}),
    prepare = () => () => {},
  } = faults[name] ?? { expected: /never/ }
  const undoFault = await prepare()
  try {
    const { status, lines } = await runDoctor(faultVariables())
    expect(lines).toContainEqual(expect.stringMatching(expected))
    if (expected.source.startsWith('^wrong')) expect(status).toBe(1)
  } finally {
    undoFault()
  }
})

test('reports an untested version of Node', { tags: ['slow'] }, () => {
  const newerNode = join(folder, 'newer.cjs')
  writeFileSync(newerNode, "Object.defineProperty(process.versions, 'node', { value: '99.1.0' })")
  const { stdout } = run(['--require', newerNode, launcher, 'doctor'], getVariables())
  expect(stdout).toMatch(/^check +Node is 99\.1\.0\. Rollcall was tested with \d+\.\d+\.\d+\.$/m)
})

test('reports an account without credentials', async () => {
  const { lines } = await runDoctor({ GATEWAY_MODE: 'live', CLOCK: '' })
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^wrong +Event sample2026 uses the Airpay account "sample", so AIRPAY_SAMPLE_USERNAME/,
    ),
  )
})

test('reports no problem in a correct installation, and changes nothing', async () => {
  await recordBackup(app.dir, app.now())
  const filesBefore = readdirSync(app.dir).sort()
  const { status, lines } = await runDoctor()
  expect(lines.filter((line) => line.startsWith('wrong'))).toEqual([])
  expect(status).toBe(0)
  expect(
    readdirSync(app.dir)
      .filter((name) => !name.startsWith('serving'))
      .sort(),
  ).toEqual(filesBefore.filter((name) => !name.startsWith('serving')))
})
