/** The JSON Schemas are valid, have messages for rejected values, and match the hand-written types. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, test } from 'vitest'
import {
  createAjv,
  findSchemaErrors,
  SCHEMAS,
} from '../../../engine/authoring/schema/json-schemas.ts'
import { buildModule } from '../../../schemas/precompiled.ts'
import { CONDITION_PAGE, writeConditionTables } from './condition-page.ts'
import { writeTypes } from './schema-types.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..')
const kinds = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[]

describe.each(kinds)('the schema of %s', (kind) => {
  test('is a valid JSON Schema', () => {
    const ajv = new Ajv({ strict: false })
    expect(ajv.validateSchema(SCHEMAS[kind])).toBe(true)
    expect(() => createAjv().compile(SCHEMAS[kind])).not.toThrow()
  })

  test('has a message for every pattern', () => {
    const pathsWithoutMessage: string[] = []
    const checkPatterns = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { pattern, patternErrorMessage } = value as Record<string, unknown>
      if (
        typeof pattern === 'string' &&
        typeof patternErrorMessage !== 'string' &&
        !path.endsWith('.propertyNames')
      )
        pathsWithoutMessage.push(path)
      for (const [key, inner] of Object.entries(value)) checkPatterns(inner, `${path}.${key}`)
    }
    checkPatterns(SCHEMAS[kind], kind)
    expect(pathsWithoutMessage).toEqual([])
  })
})

const folder = join(REPOSITORY_ROOT, 'tests', '.cache', `schemas-${process.pid}`)
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the web build’s compiled validators agree with ajv', async () => {
  const file = join(folder, 'precompiled.mjs')
  writeFileSync(file, buildModule(kinds))
  const webValidators = (await import(/* @vite-ignore */ file)) as {
    findSchemaErrors: typeof findSchemaErrors
  }
  const formatErrors = (errors: ReturnType<typeof findSchemaErrors>) =>
    errors.map(({ instancePath, keyword, params, data, parentSchema }) => [
      instancePath,
      keyword,
      params,
      data,
      parentSchema?.patternErrorMessage ?? parentSchema?.errorMessage,
    ])
  const invalidFiles = [
    ['event', { format: 2, categories: [{ id: 'A b' }], demo: ['fees', 'fees'], more: 1 }],
    ['event', { results: { success: { title: '', details: [{ show: 'x' }, { show: 'x' }] } } }],
    ['lists', { format: 1, lists: { states: ['Kerala', { id: '' }, 'Kerala'] } }],
    ['gateways', { format: 1, gateways: {} }],
    ['texts', []],
    ['site', { format: 1, page: { name: ' ' } }],
  ] as const
  for (const [kind, value] of invalidFiles) {
    expect(formatErrors(webValidators.findSchemaErrors(kind, value))).toEqual(
      formatErrors(findSchemaErrors(kind, value)),
    )
    expect(findSchemaErrors(kind, value).length).toBeGreaterThan(0)
  }
})

/** The module that contains the hand-written type for each kind of file. */
const TYPE_MODULES: Readonly<Record<(typeof kinds)[number], string>> = {
  event: 'engine/authoring/schema/event-file-types.ts',
  lists: 'engine/authoring/schema/shared-file-types.ts',
  gateways: 'engine/authoring/schema/shared-file-types.ts',
  texts: 'engine/authoring/schema/shared-file-types.ts',
  site: 'engine/authoring/compile/site.ts',
}

describe('the types of a file', () => {
  const getTypeName = (kind: string) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  const describeDifference = (kind: (typeof kinds)[number]) =>
    `${getTypeName(kind)}File in ${TYPE_MODULES[kind]} differs from schemas/${kind}.schema.json`

  /** Compiles one line per kind, which is valid only if the two types are equal, and returns the compiler's errors. */
  const compareTypes = (schemas: typeof SCHEMAS): string => {
    const file = join(folder, 'same.ts')
    writeFileSync(
      file,
      [
        ...kinds.map(
          (kind) =>
            `import type { ${getTypeName(kind)}File } from '../../../${TYPE_MODULES[kind]}'`,
        ),
        ...kinds.map((kind) => writeTypes(getTypeName(kind), schemas[kind])),
        'type Same<A, B, Else> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : Else',
        ...kinds.map(
          (kind) =>
            `export const ${kind}: Same<${getTypeName(kind)}, ${getTypeName(kind)}File, '${describeDifference(kind)}'> = true`,
        ),
      ].join('\n'),
    )
    const flags =
      '--noEmit --pretty false --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext'
    try {
      execFileSync(
        process.execPath,
        [
          join(REPOSITORY_ROOT, 'node_modules', 'typescript', 'bin', 'tsc'),
          ...flags.split(' '),
          '--ignoreConfig',
          '--allowImportingTsExtensions',
          '--types',
          'node',
          file,
        ],
        { cwd: REPOSITORY_ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
      )
      return ''
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout)
    }
  }

  test('match the schemas, key by key', () => {
    expect(compareTypes(SCHEMAS)).toBe('')
  })

  test('a key that only the schema has is reported', () => {
    const { event } = SCHEMAS
    const extendedProperties = { ...event.properties, added: { type: 'string' } }
    const output = compareTypes({
      ...SCHEMAS,
      event: { ...event, properties: extendedProperties } as typeof event,
    })
    expect(output.match(/error TS\d+/g)).toEqual(['error TS2322'])
    expect(output).toContain(describeDifference('event'))
  })
})

test('docs/conditions.md is generated from the schema (npm run findings writes it)', async () => {
  const page = readFileSync(CONDITION_PAGE, 'utf8')
  // The tables are removed first, so that the test also fails if a marker comment is missing.
  const pageWithoutTables = page.replaceAll(/^\|.*\n/gm, '')
  await expect(writeConditionTables(pageWithoutTables)).toMatchFileSnapshot(CONDITION_PAGE)
})

test('the guide lists the keys that the file of an open event needs', () => {
  const guide = readFileSync(join(REPOSITORY_ROOT, 'events', 'README.md'), 'utf8')
  const table = guide.split('An open event needs these keys')[1] ?? ''
  const listKeysInGuide = (block: string): readonly string[] =>
    [...(table.split(`| ${block} | `)[1]?.split('\n')[0] ?? '').matchAll(/`(\w+)[:`]/g)]
      .map(([, key]) => key ?? '')
      .toSorted()
  const {
    required,
    else: ofOpenEvent,
    properties,
    definitions,
  } = SCHEMAS.event as unknown as {
    required: string[]
    else: { required: string[]; properties: Record<string, { required: string[] }> }
    properties: Record<string, { required?: string[]; $ref?: string }>
    definitions: Record<string, { required?: string[] }>
  }
  expect(listKeysInGuide('the file')).toEqual([...required, ...ofOpenEvent.required].toSorted())
  for (const block of ['event', 'routes', 'order_id']) {
    const { $ref: definition = '', required: keys } = properties[block] ?? {}
    const requiredKeys = keys ?? definitions[definition.split('/').at(-1) ?? '']?.required
    expect(listKeysInGuide(`\`${block}\``)).toEqual(requiredKeys?.toSorted())
  }
  expect(listKeysInGuide('`fees`')).toEqual(ofOpenEvent.properties['fees']?.required.toSorted())
  expect(listKeysInGuide('`form`')).toEqual(
    expect.arrayContaining(ofOpenEvent.properties['form']?.required ?? ['']),
  )
})
