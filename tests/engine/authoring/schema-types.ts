/** JSON Schemas of ours as TypeScript types, for holding the hand-written ones to them. Knows only what our schemas use. */

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

/** `type <name> = …`, with a type for each definition, `<name>_<definition>`. */
export function typesOf(name: string, schema: object): string {
  const { definitions = {}, ...whole } = schema as Schema
  return [
    `type ${name} = ${typeOf(whole, name)}`,
    ...Object.entries(definitions).map(
      ([id, inner]) => `type ${name}_${id} = ${typeOf(inner, name)}`,
    ),
  ].join('\n')
}

function typeOf(schema: Schema, name: string): string {
  if (schema.$ref !== undefined) return `${name}_${schema.$ref.split('/').at(-1)}`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => typeAs(schema, type, name))
    .join(' | ')
}

function typeAs(schema: Schema, type: string, name: string): string {
  const of = (inner: Schema): string => typeOf(inner, name)
  if (type === 'array')
    return `readonly (${schema.items === undefined ? 'unknown' : of(schema.items)})[]`
  if (type === 'integer') return 'number'
  if (type !== 'object') return type
  if (typeof schema.additionalProperties === 'object') {
    const values = [schema.additionalProperties, ...Object.values(schema.properties ?? {})]
    return `Readonly<Record<string, ${values.map(of).join(' | ')}>>`
  }
  if (schema.properties === undefined) return 'Readonly<Record<string, unknown>>'
  const keys = Object.entries(schema.properties).map(
    ([key, inner]) =>
      `readonly ${JSON.stringify(key)}${schema.required?.includes(key) === true ? '' : '?'}: ${of(inner)}`,
  )
  return `{ ${keys.join('; ')} }`
}
