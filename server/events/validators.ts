/**
 * What a browser gets of an event: its public side, its schema, and the schema compiled to a module,
 * under an address that holds the module's hash. The server compiles, because the content security
 * policy forbids the browser to.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { compileSchemaValidatorsCode } from '@rjsf/validator-ajv8/lib/compileSchemaValidatorsCode.js'
import type { RJSFSchema } from '@rjsf/utils'
import { isoIndia, publicEvent, toSchema } from '../../engine/index.ts'
import type { EventAnswer, Instant, PublicEvent } from '../../engine/index.ts'
import type { ServedEvent } from '../deps.ts'

type Shown = { readonly event: PublicEvent; readonly schema: object; readonly url: string }

/** The module as it travels: generated code shrinks to an eighth, and is packed once, not at each visit. */
export type ValidatorModule = { readonly text: string; readonly gzip: Buffer }

/** By event version: compiled when first asked for. */
const shownByHash = new Map<string, Shown>()
/** By the module's own hash; a page opened before a reload still asks for the old one. */
const modules = new Map<string, ValidatorModule>()

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

/** The module; null for a hash that no version served since start had. */
export function validatorModule(served: ServedEvent | null, hash: string): ValidatorModule | null {
  if (served !== null) shown(served)
  return modules.get(hash) ?? null
}

function shown(served: ServedEvent): Shown {
  const known = shownByHash.get(served.hash)
  if (known !== undefined) return known
  const event = publicEvent(served.config)
  const schema = toSchema(event)
  const code = moduleOf(schema as RJSFSchema)
  const validatorHash = createHash('sha256').update(code).digest('hex').slice(0, 16)
  const made = { event, schema, url: `/api/events/${event.id}/validator.${validatorHash}.js` }
  shownByHash.set(served.hash, made)
  modules.set(validatorHash, { text: code, gzip: gzipSync(code, { level: 9 }) })
  return made
}

function moduleOf(schema: RJSFSchema): string {
  const code = compileSchemaValidatorsCode(schema, {
    ajvOptionsOverrides: { verbose: false, code: { lines: false } },
  })
  // Only formats, lengths and comparisons of whole objects need one; the engine's schema has none of them.
  if (/\brequire\(/.test(code)) throw new Error('the lowered schema needs a module at run time')
  return `const exports={};\n${code.replace(/^"use strict";/, '')}\nexport default exports;\n`
}
