/** Generated from schemas/*.schema.json by schemas/generate.js; run `npm run schemas` after changing one. */
export type SchemaError = {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly propertyName?: string
}
type Validator = { (value: unknown): boolean; errors: readonly SchemaError[] | null }
export const event: Validator
export const lists: Validator
export const gateways: Validator
export const texts: Validator
export const keysAt: Readonly<
  Record<'event' | 'lists' | 'gateways' | 'texts', Readonly<Record<string, readonly string[]>>>
>
