/** The event files in the repository and their shared files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedFiles, SourceText } from '../../engine/authoring.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..')
/** Reads a file by its path from the repository root. */
export const readSource = (path: string): SourceText => ({
  path,
  text: readFileSync(join(REPOSITORY_ROOT, path), 'utf8'),
})
export const sharedFiles: SharedFiles = {
  lists: readSource('events/_shared/lists.yaml'),
  gateways: readSource('events/_shared/gateways.yaml'),
  texts: readSource('events/_shared/texts.yaml'),
}
