/** Converts our JSON Schemas, which use few keywords, to TypeScript types for a comparison. */

type Schema = {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly definitions?: Readonly<Record<string, Schema>>
}

/** Returns `type <name> = …`, followed by a type `<name>_<definition>` for each definition. */
export function writeTypes(name: string, schema: object): string {
  const { definitions = {}, ...root } = schema as Schema
  return [
    `type ${name} = ${writeType(root, name)}`,
    ...Object.entries(definitions).map(
      ([id, inner]) => `type ${name}_${id} = ${writeType(inner, name)}`,
    ),
  ].join('\n')
}

function writeType(schema: Schema, name: string): string {
  if (schema.$ref !== undefined) return `${name}_${schema.$ref.split('/').at(-1)}`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => writeTypeAs(schema, type, name))
    .join(' | ')
}

function writeTypeAs(schema: Schema, type: string, name: string): string {
  const writeInner = (inner: Schema): string => writeType(inner, name)
  if (type === 'array')
    return `readonly (${schema.items === undefined ? 'unknown' : writeInner(schema.items)})[]`
  if (type === 'integer') return 'number'
  if (type !== 'object') return type
  if (typeof schema.additionalProperties === 'object') {
    const values = [schema.additionalProperties, ...Object.values(schema.properties ?? {})]
    return `Readonly<Record<string, ${values.map(writeInner).join(' | ')}>>`
  }
  if (schema.properties === undefined) return 'Readonly<Record<string, unknown>>'
  const keys = Object.entries(schema.properties).map(
    ([key, inner]) =>
      `readonly ${JSON.stringify(key)}${schema.required?.includes(key) === true ? '' : '?'}: ${writeInner(inner)}`,
  )
  return `{ ${keys.join('; ')} }`
}
