/** Writes plain values as YAML in the style of our event files: the inverse of `parse-yaml.ts`. */
import { stringify } from 'yaml'

/** Long texts stay on one line; no aliases; quotes only where needed. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, defaultStringType: 'PLAIN' })
