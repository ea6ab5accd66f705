/** A server process: listens, says where, and stops without losing anything. */
import { createServer } from 'node:net'
import { err, formatInstant, ok } from '../engine/index.ts'
import type { Result } from '../engine/index.ts'
import { assemble } from './assemble.ts'
import type { Assembled, CannotStart } from './assemble.ts'
import type { Terminal } from './commands/command.ts'
import { makeClock } from './machine/clock.ts'
import type { Deps, Environment, Log } from './deps.ts'
import { makeLog } from './machine/log.ts'
import { servable } from './machine/servable.ts'
import { hashPassword, makePassword, passwordRefusal } from './office/passwords.ts'

/** Files that no registration refers to are looked for this often. */
const SWEEP_MS = 60 * 60 * 1000
/** Whether the database is still the file that was opened is looked at this often. */
const LOOK_MS = 10_000
/** A stop that takes longer than this has got stuck. */
const STOP_MS_MAX = 30_000

export type Booted = { readonly url: string; readonly stopped: Promise<void> }

/** Where a server runs: what its log is written to, and what tells it to stop. */
export type Place = {
  /** Lines of one turn of the event loop at once. */
  write(lines: string): void
  /** Resolves with the name of whatever tells it. */
  told(log: Log): Promise<string>
}
/** This process, which ends with its server. */
const ownProcess: Place = {
  write: (lines) => void process.stdout.write(lines),
  told: whenTold,
}

/**
 * Starts everything and listens. Resolves once it is said where; refused with a sentence and the exit status where an
 * event file, a variable or the database does not let it start.
 */
export async function boot(
  wanted: Environment,
  terminal: Terminal,
  place: Place = ownProcess,
): Promise<Result<Booted, CannotStart>> {
  const fit = servable(wanted)
  if (!fit.ok) return err({ status: 2, text: fit.error.join('\n') })
  for (const sentence of fit.value) terminal.complain(sentence)
  const environment = await withRealPort(wanted)
  const clock = makeClock(environment.clockStart)
  const log = makeLog(inOneWrite(place.write), clock)
  // From the first moment on: a server that is told to stop while it starts, starts and then stops.
  const told = place.told(log)
  const assembled = await assemble(environment, {
    clock,
    log,
    print: terminal.complain,
    works: true,
  })
  if (!assembled.ok) return assembled
  const { app, deps, sandbox } = assembled.value
  const first = await addFirstAdmin(assembled.value)
  if (!first.ok) {
    await assembled.value.close()
    return err({ status: 2, text: first.error })
  }
  const password = first.value
  try {
    await app.listen({ port: environment.port, host: environment.host })
  } catch (error) {
    await assembled.value.close()
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (!isTaken) throw error
    return err({
      status: 2,
      text: `Port ${environment.port} on ${environment.host} is already in use. Set PORT to a free one.`,
    })
  }
  const sweeping = setInterval(() => {
    deps.uploads.sweep().then(
      (removed) => removed > 0 && log.info({ removed }, 'unused uploads were removed'),
      (error: unknown) => log.error({ error: String(error) }, 'the sweep of uploads stumbled'),
    )
  }, SWEEP_MS)
  sweeping.unref()
  const look = noticeLoss(deps)
  const looking = setInterval(() => void look(), LOOK_MS)
  looking.unref()

  const url = environment.publicUrl
  terminal.print(
    [
      `Rollcall serves ${deps.events.all().length} event${deps.events.all().length === 1 ? '' : 's'} on ${url}`,
      `  Office   ${url}/admin/login`,
      ...(sandbox === null ? [] : [`  Sandbox  ${sandbox.url} (no real money)`]),
      ...(environment.clockStart === null
        ? []
        : [
            `  Clock    started at ${formatInstant(environment.clockStart)} in India, for rehearsal`,
          ]),
      ...(password === null
        ? []
        : [
            `  Admin    ${environment.firstAdmin.username}, password ${password} (printed only now)`,
          ]),
    ].join('\n'),
  )
  const stopped = told.then(async (signal) => {
    clearInterval(sweeping)
    clearInterval(looking)
    log.info({ signal }, 'stopping')
    const stuck = setTimeout(() => {
      log.error({}, 'the stop got stuck')
      process.exit(3)
    }, STOP_MS_MAX)
    stuck.unref()
    await assembled.value.close()
    clearTimeout(stuck)
    log.info({}, 'stopped')
  })
  return ok({ url, stopped })
}

/** Says once that the database file has gone: the server works on in a file that nobody will find again. */
export function noticeLoss({ store, log }: Pick<Deps, 'store' | 'log'>): () => Promise<void> {
  let isSaid = false
  return async () => {
    const stands = await store.stands()
    if (!stands && !isSaid)
      log.error(
        {},
        'the database file was deleted or replaced while the server runs: what is stored from now on is lost. Stop the server, put the file back and start again',
      )
    isSaid = !stands
  }
}

/** Lines of one turn of the event loop in one write: under load a write per line is felt. */
function inOneWrite(write: (lines: string) => void): (line: string) => void {
  let lines = ''
  return (line) => {
    if (lines === '') {
      setImmediate(() => {
        write(lines)
        lines = ''
      })
    }
    lines += line
  }
}

/** Resolves at the first SIGTERM or SIGINT; a second one does not wait. */
function whenTold(log: Log): Promise<string> {
  return new Promise((resolve) => {
    let told = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (told) {
          log.warn({ signal }, 'told twice: stopping at once')
          process.exit(3)
        }
        told = true
        resolve(signal)
      })
    }
  })
}

/** Port 0 is any free one. It has to be known before anything refers to the server's address. */
async function withRealPort(environment: Environment): Promise<Environment> {
  if (environment.port !== 0) return environment
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, environment.host, () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no free port')),
      )
    })
  })
  return { ...environment, port, publicUrl: environment.publicUrl.replace(/:0$/, `:${port}`) }
}

/**
 * Adds the first admin when there is none. Answers the password if it was made up, to be printed once;
 * refuses one that everybody guesses.
 */
async function addFirstAdmin({ deps }: Assembled): Promise<Result<string | null, string>> {
  const { store, environment, clock, events } = deps
  if ((await store.adminCount()) > 0) return ok(null)
  const given = environment.firstAdmin.password
  const names = [environment.firstAdmin.username, ...events.all().map(({ config }) => config.id)]
  const refusal = given === null ? null : passwordRefusal(given, names)
  if (refusal !== null) return err(`ADMIN_PASSWORD is not taken. ${refusal}`)
  const password = given ?? makePassword()
  const added = await store.addAdmin(
    environment.firstAdmin.username,
    await hashPassword(password),
    clock(),
  )
  return ok(added.ok && given === null ? password : null)
}
