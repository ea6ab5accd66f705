/**
 * Compiles the answer schema of each event version into a validator.
 * The server runs it with ajv, whose result is authoritative. The browser gets a compiled module with the same result,
 * because the content security policy forbids compiling there. The module's URL contains its hash.
 */
import type * as Compiler from '@rjsf/validator-ajv8/compileSchemaValidators'
import { createHash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { RJSFSchema } from '@rjsf/utils'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import {
  assert,
  validateWithSchema,
  dayOf,
  formatIsoIndia,
  EMPTY_CONTEXT,
  checkRegistrationOpen,
  toPublicEvent,
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
import type { EventResponse } from '../../engine/api.ts'
import type { Deps, EventRegistry, Log, ServedEvent } from '../dependencies.ts'
import { importLazily } from '../ops/lazy-import.ts'
import { readVersion } from './versions/version-approval.ts'

const loadCompiler = importLazily<typeof Compiler>('@rjsf/validator-ajv8/compileSchemaValidators')

type PublicForm = {
  readonly event: PublicEvent
  readonly schema: object
  readonly hash: string
  readonly url: string
  readonly module: string
}

/** Pages opened before a reload still request old modules. This limit keeps the modules of a few hundred reloads. */
const MAX_OLD_MODULES_BYTES = 32 * 1024 * 1024
/**
 * Compiling takes about 30 ms per event, during which the server is blocked. Validators of further events are
 * compiled when the first visitor needs them.
 */
const MAX_WARMED_VALIDATORS = 50

/** The number of times that an event file may change while a form stays open. */
const MAX_OLD_VERSIONS = 8
/** Versions that were already searched, so that repeated requests for unknown modules are cheap. */
const checkedVersions = new Set<string>()
const MAX_LOOKUPS = 10_000

/**
 * The same options on the server and in the browser: all errors are reported, and a field may have the name of an
 * Object property.
 */
const OPTIONS = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  verbose: false,
  // A test checks the engine's schemas against the meta-schema, which takes longer than compiling them.
  validateSchema: false,
} as const
const ajv = new Ajv(OPTIONS)

/** Modules by their own hashes, oldest first. */
const modules = new Map<string, string>()

/** Returns the schema's result: the normalised answers, or one message per field in form order. */
export function checkAnswers(
  served: ServedEvent,
  raw: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): Result<Answers, FieldErrors> {
  const validate = getValidator(served)
  const runSchema = (answers: Answers) => (validate(answers) ? [] : (validate.errors ?? []))
  return validateWithSchema(served.config, raw, runSchema, context)
}

const getValidator = memoize((served: ServedEvent): ValidateFunction => {
  const schema = toSchema(toPublicEvent(served.config))
  const validator = ajv.compile(schema)
  // ajv itself never releases a compiled schema. Without this reference, the schema is released with its version.
  ajv.removeSchema(schema)
  return validator
})

/** Returns an event for the browser: its public part, its schema, and the URL of the compiled schema. */
export function buildEventResponse(served: ServedEvent, at: Instant): EventResponse {
  const { event, schema, url } = getPublicForm(served)
  return {
    status: 'success',
    event,
    hash: served.hash,
    validator_url: url,
    schema,
    now: formatIsoIndia(at),
  }
}

/** Returns the module; null if no recent version had this hash. */
export function findModule(served: ServedEvent | null, hash: string): string | null {
  const currentForm = served === null ? null : getPublicForm(served)
  return currentForm?.hash === hash ? currentForm.module : (modules.get(hash) ?? null)
}

/**
 * Returns a module that was delivered by another server, or by this server before a restart, if its version is active
 * or recent. Null if there is none.
 */
export async function findEarlierModule(
  { events, store }: Pick<Deps, 'events' | 'store'>,
  eventId: string,
  hash: string,
): Promise<string | null> {
  await events.refresh()
  const activeModule = findModule(events.findById(eventId), hash)
  if (activeModule !== null) return activeModule
  for (const version of await store.lastVersions(eventId, MAX_OLD_VERSIONS)) {
    if (checkedVersions.has(version)) continue
    checkedVersions.add(version)
    if (checkedVersions.size > MAX_LOOKUPS) checkedVersions.clear()
    const served = await readVersion(store, version)
    if (served !== null && getPublicForm(served).hash === hash) break
  }
  return modules.get(hash) ?? null
}

/**
 * Compiles the validators of events open for registration before the first request, with pauses between events, after
 * `start` and after each reload. `done` resolves when the current compilation ends; `stop` ends it early.
 */
export function warmValidators(
  events: EventRegistry,
  clock: () => Instant,
  log: Log,
  start: Promise<void> = Promise.resolve(),
): { readonly done: () => Promise<void>; readonly stop: () => void } {
  let isStopped = false
  const warm = async (): Promise<void> => {
    const openEvents = events
      .all()
      .filter(({ config }) => checkRegistrationOpen(config, dayOf(clock())).open)
    for (const served of openEvents.slice(0, MAX_WARMED_VALIDATORS)) {
      await yieldToEventLoop()
      if (isStopped) return
      try {
        getValidator(served)
        getPublicForm(served)
      } catch (error) {
        log.error(
          { event: served.config.id, error: String(error) },
          'a form’s validator cannot be compiled',
        )
      }
    }
  }
  let warming = start.then(warm)
  events.onChange(() => {
    warming = warming.then(warm)
  })
  return {
    done: async () => warming,
    stop: () => {
      isStopped = true
    },
  }
}

const getPublicForm = memoize((served: ServedEvent): PublicForm => {
  const event = toPublicEvent(served.config)
  const schema = toSchema(event)
  const text = generateModule(schema as RJSFSchema)
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  cacheModule(hash, text)
  return { event, schema, hash, url: `/api/events/${event.id}/validator.${hash}.js`, module: text }
})

function cacheModule(hash: string, module: string): void {
  modules.delete(hash)
  modules.set(hash, module)
  let bytes = 0
  for (const [key, { length }] of [...modules].reverse()) {
    bytes += length
    if (bytes > MAX_OLD_MODULES_BYTES) modules.delete(key)
  }
}

function generateModule(schema: RJSFSchema): string {
  const code = loadCompiler().compileSchemaValidatorsCode(schema, {
    ajvOptionsOverrides: { ...OPTIONS, code: { lines: false } },
  })
  // The engine's schema does not use the keywords that need `require`: formats, lengths and comparisons of whole
  // objects.
  assert(!/\brequire\(/.test(code), 'the lowered schema needs a module at run time')
  return `const exports={};\n${code.replace(/^"use strict";/, '')}\nexport default exports;\n`
}
