/** Writes plain values as YAML in the style of our event files: the inverse of `parse-yaml.ts`. */
import { stringify } from 'yaml'

/** Writes long texts on one line, uses no aliases, and quotes texts only where needed. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, defaultStringType: 'PLAIN' })
