/** Finds keys, values and descriptions for a position in an event file, from the JSON Schema. */

/** The parts of a JSON Schema that this module reads. */
export type Schema = {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: boolean | Schema
  readonly allOf?: readonly Schema[]
  readonly then?: Schema
  readonly else?: Schema
  readonly definitions?: Readonly<Record<string, Schema>>
}
/** A key, or null for a list item. */
type Step = string | null
/** The cursor's position in the structure of the file: the path, and the key or value being typed. */
export type CursorPosition = {
  readonly path: readonly Step[]
  /** The key whose value is being typed. Null if a key is being typed. */
  readonly valueKey: string | null
  /** The part of the word that is already typed. `column` is where it begins in the line. */
  readonly word: string
  readonly column: number
}
export type SchemaEntry = { readonly name: string; readonly description: string }

/** The start of a line: indentation, list dashes and key. */
const LINE_START = /^(\s*)((?:- +)*)(?:([\w.-]+):(?=\s|$))?/

const readLine = (line: string) => {
  const [, indent = '', dashes = '', key] = LINE_START.exec(line) ?? []
  const items: readonly null[] = Array.from({ length: dashes.length / 2 }, () => null)
  return { indent: indent.length, items, key, column: indent.length + dashes.length }
}

/** Returns the path to a line with a key in this column: its parent keys, outermost first, and null for a list item. */
function findPath(lines: readonly string[], lineIndex: number, column: number): readonly Step[] {
  const currentLine = readLine(lines[lineIndex] ?? '')
  const isItem = currentLine.items.length > 0 && currentLine.column <= column
  let path: readonly Step[] = isItem ? currentLine.items : []
  // Keys to the left of this column contain the line. A list's dashes may be in the same column as its key.
  let limit = isItem ? currentLine.indent + 1 : column
  for (let line = lineIndex - 1; line >= 0 && limit > 0; line -= 1) {
    const text = lines[line] ?? ''
    if (/^\s*(#|$)/.test(text)) continue
    const lineAbove = readLine(text)
    const isParent = lineAbove.key !== undefined && lineAbove.column < limit
    if (isParent && lineAbove.key !== undefined) {
      path = [lineAbove.key, ...path]
      limit = lineAbove.column
    }
    if (lineAbove.items.length > 0 && lineAbove.indent < limit && lineAbove.column <= limit) {
      path = [...lineAbove.items, ...path]
      limit = lineAbove.indent + 1
    }
  }
  return path
}

/** Returns the cursor's position in the structure. Null in comments and texts. */
export function findCursorPosition(
  lines: readonly string[],
  lineIndex: number,
  column: number,
): CursorPosition | null {
  const textBefore = (lines[lineIndex] ?? '').slice(0, column)
  if (/(^|\s)#/.test(textBefore.replace(/"[^"]*"|'[^']*'/g, ''))) return null
  const braces = findOpenBraces(textBefore)
  const [, spaces = '', dashes = '', lineKey] = LINE_START.exec(textBefore) ?? []
  const lineColumn = spaces.length + dashes.length
  if (braces !== null) {
    const path = [
      ...findPath(lines, lineIndex, lineColumn),
      ...(lineKey === undefined ? [] : [lineKey]),
      ...braces.steps,
    ]
    return splitWord(path, braces.innerText, column)
  }
  return splitWord(findPath(lines, lineIndex, lineColumn), textBefore.slice(lineColumn), column)
}

function splitWord(path: readonly Step[], text: string, column: number): CursorPosition | null {
  const value = /^\s*([\w.-]+):\s+(?:\[(?:[^\]]*,)?\s*)?([\w.-]*)$/.exec(text)
  if (value !== null)
    return {
      path,
      valueKey: value[1] ?? '',
      word: value[2] ?? '',
      column: column - (value[2] ?? '').length,
    }
  const key = /^\s*([\w.-]*)$/.exec(text)
  return key === null
    ? null
    : { path, valueKey: null, word: key[1] ?? '', column: column - (key[1] ?? '').length }
}

/**
 * Returns the path through the braces and brackets that are open at the end of the text, and the text
 * within the innermost one. Null if none is open.
 */
function findOpenBraces(
  text: string,
): { readonly steps: readonly Step[]; readonly innerText: string } | null {
  const openBraces: { readonly steps: readonly Step[]; readonly from: number }[] = []
  const unquotedText = text.replace(/"[^"]*"|'[^']*'/g, (quoted) => '_'.repeat(quoted.length))
  for (let index = 0; index < unquotedText.length; index += 1) {
    const character = unquotedText.charAt(index)
    const innermost = openBraces.at(-1)
    if (character === '{' || character === '[') {
      const key = /([\w.-]+):\s*$/.exec(unquotedText.slice(innermost?.from ?? 0, index))?.[1]
      const innerSteps: readonly Step[] = innermost === undefined || key === undefined ? [] : [key]
      openBraces.push({
        steps: character === '[' ? [...innerSteps, null] : innerSteps,
        from: index + 1,
      })
    } else if (character === '}' || character === ']') openBraces.pop()
    else if (character === ',' && innermost !== undefined) {
      openBraces.pop()
      openBraces.push({ ...innermost, from: index + 1 })
    }
  }
  if (openBraces.length === 0) return null
  return {
    steps: openBraces.flatMap(({ steps }) => steps),
    innerText: text.slice(openBraces.at(-1)?.from ?? 0),
  }
}

/** Returns a schema with the schemas that it references or combines. */
function expandSchema(root: Schema, schema: Schema): readonly Schema[] {
  const name = schema.$ref?.replace('#/definitions/', '')
  const target = name === undefined ? undefined : root.definitions?.[name]
  return [
    schema,
    ...[target, ...(schema.allOf ?? []), schema.then, schema.else].flatMap((part) =>
      part === undefined ? [] : expandSchema(root, part),
    ),
  ]
}

function findSchemas(root: Schema, path: readonly Step[]): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (schemas, step) =>
      schemas.flatMap((schema) => {
        const childSchema =
          step === null ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties)
        return typeof childSchema === 'object' ? expandSchema(root, childSchema) : []
      }),
    expandSchema(root, root),
  )
}

/** Returns the keys that are allowed at a path. */
export function listKeys(root: Schema, path: readonly Step[]): readonly SchemaEntry[] {
  const keys = new Map<string, string>()
  for (const { properties = {} } of findSchemas(root, path))
    for (const name of Object.keys(properties))
      keys.set(name, keys.get(name) || findDescription(root, [...path, name]))
  return [...keys].map(([name, description]) => ({ name, description }))
}

/** Returns the allowed values of a key. Empty if the schema lists none. */
export function listValues(root: Schema, path: readonly Step[]): readonly string[] {
  const schemas = findSchemas(root, path)
  const valueSchemas = [
    ...schemas,
    ...schemas.flatMap(({ items }) => (typeof items === 'object' ? expandSchema(root, items) : [])),
  ]
  const values = valueSchemas.flatMap((schema) => [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.type === 'boolean' ? [true, false] : []),
  ])
  return [...new Set(values.filter((value) => typeof value !== 'object').map(String))]
}

/** Returns the schema's description of a key. Empty if it has none. */
export const findDescription = (root: Schema, path: readonly Step[]): string =>
  findSchemas(root, path).find(({ description }) => description !== undefined)?.description ?? ''
