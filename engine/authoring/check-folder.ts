/**
 * The verdict on a folder of event files: every finding of every file in it. What `rollcall validate`
 * says of a folder and whether a server serves it are both this one answer.
 */
import type { Site } from '../event/site.ts'
import { compilingEvents, type CompiledFile, type KnownEvent } from './check-event.ts'
import type { Finding } from './finding.ts'
import type { CheckOptions } from './checked-file.ts'
import { compileSite } from './compile/site.ts'
import type { SharedFiles, SourceText } from '../event/source-files.ts'

export type EventFolder = {
  readonly files: readonly SourceText[]
  readonly shared: SharedFiles
  /** The words of the landing page; null where the folder has none. */
  readonly site: SourceText | null
}
export type FolderVerdict = {
  readonly files: readonly CompiledFile[]
  readonly site: Site | null
  /** In the order in which people read them: of the shared files, of the site, of each event. */
  readonly findings: readonly Finding[]
}

/** A folder with an error among its findings is served by nobody. It rests after each file that it judges. */
export function* compilingFolder(
  { files, shared, site }: EventFolder,
  options: CheckOptions = {},
  known: (file: SourceText) => KnownEvent | null = () => null,
): Generator<void, FolderVerdict> {
  const compiled = yield* compilingEvents(files, shared, options, known)
  const ofSite = site === null ? null : compileSite(site.text, site)
  return {
    files: compiled.files,
    site: ofSite?.site ?? null,
    findings: [
      ...compiled.shared,
      ...(ofSite?.findings ?? []),
      ...compiled.files.flatMap(({ findings }) => findings),
    ],
  }
}
