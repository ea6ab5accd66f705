/** The Vite plugin that omits unreachable library code from the browser bundles. */
import type { Plugin } from 'vite'

const buildThrowStatement = (description: string): string =>
  `throw new Error(${JSON.stringify(`omitted code was used: ${description}`)})`

/** The end of each module's path, and the code that replaces the module. */
const REPLACED_MODULES: readonly (readonly [path: string, code: string])[] = [
  // The form specifies every template and widget that it uses (web/registration/form/rjsf-theme.tsx).
  [
    '@rjsf/core/lib/components/templates/index.js',
    'export default () => ({ ButtonTemplates: {} })',
  ],
  ['@rjsf/core/lib/components/widgets/index.js', 'export default () => ({})'],
  // Our schema is flat: an object of strings, numbers and booleans, without alternatives or
  // references. web/registration/fields/people-list.tsx provides the list field.
  [
    '@rjsf/core/lib/components/fields/index.js',
    ['Boolean', 'Number', 'Object', 'Schema', 'String']
      .map((name) => `import ${name}Field from './${name}Field.js'`)
      .join('\n') +
      '\nexport default () => ({ BooleanField, NumberField, ObjectField, SchemaField, StringField })',
  ],
  [
    '@rjsf/utils/lib/findSchemaDefinition.js',
    `const no = () => { ${buildThrowStatement('a reference in a schema')} }
export default no
export { no as findSchemaDefinitionRecursive, no as splitKeyElementFromObject, no as makeAllReferencesAbsolute }`,
  ],
  [
    '@rjsf/utils/lib/schema/omitExtraData.js',
    `const no = () => { ${buildThrowStatement('an answer without a field')} }
export default no
export { no as getUsedFormData, no as getFieldNames, no as isValueEmpty }`,
  ],
  // No field has alternatives.
  [
    '@rjsf/utils/lib/schema/getClosestMatchingOption.js',
    `export default () => { ${buildThrowStatement('a choice of schemas')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/getFirstMatchingOption.js',
    `export default () => { ${buildThrowStatement('a choice of schemas')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/findFieldInSchema.js',
    `export default () => { ${buildThrowStatement('a field in a choice of schemas')} }`,
  ],
  [
    '@rjsf/utils/lib/schema/toPathSchema.js',
    `export default () => { ${buildThrowStatement('the paths of a schema')} }`,
  ],
  // Only ajv errors from the server's validator are used (web/registration/form/registration-form.tsx); the messages
  // are our own.
  [
    '@rjsf/validator-ajv8/lib/processRawValidationErrors.js',
    `export default () => { ${buildThrowStatement('messages of ajv')} }`,
  ],
  // Label and hint are outside the input (web/registration/fields/field-layout.tsx), and inputs
  // have no Clear button.
  [
    '@mui/material/InputLabel/InputLabel.mjs',
    `export default () => { ${buildThrowStatement('a label inside an input')} }`,
  ],
  [
    '@mui/material/FormLabel/FormLabel.mjs',
    `export default () => { ${buildThrowStatement('a label inside radios')} }`,
  ],
  [
    '@mui/material/FormHelperText/FormHelperText.mjs',
    `export default () => { ${buildThrowStatement('a hint inside an input')} }`,
  ],
  [
    '@mui/material/InputAdornment/InputAdornment.mjs',
    `export default () => { ${buildThrowStatement('a Clear button in an input')} }`,
  ],
  // No schema has examples, but every input requests the component for them.
  ['@rjsf/core/lib/components/SchemaExamples.js', 'export default () => null'],
  // Inputs have only the outlined variant.
  [
    '@mui/material/FilledInput/FilledInput.mjs',
    `export default () => { ${buildThrowStatement('a filled input')} }`,
  ],
  [
    '@mui/material/Input/Input.mjs',
    `export default () => { ${buildThrowStatement('an underlined input')} }`,
  ],
  // One theme with plain values (web/registration/form/mui-theme.ts), without the ripple effect.
  [
    '@mui/material/styles/createThemeWithVars.mjs',
    `export default () => { ${buildThrowStatement('a theme of custom properties')} }`,
  ],
  [
    '@mui/material/styles/ThemeProviderWithVars.mjs',
    `export const CssVarsProvider = () => { ${buildThrowStatement('a theme of custom properties')} }`,
  ],
  ['@mui/material/ButtonBase/TouchRipple.mjs', 'export default () => null'],
  [
    '@mui/material/useLazyRipple/useLazyRipple.mjs',
    `const nothing = () => {}
const still = { ref: { current: null }, shouldMount: false, start: nothing, stop: nothing, pulsate: nothing }
export default () => still`,
  ],
  // Everything is rendered in the form's own theme; MUI's default theme would be created without
  // being used.
  [
    '@mui/material/styles/defaultTheme.mjs',
    `export default new Proxy({}, { get() { ${buildThrowStatement('MUI outside the theme of the form')} } })`,
  ],
  // Styles come from the theme and our style sheets. Nothing uses `sx`. Most of its code is a list of CSS properties.
  [
    '@mui/system/styleFunctionSx/styleFunctionSx.mjs',
    `const none = (props) => { if (props.sx) ${buildThrowStatement('a style in sx')}
  return null }
none.filterProps = ['sx']
export default none
export const unstable_createStyleFunctionSx = () => none`,
  ],
  ['@mui/system/styleFunctionSx/defaultSxConfig.mjs', 'export default {}'],
  // No style uses container queries.
  [
    '@mui/system/cssContainerQueries/cssContainerQueries.mjs',
    `export default (theme) => theme
export const sortContainerQueries = (_theme, css) => css
export const isCqShorthand = () => false
export const getContainerQuery = () => { ${buildThrowStatement('a container query')} }`,
  ],
  [
    '@mui/material/styles/stringifyTheme.mjs',
    `export const stringifyTheme = () => { ${buildThrowStatement('a serialised theme')} }`,
  ],
  // Radios, checkboxes and selects use our icons, but MUI requests its own as well.
  [
    '@mui/material/Radio/RadioButtonIcon.mjs',
    `export default () => { ${buildThrowStatement('the radio icon of MUI')} }`,
  ],
  [
    '@mui/material/internal/svg-icons/ArrowDropDown.mjs',
    `export default () => { ${buildThrowStatement('the arrow icon of MUI')} }`,
  ],
  // MUI renders only the labels of Yes and No, and the page styles them (radio-choices.css).
  [
    '@mui/material/Typography/Typography.mjs',
    `import { jsx } from 'react/jsx-runtime'
export default ({ className, children }) => jsx('span', { className, children })`,
  ],
  // Only menu items request spacing, always with one factor. MUI's own function also accepts four factors and size
  // names.
  [
    '@mui/system/createTheme/createSpacing.mjs',
    'export default () => (factor) => `${8 * factor}px`',
  ],
  // Nothing uses styled.div; its 130 variants would be created at startup.
  [
    '@emotion/styled/dist/emotion-styled.browser.esm.js',
    "export { default } from '../base/dist/emotion-styled-base.browser.esm.js'",
  ],
  // Every styled element specifies which props it forwards to the browser.
  [
    '@emotion/is-prop-valid/dist/emotion-is-prop-valid.esm.js',
    // Emotion's element factory calls this only for `as`, once.
    `export default (prop) => { if (prop !== 'as') ${buildThrowStatement('a styled element without shouldForwardProp')}
  return true }`,
  ],
  [
    'hoist-non-react-statics/dist/hoist-non-react-statics.cjs.js',
    `export default () => { ${buildThrowStatement('a component wrapped in a theme')} }`,
  ],
  // The form's props contain functions, elements and plain values. Also comparing maps, promises or typed arrays would
  // take four times as much code.
  [
    '@rjsf/utils/lib/deepEquals.js',
    `const isPlain = (value) => [Object.prototype, null].includes(Object.getPrototypeOf(value))
function equals(a, b, open) {
  if (Object.is(a, b) || (typeof a === 'function' && typeof b === 'function')) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) ? !Array.isArray(b) : !isPlain(a) || !isPlain(b)) return false
  // A pair whose comparison is in progress counts as equal, unless another part differs.
  if (open.get(a) === b) return true
  open.set(a, b)
  const keys = Object.keys(a)
  const same = keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equals(a[key], b[key], open))
  open.delete(a)
  return same
}
export default (a, b) => equals(a, b, new Map())`,
  ],
  // A flat schema has nothing to resolve.
  [
    '@rjsf/utils/lib/schema/retrieveSchema.js',
    `const RESOLVED = ['$ref', 'allOf', 'if', 'dependencies', 'dependentRequired', 'dependentSchemas', 'patternProperties']
const read = (_validator, schema) => {
  if (typeof schema !== 'object' || schema === null) return {}
  if (RESOLVED.some((keyword) => keyword in schema)) ${buildThrowStatement('a condition or reference in a flat schema')}
  return schema
}
const no = () => { ${buildThrowStatement('a condition or reference in a flat schema')} }
export default read
export const retrieveSchemaInternal = (validator, schema) => [read(validator, schema)]
export { no as resolveAllReferences, no as resolveAnyOrOneOfSchemas, no as resolveDependencies, no as relaxOptionsForScoring }`,
  ],
  // A flat schema has no default values: the answers remain unchanged.
  [
    '@rjsf/utils/lib/schema/getDefaultFormState.js',
    `export default (_validator, _schema, answers) => answers ?? {}`,
  ],
  ['@rjsf/utils/lib/schemaHasNestedConditional.js', 'export default () => false'],
  [
    '@rjsf/utils/lib/schema/findSelectedOptionInXxxOf.js',
    `export default () => { ${buildThrowStatement('a choice of schemas')} }`,
  ],
  // The theme defines its own shadows.
  ['@mui/material/styles/shadows.mjs', 'export default []'],
  // The schema does not change while the form is filled in.
  [
    '@rjsf/utils/lib/schema/sanitizeDataForNewSchema.js',
    `export default () => { ${buildThrowStatement('a schema that changes with answers in the form')} }`,
  ],
]

/**
 * Modules that are replaced for one importer only, because other modules need them: the end of the importer's path, the
 * import, and the code that replaces it.
 */
const REPLACED_IMPORTS: readonly (readonly [path: string, source: string, code: string])[] = [
  // Every select specifies its component (web/registration/fields/text-select-switch-inputs.tsx). MUI's own, with its
  // menu, is loaded only for forms that use it (web/registration/fields/dropdown-menu.tsx).
  [
    '@mui/material/TextField/TextField.mjs',
    '../Select/index.mjs',
    `export default () => { ${buildThrowStatement('a select without a component')} }`,
  ],
]

const REPLACEMENT_PREFIX = '\0omitted:'

type Context = {
  readonly environment: { readonly name: string }
  readonly error: (text: string) => void
}

/**
 * Creates the plugin. It replaces each omitted module with one that throws when it is used. The build fails if a
 * library has moved a module, so that an upgrade cannot restore the module unnoticed.
 */
export function omitUnusedLibraryCode() {
  const replacedPaths = new Set<string>()
  return {
    name: 'omit-unused-library-code',
    apply: 'build',
    // Runs before any other plugin resolves the module.
    enforce: 'pre',
    resolveId: (importSource: string, importer: string | undefined): string | null => {
      const index = REPLACED_IMPORTS.findIndex(
        ([path, source]) => source === importSource && importer?.endsWith(path),
      )
      const replacement = REPLACED_IMPORTS[index]
      if (replacement === undefined) return null
      replacedPaths.add(replacement[0])
      return `${REPLACEMENT_PREFIX}${index}`
    },
    load: (id: string): string | null => {
      if (id.startsWith(REPLACEMENT_PREFIX))
        return REPLACED_IMPORTS[Number(id.slice(REPLACEMENT_PREFIX.length))]?.[2] ?? null
      const replacement = REPLACED_MODULES.find(([path]) => id.endsWith(path))
      if (replacement === undefined) return null
      replacedPaths.add(replacement[0])
      return replacement[1]
    },
    buildEnd(this: Context, error?: Error) {
      // The server rendering (server-rendering.tsx) imports the Node versions of the same packages.
      if (this.environment.name !== 'client') return
      const missingPaths = [...REPLACED_MODULES, ...REPLACED_IMPORTS]
        .map(([path]) => path)
        .filter((path) => !replacedPaths.has(path))
      if (error === undefined && missingPaths.length > 0)
        this.error(
          `web/build/omit-unused-library-code.ts lists modules that the libraries no longer contain: ${missingPaths.join(', ')}`,
        )
    },
  } satisfies Plugin
}
