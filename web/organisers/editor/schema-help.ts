/** What the schema of event files says about a place in the text: keys, values and explanations. */

/** A part of a JSON Schema, as far as it is read here. */
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
/** A key, or an entry of a list. */
type Step = string | null
/** A place in the file: what leads to it, and whether a key or a value is written there. */
export type Place = {
  readonly path: readonly Step[]
  /** The key whose value is written; null where a key is written. */
  readonly valueOf: string | null
  /** What is already written, and where it begins in the line. */
  readonly word: string
  readonly column: number
}
export type SchemaEntry = { readonly name: string; readonly about: string }

/** The beginning of a line: its indentation, its list signs, its key. */
const LINE = /^(\s*)((?:- +)*)(?:([\w.-]+):(?=\s|$))?/

const readLine = (line: string) => {
  const [, outer = '', list = '', key] = LINE.exec(line) ?? []
  const entry: readonly null[] = Array.from({ length: list.length / 2 }, () => null)
  return { outer: outer.length, entry, key, column: outer.length + list.length }
}

/** The keys that contain a line whose own key is in this column, outermost first, with null for an entry of a list. */
function findPath(lines: readonly string[], at: number, column: number): readonly Step[] {
  const own = readLine(lines[at] ?? '')
  const isEntry = own.entry.length > 0 && own.column <= column
  let path: readonly Step[] = isEntry ? own.entry : []
  // Keys to the left of this column contain the line. The signs of a list may be in the column of its key.
  let limit = isEntry ? own.outer + 1 : column
  for (let line = at - 1; line >= 0 && limit > 0; line -= 1) {
    const text = lines[line] ?? ''
    if (/^\s*(#|$)/.test(text)) continue
    const above = readLine(text)
    const contains = above.key !== undefined && above.column < limit
    if (contains && above.key !== undefined) {
      path = [above.key, ...path]
      limit = above.column
    }
    if (above.entry.length > 0 && above.outer < limit && above.column <= limit) {
      path = [...above.entry, ...path]
      limit = above.outer + 1
    }
  }
  return path
}

/** Reads the place before the cursor; null in comments and texts. */
export function findPlace(lines: readonly string[], at: number, column: number): Place | null {
  const before = (lines[at] ?? '').slice(0, column)
  if (/(^|\s)#/.test(before.replace(/"[^"]*"|'[^']*'/g, ''))) return null
  const open = findOpenBraces(before)
  const [, spaces = '', signs = '', lineKey] = LINE.exec(before) ?? []
  const lineColumn = spaces.length + signs.length
  if (open !== null) {
    const outer = [
      ...findPath(lines, at, lineColumn),
      ...(lineKey === undefined ? [] : [lineKey]),
      ...open.steps,
    ]
    return splitWord(outer, open.rest, column)
  }
  return splitWord(findPath(lines, at, lineColumn), before.slice(lineColumn), column)
}

function splitWord(path: readonly Step[], text: string, column: number): Place | null {
  const value = /^\s*([\w.-]+):\s+(?:\[(?:[^\]]*,)?\s*)?([\w.-]*)$/.exec(text)
  if (value !== null)
    return {
      path,
      valueOf: value[1] ?? '',
      word: value[2] ?? '',
      column: column - (value[2] ?? '').length,
    }
  const key = /^\s*([\w.-]*)$/.exec(text)
  return key === null
    ? null
    : { path, valueOf: null, word: key[1] ?? '', column: column - (key[1] ?? '').length }
}

/** Follows the braces and brackets that are open at the end of the text; null if there are none. */
function findOpenBraces(
  text: string,
): { readonly steps: readonly Step[]; readonly rest: string } | null {
  const stack: { readonly steps: readonly Step[]; readonly from: number }[] = []
  const bare = text.replace(/"[^"]*"|'[^']*'/g, (quoted) => '_'.repeat(quoted.length))
  for (let index = 0; index < bare.length; index += 1) {
    const sign = bare.charAt(index)
    const top = stack.at(-1)
    if (sign === '{' || sign === '[') {
      const key = /([\w.-]+):\s*$/.exec(bare.slice(top?.from ?? 0, index))?.[1]
      const own: readonly Step[] = top === undefined || key === undefined ? [] : [key]
      stack.push({ steps: sign === '[' ? [...own, null] : own, from: index + 1 })
    } else if (sign === '}' || sign === ']') stack.pop()
    else if (sign === ',' && top !== undefined) {
      stack.pop()
      stack.push({ ...top, from: index + 1 })
    }
  }
  if (stack.length === 0) return null
  return { steps: stack.flatMap(({ steps }) => steps), rest: text.slice(stack.at(-1)?.from ?? 0) }
}

/** A schema with those that it refers to or combines. */
function expand(root: Schema, schema: Schema): readonly Schema[] {
  const name = schema.$ref?.replace('#/definitions/', '')
  const target = name === undefined ? undefined : root.definitions?.[name]
  return [
    schema,
    ...[target, ...(schema.allOf ?? []), schema.then, schema.else].flatMap((part) =>
      part === undefined ? [] : expand(root, part),
    ),
  ]
}

function follow(root: Schema, path: readonly Step[]): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (schemas, step) =>
      schemas.flatMap((schema) => {
        const next =
          step === null ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties)
        return typeof next === 'object' ? expand(root, next) : []
      }),
    expand(root, root),
  )
}

/** The keys that may stand at a place. */
export function listKeys(root: Schema, path: readonly Step[]): readonly SchemaEntry[] {
  const keys = new Map<string, string>()
  for (const { properties = {} } of follow(root, path))
    for (const name of Object.keys(properties))
      keys.set(name, keys.get(name) || describe(root, [...path, name]))
  return [...keys].map(([name, about]) => ({ name, about }))
}

/** The values of a key, if the schema names them. */
export function listValues(root: Schema, path: readonly Step[]): readonly string[] {
  const schemas = follow(root, path)
  const all = [
    ...schemas,
    ...schemas.flatMap(({ items }) => (typeof items === 'object' ? expand(root, items) : [])),
  ]
  const values = all.flatMap((schema) => [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.type === 'boolean' ? [true, false] : []),
  ])
  return [...new Set(values.filter((value) => typeof value !== 'object').map(String))]
}

/** What the schema says about a key; empty if it says nothing. */
export const describe = (root: Schema, path: readonly Step[]): string =>
  follow(root, path).find(({ description }) => description !== undefined)?.description ?? ''
