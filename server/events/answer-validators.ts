/**
 * Compiles the answer schema of each event version into a validator.
 * The server runs it with ajv, whose result is decisive. The browser gets it as a module with the same result,
 * because the content security policy forbids compiling there. The module's address contains its hash.
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
  EMPTY_CONTEXT,
  checkRegistrationOpen,
  publicEvent,
  memoize,
  toSchema,
} from '../../engine/index.ts'
import type {
  Answers,
  PricingContext,
  FieldErrors,
  Instant,
  PublicEvent,
  RawAnswers,
  Result,
} from '../../engine/index.ts'
import type { EventAnswer } from '../../engine/api.ts'
import type { Deps, EventRegistry, Log, ServedEvent } from '../dependencies.ts'
import { later } from '../ops/lazy-import.ts'
import { versionOf } from './versions/version-approval.ts'

const compiler = later<typeof Compiler>('@rjsf/validator-ajv8/compileSchemaValidators')

/** The module as sent: compression reduces generated code to an eighth, and is done once, not per visit. */
export type ValidatorModule = { readonly text: string; readonly gzip: Buffer }
type Shown = {
  readonly event: PublicEvent
  readonly schema: object
  readonly hash: string
  readonly url: string
  readonly module: ValidatorModule
}

/** Pages opened before a reload request old modules; those of some hundred reloads are kept. */
const OLD_MODULES_BYTES_MAX = 32 * 1024 * 1024
/**
 * Compiling takes about 30 ms per event, during which the server is blocked; with more events, the first visitor
 * of each triggers it.
 */
const WARMED_MAX = 50

/** Forms stay open for an hour or a day; in that time an event file may change this often. */
const EARLIER_MAX = 8
/** Hashes for which old versions were compiled on request; repeated requests for unknown hashes cost nothing. */
const looked = new Set<string>()
const LOOKED_MAX = 10_000

/** The same options in both: all errors are reported, and a field may have the name of an Object property. */
const OPTIONS = { allErrors: true, strict: false, ownProperties: true, verbose: false } as const
const ajv = new Ajv(OPTIONS)

/** By the module's own hash, oldest first. */
const modules = new Map<string, ValidatorModule>()

/** Returns the normalised answers, or one message per field in form order: the schema's result. */
export function checkedAnswers(
  served: ServedEvent,
  raw: RawAnswers,
  facts: PricingContext = EMPTY_CONTEXT,
): Result<Answers, FieldErrors> {
  const validate = judgeOf(served)
  const judge = (answers: Answers) => (validate(answers) ? [] : (validate.errors ?? []))
  return checkBySchema(served.config, raw, judge, facts)
}

const judgeOf = memoize((served: ServedEvent): ValidateFunction => {
  const schema = toSchema(publicEvent(served.config))
  const made = ajv.compile(schema)
  // ajv keeps what it compiled permanently; here it is released with its version.
  ajv.removeSchema(schema)
  return made
})

/** Returns what a browser gets of an event: its public part, its schema, and the address of the compiled schema. */
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

/** Returns the module; null for a hash that no recent version had. */
export function validatorModule(served: ServedEvent | null, hash: string): ValidatorModule | null {
  const current = served === null ? null : shown(served)
  return current?.hash === hash ? current.module : (modules.get(hash) ?? null)
}

/**
 * Returns the module of a form that another server has delivered, or this one before a restart: of the active
 * version or of one of the last. Null: there is none.
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
 * Compiles the validators of events open for registration ahead of the first request, with pauses between events,
 * once it `begins` and after each reload. Returns a function that stops it.
 */
export function warmValidators(
  events: EventRegistry,
  clock: () => Instant,
  log: Log,
  begins: Promise<void> = Promise.resolve(),
): { readonly done: () => Promise<void>; readonly stop: () => void } {
  let stopped = false
  const warm = async (): Promise<void> => {
    const open = events
      .all()
      .filter(({ config }) => checkRegistrationOpen(config, dayOf(clock())).open)
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

const shown = memoize((served: ServedEvent): Shown => {
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
