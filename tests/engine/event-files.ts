/** The event files of the repository and what they share, as they stand there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedFiles, SourceText } from '../../engine/authoring.ts'

const TOP = join(import.meta.dirname, '..', '..')
/** A file by its path from the top. */
export const read = (path: string): SourceText => ({
  path,
  text: readFileSync(join(TOP, path), 'utf8'),
})
export const ours: SharedFiles = {
  lists: read('events/_shared/lists.yaml'),
  gateways: read('events/_shared/gateways.yaml'),
  texts: read('events/_shared/texts.yaml'),
}
