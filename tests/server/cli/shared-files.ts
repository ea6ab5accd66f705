/** The repository's shared files, for event files in tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from './cli.ts'

const read = (name: string) => ({
  path: `_shared/${name}.yaml`,
  text: readFileSync(join(top, 'events', '_shared', `${name}.yaml`), 'utf8'),
})
export const shared = { lists: read('lists'), gateways: read('gateways'), texts: read('texts') }
