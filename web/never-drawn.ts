/**
 * Parts of our libraries that no page of ours can reach, left out of what is sent to a browser. Each is
 * replaced by one that is loud where the part is asked for all the same, and the build fails when a
 * library has moved one, so that an upgrade cannot bring it back unseen.
 */
import type { Plugin } from 'vite'

const loud = (what: string): string => `throw new Error(${JSON.stringify(`never drawn: ${what}`)})`

/** The end of the module's path, and the module that takes its place. */
const NEVER_DRAWN: readonly (readonly [path: string, code: string])[] = [
  // The form names every template and widget that it draws with (event/drawing.tsx).
  [
    '@rjsf/core/lib/components/templates/index.js',
    'export default () => ({ ButtonTemplates: {} })',
  ],
  ['@rjsf/core/lib/components/widgets/index.js', 'export default () => ({})'],
  // Our schema is flat: an object of texts, numbers and yes-no, without alternatives or references; what draws lists comes with event/people.tsx.
  [
    '@rjsf/core/lib/components/fields/index.js',
    ['Boolean', 'Number', 'Object', 'Schema', 'String']
      .map((name) => `import ${name}Field from './${name}Field.js'`)
      .join('\n') +
      '\nexport default () => ({ BooleanField, NumberField, ObjectField, SchemaField, StringField })',
  ],
  [
    '@rjsf/utils/lib/findSchemaDefinition.js',
    `const no = () => { ${loud('a reference in a schema')} }
export default no
export { no as findSchemaDefinitionRecursive, no as splitKeyElementFromObject, no as makeAllReferencesAbsolute }`,
  ],
  [
    '@rjsf/utils/lib/schema/shallowAllOfMerge.js',
    `export default () => { ${loud('allOf in a flat schema')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/omitExtraData.js',
    `const no = () => { ${loud('an answer that no field asked for')} }
export default no
export { no as getUsedFormData, no as getFieldNames, no as isValueEmpty }`,
  ],
  // No field has alternatives.
  [
    '@rjsf/utils/lib/schema/getClosestMatchingOption.js',
    `export default () => { ${loud('one of several schemas')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/getFirstMatchingOption.js',
    `export default () => { ${loud('one of several schemas')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/findFieldInSchema.js',
    `export default () => { ${loud('a field among several schemas')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/toPathSchema.js',
    `export default () => { ${loud('the paths of a schema')} }`,
  ],
  // Of the server's validator we ask what ajv says (event/form.tsx); the messages are our own.
  [
    '@rjsf/validator-ajv8/lib/processRawValidationErrors.js',
    `export default () => { ${loud("messages that are not the event file's")} }`,
  ],
  // Label and hint stand around their input (event/question.tsx), and nobody needs a button to empty one.
  [
    '@mui/material/InputLabel/InputLabel.mjs',
    `export default () => { ${loud('a label inside an input')} }`,
  ],
  [
    '@mui/material/FormLabel/FormLabel.mjs',
    `export default () => { ${loud('a label inside radios')} }`,
  ],
  [
    '@mui/material/FormHelperText/FormHelperText.mjs',
    `export default () => { ${loud('a hint inside an input')} }`,
  ],
  [
    '@mui/material/InputAdornment/InputAdornment.mjs',
    `export default () => { ${loud('a button that empties an input')} }`,
  ],
  // No schema has examples; every input asks for their list all the same.
  ['@rjsf/core/lib/components/SchemaExamples.js', 'export default () => null'],
  // Inputs have one frame, the outlined one.
  [
    '@mui/material/FilledInput/FilledInput.mjs',
    `export default () => { ${loud('a filled input')} }`,
  ],
  ['@mui/material/Input/Input.mjs', `export default () => { ${loud('an underlined input')} }`],
  // One theme, whose values are plain (event/theme.ts), without the wave under a press.
  [
    '@mui/material/styles/createThemeWithVars.mjs',
    `export default () => { ${loud('a theme of custom properties')} }`,
  ],
  [
    '@mui/material/styles/ThemeProviderWithVars.mjs',
    `export const CssVarsProvider = () => { ${loud('a theme of custom properties')} }`,
  ],
  ['@mui/material/ButtonBase/TouchRipple.mjs', 'export default () => null'],
]

export function neverDrawn() {
  const met = new Set<string>()
  return {
    name: 'never-drawn',
    apply: 'build',
    load: (id: string): string | null => {
      const found = NEVER_DRAWN.find(([path]) => id.endsWith(path))
      if (found === undefined) return null
      met.add(found[0])
      return found[1]
    },
    buildEnd(this: { readonly error: (text: string) => void }, error?: Error) {
      const gone = NEVER_DRAWN.map(([path]) => path).filter((path) => !met.has(path))
      if (error === undefined && gone.length > 0)
        this.error(`web/never-drawn.ts names what is not there: ${gone.join(', ')}`)
    },
  } satisfies Plugin
}
