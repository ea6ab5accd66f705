#!/usr/bin/env node
/**
 * Makes, from the schemas, what the checker reads at run time: a validator that needs no eval (the
 * browser forbids it) and the TypeScript types of a file whose shape is right. `--check` writes
 * nothing and fails when a generated file is stale. Run it as `npm run schemas`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { mailPattern } from '../engine/check/address.ts'
import { dayPattern } from '../engine/time.ts'

const here = import.meta.dirname
const target = join(here, '..', 'engine', 'check')
const kinds = ['event', 'lists', 'gateways', 'texts']
const schemaOf = (kind) => JSON.parse(readFileSync(join(here, `${kind}.schema.json`), 'utf8'))
const schemas = Object.fromEntries(kinds.map((kind) => [kind, { ...schemaOf(kind), $id: kind }]))
/** Descriptions are for people and editors; the validator is smaller without them. */
const bare = (schema) =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      ['description', 'title'].includes(key) && typeof value === 'string' ? undefined : value,
    ),
  )
const banner =
  'Generated from schemas/*.schema.json by schemas/generate.js; run `npm run schemas` after changing one.'

/** What the validator borrows from ajv at run time, written out: no package has to be loaded for it. */
const borrowed = {
  'require("ajv/dist/runtime/ucs2length").default': '(text) => [...text].length',
  'require("ajv/dist/runtime/equal").default': '(a, b) => JSON.stringify(a) === JSON.stringify(b)',
}

function validator() {
  const ajv = new Ajv.default({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    inlineRefs: false,
    code: { source: true, esm: true, optimize: true },
    messages: false,
    schemas: Object.values(schemas).map(bare),
  })
  ajv.addFormat('date', new RegExp(dayPattern, 'u'))
  ajv.addFormat('email', new RegExp(mailPattern, 'u'))
  let code = standalone.default(ajv, Object.fromEntries(kinds.map((kind) => [kind, kind])))
  for (const [call, written] of Object.entries(borrowed)) code = code.replaceAll(call, written)
  if (code.includes('require('))
    throw new Error(`the validator still borrows: ${code.match(/require\([^)]*\)/)?.[0]}`)
  code = code.replace('"use strict";', '')
  return `/** ${banner} */\n${code}\n/** Kind of file → place (\`form.sections.*.fields.*\`) → the keys known there. */\nexport const keysAt = ${JSON.stringify(keysAt())}\n`
}

/** Where in a file (`form.sections.*.fields.*`) → the keys known there, for suggestions. */
function keysAt() {
  const found = {}
  const walk = (kind, schema, path) => {
    if (schema.$ref)
      return walk(kind, schemas[kind].definitions[schema.$ref.split('/').at(-1)], path)
    if (schema.additionalProperties === false && schema.properties)
      found[kind][path] = Object.keys(schema.properties)
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      walk(kind, inner, path === '' ? key : `${path}.${key}`)
    for (const inner of [schema.items, schema.additionalProperties])
      if (typeof inner === 'object') walk(kind, inner, path === '' ? '*' : `${path}.*`)
  }
  for (const kind of kinds) {
    found[kind] = {}
    walk(kind, schemas[kind], '')
  }
  return found
}

/** Two names of the schemas mean something else in TypeScript. */
const renamed = { event: 'EventBlock', date: 'DayText' }
const pascal = (name) => renamed[name] ?? name[0].toUpperCase() + name.slice(1)
const key = (name) => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name))

/** One schema as a TypeScript type. Only what our schemas use. */
function typeOf(schema) {
  if (schema.$ref) return pascal(schema.$ref.split('/').at(-1))
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  return [schema.type]
    .flat()
    .map((type) => typeAs(schema, type))
    .join(' | ')
}
function typeAs(schema, type) {
  if (type === 'array') return `readonly (${schema.items ? typeOf(schema.items) : 'unknown'})[]`
  if (type === 'integer') return 'number'
  if (type !== 'object') return type
  const rest =
    typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties) : null
  if (rest !== null)
    return `Readonly<Record<string, ${[rest, ...Object.values(schema.properties ?? {}).map(typeOf)].join(' | ')}>>`
  if (schema.properties === undefined) return 'Readonly<Record<string, unknown>>'
  const required = new Set(schema.required ?? [])
  const lines = Object.entries(schema.properties).map(([name, inner]) => {
    // Descriptions stay in the schema, which editors show.
    return `readonly ${key(name)}${required.has(name) ? '' : '?'}: ${typeOf(inner)}`
  })
  const flat = `{ ${lines.join('; ')} }`
  if (flat.length < 110 && !flat.includes('\n')) return flat
  return `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n}`
}
function types() {
  const named = Object.values(schemas).flatMap((schema) => Object.entries(schema.definitions ?? {}))
  const unique = [...new Map(named.map(([name, schema]) => [name, schema])).entries()]
  const files = kinds.map(
    (kind) => `export type ${kind[0].toUpperCase()}${kind.slice(1)}File = ${typeOf(schemas[kind])}`,
  )
  return `/** ${banner} */\n\n${[...files, ...unique.map(([name, schema]) => `export type ${pascal(name)} = ${typeOf(schema)}`)].join('\n\n')}\n`
}
function declarations() {
  return `/** ${banner} */
export type SchemaError = { readonly instancePath: string; readonly schemaPath: string; readonly keyword: string; readonly params: Readonly<Record<string, unknown>>; readonly propertyName?: string }
type Validator = { (value: unknown): boolean; errors: readonly SchemaError[] | null }
${kinds.map((kind) => `export const ${kind}: Validator`).join('\n')}
export const keysAt: Readonly<Record<'event' | 'lists' | 'gateways' | 'texts', Readonly<Record<string, readonly string[]>>>>
`
}

let stale = 0
for (const [name, text] of [
  ['schema-validator.js', validator()],
  ['schema-validator.d.ts', declarations()],
  ['file-types.ts', types()],
]) {
  const file = join(target, name)
  let now = ''
  try {
    now = readFileSync(file, 'utf8')
  } catch {
    /* it is made for the first time */
  }
  if (now === text) continue
  stale += 1
  if (process.argv.includes('--check'))
    console.error(`engine/check/${name} is stale: run npm run schemas`)
  else writeFileSync(file, text)
}
process.exitCode = process.argv.includes('--check') && stale > 0 ? 1 : 0
