/**
 * Replaces engine/authoring/schema/json-schemas.ts in both builds: the same exports, with compiled schemas. The content
 * security policy of our pages forbids `eval`, which ajv needs for compiling; the server starts sooner.
 */
import { fileURLToPath } from 'node:url'
import standalone from 'ajv/dist/standalone/index.js'
import type { Plugin } from 'vite'
import { createAjv, SCHEMAS, type Kind } from '../engine/authoring/schema/json-schemas.ts'

const REPLACED = fileURLToPath(
  new URL('../engine/authoring/schema/json-schemas.ts', import.meta.url),
)

/** `kinds`: the files that a page reads; the others would only be loaded. */
export const precompileSchemas = (...kinds: readonly Kind[]): Plugin => ({
  name: 'rollcall-precompiled-schemas',
  enforce: 'pre',
  load: (id) => (id.split('?')[0] === REPLACED ? buildModule(kinds) : null),
})

/** Builds a module without ajv, except for the small functions that its compiled code uses. */
export function buildModule(kinds: readonly Kind[]): string {
  const ajv = createAjv({ source: true, esm: true, optimize: true })
  for (const kind of kinds) ajv.addSchema(removeProse(SCHEMAS[kind]), kind)
  const code = standalone.default(ajv, Object.fromEntries(kinds.map((kind) => [kind, kind])))
  // The code loads these with `require`, which pages do not have: it becomes a look-up among imports.
  const borrowed = [
    ...new Set([...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name)),
  ]
  return [
    ...borrowed.map((name, at) => `import * as borrowed${at} from ${JSON.stringify(`${name}.js`)}`),
    `const borrowed = { ${borrowed.map((name, at) => `${JSON.stringify(name)}: borrowed${at}`).join(', ')} }`,
    // Depending on the loader, the function is under one `default` or under two.
    'const require = (name) => (typeof borrowed[name].default === "function" ? borrowed[name] : borrowed[name].default)',
    code,
    `const validators = { ${kinds.join(', ')} }`,
    'export const findSchemaErrors = (kind, value) => validators[kind](value) ? [] : (validators[kind].errors ?? [])',
  ].join('\n')
}

/** Descriptions are for people and editors; without them a page loads half as much. */
const removeProse = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (['description', 'title'].includes(key) && typeof value === 'string') ||
      (['examples', 'names'].includes(key) && Array.isArray(value))
        ? undefined
        : value,
    ),
  ) as object
