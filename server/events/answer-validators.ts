/**
 * What judges an event's answers: its schema, compiled once for each version of its file. Here by ajv,
 * whose word is the server's verdict; and as a module that gives the browser the same word, because the
 * content security policy forbids compiling there. The module's address holds its hash.
 */
import type * as Compiler from '@rjsf/validator-ajv8/compileSchemaValidators'
import { createHash } from 'node:crypto'
import { setImmediate as rest } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { RJSFSchema } from '@rjsf/utils'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import {
  assert,
  checkBySchema,
  dayOf,
  isoIndia,
  NO_FACTS,
  openOn,
  publicEvent,
  remember,
  toSchema,
} from '../../engine/index.ts'
import type {
  Answers,
  EventAnswer,
  Facts,
  FieldErrors,
  Instant,
  PublicEvent,
  RawAnswers,
  Result,
} from '../../engine/index.ts'
import type { Deps, EventRegistry, Log, ServedEvent } from '../dependencies.ts'
import { later } from '../ops/lazy-import.ts'
import { versionOf } from './versions/held-versions.ts'

const compiler = later<typeof Compiler>('@rjsf/validator-ajv8/compileSchemaValidators')

/** The module as it travels: generated code shrinks to an eighth, and is packed once, not at each visit. */
export type ValidatorModule = { readonly text: string; readonly gzip: Buffer }
type Shown = {
  readonly event: PublicEvent
  readonly schema: object
  readonly hash: string
  readonly url: string
  readonly module: ValidatorModule
}

/** Pages that were open before a reload ask for old modules; those of some hundred reloads are remembered. */
const OLD_MODULES_BYTES_MAX = 32 * 1024 * 1024
/** Compiling takes some 30 ms an event, in which nobody is answered; a server of more is warmed by its visitors. */
const WARMED_MAX = 50

/** Forms are open for an hour or a day, and in that time an event file changes so often. */
const EARLIER_MAX = 8
/** Hashes of versions whose modules were made for whoever asked; asking again for what is not there costs nothing. */
const looked = new Set<string>()
const LOOKED_MAX = 10_000

/** The same options in both: every error is wanted, and a field may be called like something all objects have. */
const OPTIONS = { allErrors: true, strict: false, ownProperties: true, verbose: false } as const
const ajv = new Ajv(OPTIONS)

/** By the module's own hash, the oldest first. */
const modules = new Map<string, ValidatorModule>()

/** The normalised answers, or one text per field in form order: the schema's verdict. */
export function checkedAnswers(
  served: ServedEvent,
  raw: RawAnswers,
  facts: Facts = NO_FACTS,
): Result<Answers, FieldErrors> {
  const validate = judgeOf(served)
  const judge = (answers: Answers) => (validate(answers) ? [] : (validate.errors ?? []))
  return checkBySchema(served.config, raw, judge, facts)
}

const judgeOf = remember((served: ServedEvent): ValidateFunction => {
  const schema = toSchema(publicEvent(served.config))
  const made = ajv.compile(schema)
  // ajv keeps what it compiled for ever; here it goes with the version it belongs to.
  ajv.removeSchema(schema)
  return made
})

/** What a browser gets of an event: its public side, its schema, and where the compiled schema is. */
export function eventAnswer(served: ServedEvent, at: Instant): EventAnswer {
  const { event, schema, url } = shown(served)
  return {
    status: 'success',
    event,
    hash: served.hash,
    validator_url: url,
    schema,
    now: isoIndia(at),
  }
}

/** The module; null for a hash that no version served lately had. */
export function validatorModule(served: ServedEvent | null, hash: string): ValidatorModule | null {
  const current = served === null ? null : shown(served)
  return current?.hash === hash ? current.module : (modules.get(hash) ?? null)
}

/**
 * The module of a form that another server has given out, or this one before it was started again: of the version that
 * is active by now, or of one of the last. Null: there is none.
 */
export async function earlierModule(
  { events, store }: Pick<Deps, 'events' | 'store'>,
  eventId: string,
  hash: string,
): Promise<ValidatorModule | null> {
  await events.follow()
  const now = validatorModule(events.byId(eventId), hash)
  if (now !== null) return now
  for (const version of await store.lastVersions(eventId, EARLIER_MAX)) {
    if (looked.has(version)) continue
    looked.add(version)
    if (looked.size > LOOKED_MAX) looked.clear()
    const served = await versionOf(store, version)
    if (served !== null && shown(served).hash === hash) break
  }
  return modules.get(hash) ?? null
}

/**
 * Compiles what is open for registration before anybody asks, an event at a time with rests between,
 * once it `begins` and after each reload. Answers how to stop.
 */
export function warmValidators(
  events: EventRegistry,
  clock: () => Instant,
  log: Log,
  begins: Promise<void> = Promise.resolve(),
): { readonly done: () => Promise<void>; readonly stop: () => void } {
  let stopped = false
  const warm = async (): Promise<void> => {
    const open = events.all().filter(({ config }) => openOn(config, dayOf(clock())).open)
    for (const served of open.slice(0, WARMED_MAX)) {
      await rest()
      if (stopped) return
      try {
        judgeOf(served)
        shown(served)
      } catch (error) {
        log.error({ event: served.config.id, error: String(error) }, 'a form cannot be judged')
      }
    }
  }
  let working = begins.then(warm)
  events.onChange(() => {
    working = working.then(warm)
  })
  return {
    done: async () => working,
    stop: () => {
      stopped = true
    },
  }
}

const shown = remember((served: ServedEvent): Shown => {
  const event = publicEvent(served.config)
  const schema = toSchema(event)
  const text = moduleOf(schema as RJSFSchema)
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const module = modules.get(hash) ?? { text, gzip: gzipSync(text, { level: 9 }) }
  keepModule(hash, module)
  return { event, schema, hash, url: `/api/events/${event.id}/validator.${hash}.js`, module }
})

function keepModule(hash: string, module: ValidatorModule): void {
  modules.delete(hash)
  modules.set(hash, module)
  let bytes = 0
  for (const [each, { text, gzip }] of [...modules].reverse()) {
    bytes += text.length + gzip.length
    if (bytes > OLD_MODULES_BYTES_MAX) modules.delete(each)
  }
}

function moduleOf(schema: RJSFSchema): string {
  const code = compiler().compileSchemaValidatorsCode(schema, {
    ajvOptionsOverrides: { ...OPTIONS, code: { lines: false } },
  })
  // Only formats, lengths and comparisons of whole objects need one; the engine's schema has none of them.
  assert(!/\brequire\(/.test(code), 'the lowered schema needs a module at run time')
  return `const exports={};\n${code.replace(/^"use strict";/, '')}\nexport default exports;\n`
}
