/** The JSON Schemas: proper ones, with words for what they refuse, and the types that are written beside them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, test } from 'vitest'
import { ajvOf, errorsOf, SCHEMAS } from '../../../engine/authoring/schema/json-schemas.ts'
import { precompiled } from '../../../schemas/precompiled.ts'
import { typesOf } from './schema-types.ts'

const TOP = join(import.meta.dirname, '..', '..', '..')
const kinds = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[]

describe.each(kinds)('the schema of %s', (kind) => {
  test('is a proper schema', () => {
    const ajv = new Ajv({ strict: false })
    expect(ajv.validateSchema(SCHEMAS[kind])).toBe(true)
    expect(() => ajvOf().compile(SCHEMAS[kind])).not.toThrow()
  })

  test('has words for every pattern that a value may miss', () => {
    const silent: string[] = []
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { pattern, patternErrorMessage } = value as Record<string, unknown>
      if (
        typeof pattern === 'string' &&
        typeof patternErrorMessage !== 'string' &&
        !path.endsWith('.propertyNames')
      )
        silent.push(path)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`)
    }
    walk(SCHEMAS[kind], kind)
    expect(silent).toEqual([])
  })
})

const folder = join(TOP, 'tests', '.cache', `schemas-${process.pid}`)
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the functions of the web build say what ajv says here', async () => {
  const file = join(folder, 'precompiled.mjs')
  writeFileSync(file, precompiled(kinds))
  const web = (await import(/* @vite-ignore */ file)) as { errorsOf: typeof errorsOf }
  const said = (errors: ReturnType<typeof errorsOf>) =>
    errors.map(({ instancePath, keyword, params, data, parentSchema }) => [
      instancePath,
      keyword,
      params,
      data,
      parentSchema?.patternErrorMessage ?? parentSchema?.errorMessage,
    ])
  const wrong = [
    ['event', { format: 2, categories: [{ id: 'A b' }], demo: ['fees', 'fees'], more: 1 }],
    ['event', { results: { success: { title: '', details: [{ show: 'x' }, { show: 'x' }] } } }],
    ['lists', { format: 1, lists: { states: ['Kerala', { id: '' }, 'Kerala'] } }],
    ['gateways', { format: 1, gateways: {} }],
    ['texts', []],
    ['site', { format: 1, page: { name: ' ' } }],
  ] as const
  for (const [kind, value] of wrong) {
    expect(said(web.errorsOf(kind, value))).toEqual(said(errorsOf(kind, value)))
    expect(errorsOf(kind, value).length).toBeGreaterThan(0)
  }
})

/** Where the type of each file is written by hand. */
const WRITTEN_IN: Readonly<Record<(typeof kinds)[number], string>> = {
  event: 'engine/authoring/schema/event-file-types.ts',
  lists: 'engine/authoring/schema/shared-file-types.ts',
  gateways: 'engine/authoring/schema/shared-file-types.ts',
  texts: 'engine/authoring/schema/shared-file-types.ts',
  site: 'engine/authoring/compile/site.ts',
}

describe('the types of a file', () => {
  const named = (kind: string) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  const differs = (kind: (typeof kinds)[number]) =>
    `${named(kind)}File in ${WRITTEN_IN[kind]} is not what schemas/${kind}.schema.json says`

  /** Compiles a line per kind that holds only where both types are one; what the compiler says otherwise. */
  const compared = (schemas: typeof SCHEMAS): string => {
    const file = join(folder, 'same.ts')
    writeFileSync(
      file,
      [
        ...kinds.map(
          (kind) => `import type { ${named(kind)}File } from '../../../${WRITTEN_IN[kind]}'`,
        ),
        ...kinds.map((kind) => typesOf(named(kind), schemas[kind])),
        'type Same<A, B, Else> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : Else',
        ...kinds.map(
          (kind) =>
            `export const ${kind}: Same<${named(kind)}, ${named(kind)}File, '${differs(kind)}'> = true`,
        ),
      ].join('\n'),
    )
    const flags =
      '--noEmit --pretty false --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext'
    try {
      execFileSync(
        process.execPath,
        [
          join(TOP, 'node_modules', 'typescript', 'bin', 'tsc'),
          ...flags.split(' '),
          '--ignoreConfig',
          '--allowImportingTsExtensions',
          '--types',
          'node',
          file,
        ],
        { cwd: TOP, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
      )
      return ''
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout)
    }
  }

  test('are those of the schemas, key by key', () => {
    expect(compared(SCHEMAS)).toBe('')
  })

  test('a key that only the schema knows is seen', () => {
    const { event } = SCHEMAS
    const more = { ...event.properties, added: { type: 'string' } }
    const said = compared({ ...SCHEMAS, event: { ...event, properties: more } as typeof event })
    expect(said.match(/error TS\d+/g)).toEqual(['error TS2322'])
    expect(said).toContain(differs('event'))
  })
})
