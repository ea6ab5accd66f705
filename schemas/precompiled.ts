/**
 * Replaces engine/authoring/schema/json-schemas.ts in both builds: the same exports, with compiled schemas. The
 * content security policy of our pages forbids `eval`, which ajv needs to compile schemas. The server starts faster
 * with compiled schemas.
 */
import { fileURLToPath } from 'node:url'
import standalone from 'ajv/dist/standalone/index.js'
import type { Plugin } from 'vite'
import { createAjv, SCHEMAS, type Kind } from '../engine/authoring/schema/json-schemas.ts'

const SCHEMA_MODULE = fileURLToPath(
  new URL('../engine/authoring/schema/json-schemas.ts', import.meta.url),
)

/**
 * Replaces the schema module in a build. `kinds`: the kinds of files that the build reads. Schemas of other kinds are
 * omitted to reduce the size of the build.
 */
export const precompileSchemas = (...kinds: readonly Kind[]): Plugin => ({
  name: 'rollcall-precompiled-schemas',
  enforce: 'pre',
  load: (id) => (id.split('?')[0] === SCHEMA_MODULE ? buildModule(kinds) : null),
})

/** Builds a module without ajv, except for the small functions that its compiled code uses. */
export function buildModule(kinds: readonly Kind[]): string {
  const ajv = createAjv({ source: true, esm: true, optimize: true })
  for (const kind of kinds) ajv.addSchema(removeDescriptions(SCHEMAS[kind]), kind)
  const code = standalone.default(ajv, Object.fromEntries(kinds.map((kind) => [kind, kind])))
  // The compiled code loads these modules with `require`, which browsers do not have. A lookup table of imports replaces
  // it.
  const imported = [
    ...new Set([...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name)),
  ]
  return [
    ...imported.map((name, at) => `import * as imported${at} from ${JSON.stringify(`${name}.js`)}`),
    `const imported = { ${imported.map((name, at) => `${JSON.stringify(name)}: imported${at}`).join(', ')} }`,
    // Depending on the loader, the function is in `default` or in `default.default`.
    'const require = (name) => (typeof imported[name].default === "function" ? imported[name] : imported[name].default)',
    code,
    `const validators = { ${kinds.join(', ')} }`,
    'export const findSchemaErrors = (kind, value) => validators[kind](value) ? [] : (validators[kind].errors ?? [])',
  ].join('\n')
}

/** Removes descriptions, which only people and editors read. Without them, a page loads half as much. */
const removeDescriptions = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (['description', 'title'].includes(key) && typeof value === 'string') ||
      (['examples', 'names'].includes(key) && Array.isArray(value))
        ? undefined
        : value,
    ),
  ) as object
