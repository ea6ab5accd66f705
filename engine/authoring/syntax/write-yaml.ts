/** Plain values as YAML text, in the writing of our event files: the other direction of `parse-yaml.ts`. */
import { stringify } from 'yaml'

/** Long texts stay on one line, nothing is an alias of something else, quotes only where they are needed. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, defaultStringType: 'PLAIN' })
