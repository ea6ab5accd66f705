/** The repository's shared files, for event files in tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from './cli.ts'

const readSharedFile = (name: string) => ({
  path: `_shared/${name}.yaml`,
  text: readFileSync(join(top, 'events', '_shared', `${name}.yaml`), 'utf8'),
})
export const shared = {
  lists: readSharedFile('lists'),
  gateways: readSharedFile('gateways'),
  texts: readSharedFile('texts'),
}
