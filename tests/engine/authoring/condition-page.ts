/** Generates the tables in docs/conditions.md from the JSON Schema of event files. */
import { join } from 'node:path'
import { SCHEMAS } from '../../../engine/authoring/schema/json-schemas.ts'

export const CONDITION_PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'conditions.md')

type Schema = {
  readonly $ref?: string
  readonly description?: string
  readonly examples?: readonly string[]
  readonly names?: readonly Readonly<Record<'name' | 'value' | 'where', string>>[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
}
type Definitions = Readonly<Record<string, Schema>>

const { definitions } = SCHEMAS.event as unknown as { readonly definitions: Definitions }

const writeTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const formatCode = (text: string): string => `\`${text}\``

/**
 * Returns a text from the schema. Throws if the text is missing, because the page would otherwise have an empty cell.
 */
function requireText(text: string | undefined, name: string): string {
  if (text === undefined) throw new Error(`${name} has no description or example in the schema`)
  return text
}

const buildTestRow = (test: string, { description, examples }: Schema): readonly string[] => [
  formatCode(test),
  requireText(description, test),
  examples === undefined ? '' : formatCode(examples.join(' ')),
]

/** Returns a row for each test. A test that contains others, such as `age`, is followed by a row for each of those. */
const listTests = (): readonly (readonly string[])[] =>
  Object.entries(definitions['test']?.properties ?? {}).flatMap(([key, test]) => [
    buildTestRow(key, test),
    ...Object.entries(test.properties ?? {}).map(([inner, schema]) =>
      buildTestRow(`${key}: {${inner}}`, schema),
    ),
  ])

/** Returns a row for every key of an event file whose value is a condition, sorted by the length of its path. */
function listConditionKeys(): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  const seen = new Set<string>()
  let level: readonly (readonly [path: string, schema: Schema])[] = [
    ['', SCHEMAS.event as unknown as Schema],
  ]
  while (level.length > 0)
    level = level.flatMap(([path, schema]) => {
      const name = schema.$ref?.split('/').at(-1)
      if (name === 'condition') rows.push([formatCode(path), requireText(schema.description, path)])
      if (name === 'condition' || (name !== undefined && seen.has(name))) return []
      if (name !== undefined) seen.add(name)
      const {
        items,
        properties = {},
        additionalProperties: others,
      } = {
        ...schema,
        ...definitions[name ?? ''],
      }
      return [
        ...Object.entries(properties).map(
          ([key, inner]) => [path === '' ? key : `${path}.${key}`, inner] as const,
        ),
        ...(items === undefined ? [] : [[path, items] as const]),
        ...(typeof others === 'object' ? [[`${path}.*`, others] as const] : []),
      ]
    })
  return rows
}

const TABLES: Readonly<Record<string, () => string>> = {
  names: () =>
    writeTable(
      ['name', 'value', 'where'],
      (definitions['condition']?.names ?? []).map(({ name, value, where }) => [name, value, where]),
    ),
  tests: () => writeTable(['test', 'meaning', 'example'], listTests()),
  places: () => writeTable(['key', 'meaning'], listConditionKeys()),
}

/** Returns the page with its tables replaced. Each table is enclosed by two comments. */
export const writeConditionTables = (page: string): string =>
  Object.entries(TABLES).reduce(
    (text, [name, write]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: [^>]*-->\n)[^]*?(\n<!-- end of ${name} -->)`),
        (_, start: string, end: string) => `${start}\n${write()}\n${end}`,
      ),
    page,
  )
