/** Where the operator works: an unpacked release, its variables, and folders of one server after the other. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { formOf } from '../../../attacks/target.ts'
import { createPdf } from '../../sample-uploads.ts'
import { fixtureEvent } from '../../small-event.ts'
import { hold } from '../socket-parent.ts'
import type { Held } from '../socket-parent.ts'
import { askOnce } from '../load.ts'
import type { Ask } from '../load.ts'
import type { Folders } from '../operator.ts'
import { sandboxAccount } from '../../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { confinementOf, unitOf, USER_ID } from './systemd-unit.ts'
import type { Confinement } from './systemd-unit.ts'

export const PASSWORD = 'a password for operators'
/** One that is paid, with a proof, and one that is free and so mails at once. */
export const PAID = 'sample2026'
export const FREE = 'free2026'

export type Place = {
  readonly release: string
  readonly confinement: Confinement
  /** The variables of the unit and of its file; DATA_DIR and EVENTS_DIR are each server's own. */
  readonly variables: Readonly<Record<string, string>>
  /** A folder of its own that everybody may pass through. */
  folder(name: string): string
  /** Where a server keeps its data, and its event files, both new. */
  folders(name: string): Folders
  /** The server's command under the unit's settings. */
  command(folders: Folders): readonly [string, ...string[]]
  /** A socket, and a server that serves on it. */
  serve(folders: Folders, variables?: Readonly<Record<string, string>>): Promise<Held>
  /** `rollcall …` of the release as the server's user; answers what it said and its status. */
  rollcall(
    folders: Folders,
    args: readonly string[],
    writes?: readonly string[],
    variables?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number | null; readonly said: string }>
  remove(): void
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const DAY_MS = 24 * 60 * 60_000

/** An event that takes registrations today. */
export function openEvent(id: string, payment: 'airpay' | 'none', now = Date.now()): string {
  const at = (days: number): string => day(now + days * DAY_MS)
  return fixtureEvent({
    id,
    prefix: id.slice(0, 4).toUpperCase(),
    title: `Sample of ${id}`,
    payment,
  })
    .replace('from: 2026-03-01', `from: ${at(90)}`)
    .replace('to: 2026-03-02', `to: ${at(91)}`)
    .replace('from: 2026-01-01, to: 2026-01-31', `from: ${at(-10)}, to: ${at(30)}`)
    .replace('from: 2026-02-01, to: 2026-02-28', `from: ${at(31)}, to: ${at(60)}`)
    .replace('on: 2026-01-10', `on: ${at(0)}`)
}

/** Prepares to operate the release that lies unpacked in a folder. */
export function placeOf(release: string): Place {
  const base = mkdtempSync(join(tmpdir(), 'rollcall-operate-'))
  chmodSync(base, 0o755)
  const unit = unitOf(release)
  const confinement = confinementOf(unit, release)
  const account = sandboxAccount('sample')
  const { DATA_DIR: _data, EVENTS_DIR: _events, ...ofUnit } = unit.variables
  const variables = {
    PATH: '/usr/bin:/bin',
    ...ofUnit,
    PUBLIC_URL: 'https://register.example.org',
    TRUST_PROXY: '127.0.0.1',
    ADMIN_PASSWORD: PASSWORD,
    AIRPAY_SAMPLE_USERNAME: account.username,
    AIRPAY_SAMPLE_PASSWORD: account.password,
    AIRPAY_SAMPLE_SECRET: account.secret,
    AIRPAY_SAMPLE_MERCHANT_ID: account.merchantId,
    // Of rehearsals, which the unit is none.
    CLOCK: '',
    RATE_LIMITS: 'on',
    NODE_COMPILE_CACHE: join(base, 'compiled'),
  }
  const ofServer = (path: string): string => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    if (confinement.isOtherUser) chownSync(path, USER_ID, USER_ID)
    return path
  }
  ofServer(variables.NODE_COMPILE_CACHE)
  const writable = ({ dataDir }: Folders): readonly string[] => [
    dataDir,
    variables.NODE_COMPILE_CACHE,
  ]
  const place: Place = {
    release,
    confinement,
    variables,
    folder: (name) => ofServer(join(base, name)),
    folders: (name) => {
      const folder = join(base, name)
      mkdirSync(folder)
      const eventsDir = join(folder, 'events')
      cpSync(join(release, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
      writeFileSync(join(eventsDir, `${PAID}.yaml`), openEvent(PAID, 'airpay'))
      writeFileSync(join(eventsDir, `${FREE}.yaml`), openEvent(FREE, 'none'))
      return { folder, dataDir: ofServer(join(folder, 'data')), eventsDir }
    },
    command: (folders) =>
      confinement.confined(
        // The program and its script are paths in the release; flags and the command are not.
        unit.command.map((word) => (word.includes('bin/') ? join(release, word) : word)),
        writable(folders),
      ),
    serve: async (folders, more = {}) => {
      const held = await hold(folders, { ...variables, ...more }, place.command(folders))
      held.start()
      await held.serving()
      return held
    },
    rollcall: async ({ dataDir, eventsDir, ...folders }, args, writes = [], more = {}) => {
      const [program, ...rest] = confinement.confined(
        [join(release, 'bin', 'rollcall'), ...args],
        [...writable({ dataDir, eventsDir, ...folders }), ...writes],
      )
      const child = spawn(program, rest, {
        env: { ...variables, DATA_DIR: dataDir, EVENTS_DIR: eventsDir, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
      const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
      return { status, said: said.trim() }
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
  return place
}

/** Rows of a database that nobody else need have closed. */
export function rowsOf(file: string, sql: string): readonly Record<string, unknown>[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    db.close()
  }
}
export const numbersIn = ({ dataDir }: Pick<Folders, 'dataDir'>): readonly string[] =>
  rowsOf(join(dataDir, 'rollcall.db'), 'SELECT reg_no FROM registrations ORDER BY reg_no').map(
    ({ reg_no }) => String(reg_no),
  )

/** Each comes from an address of their own, so that each has limits of their own. */
const addressOf = (n: number): string => `127.${1 + ((n >> 16) & 127)}.${(n >> 8) & 255}.${n & 255}`

/** The n-th request of a load: somebody reads, registers, registers with a proof. */
export function asksOf(n: number, event = PAID): Ask {
  const from = addressOf(n)
  if (n % 3 === 0) return { path: `/${event}`, from }
  const answers = {
    full_name: 'Asha Nair',
    email: `asha${n}@example.org`,
    phone_number: '9876543210',
    is_member: 'true',
  }
  const path = `/api/${event}/register/`
  if (n % 3 === 1) return { path, body: JSON.stringify(answers), from }
  const form = formOf(answers, [
    { field: 'letter', filename: 'letter.pdf', bytes: createPdf(`${n}`) },
  ])
  return { path, body: form.body, headers: form.headers, from }
}

/** Registers one; answers the number, or throws what was answered instead. */
export async function registerOne(url: string, n: number, event = PAID): Promise<string> {
  const { status, text } = await askOnce(url, asksOf(n * 3 + 1, event))
  if (status !== 201) throw new Error(`not registered: ${status} ${text}`)
  return (JSON.parse(text) as { readonly reg_no: string }).reg_no
}

/** Signs in; answers what asks the office. */
export async function officeOf(url: string): Promise<(path: string) => Promise<string>> {
  const { text } = await askOnce(url, {
    path: '/admin/login/',
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  const { token } = JSON.parse(text) as { readonly token?: string }
  if (token === undefined) throw new Error(`not signed in: ${text}`)
  return async (path) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await askOnce(url, { path, headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.text
  }
}

/** Lines of /metrics by their name. */
export async function figuresOf(url: string): Promise<ReadonlyMap<string, number>> {
  const { text } = await askOnce(url, { path: '/metrics', headers: { connection: 'keep-alive' } })
  return new Map(
    [...text.matchAll(/^(rollcall_\S+) (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  )
}

/** Looks until it is so, for so long at most; throws what was seen last. */
export async function until(
  what: string,
  secondsMax: number,
  look: () => Promise<boolean> | boolean,
): Promise<number> {
  const began = performance.now()
  for (;;) {
    const seconds = (performance.now() - began) / 1000
    if (await look()) return seconds
    if (seconds > secondsMax) throw new Error(`${what}: not within ${secondsMax} seconds`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

export function same(what: string, seen: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${what}: ${a.slice(0, 600)}, not ${b.slice(0, 600)}`)
}
