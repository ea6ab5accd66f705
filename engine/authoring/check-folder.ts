/** Checks a folder of event files, for `rollcall validate` and for the server before serving it. */
import type { Site } from '../event/site.ts'
import { compileEventsStepwise, type CompiledFile, type CachedEvent } from './check-event.ts'
import type { Finding } from './finding.ts'
import type { CheckOptions } from './checked-file.ts'
import { compileSite } from './compile/site.ts'
import type { SharedFiles, SourceText } from '../event/source-files.ts'

export type EventFolder = {
  readonly files: readonly SourceText[]
  readonly shared: SharedFiles
  /** The text of the landing page; null if the folder has none. */
  readonly site: SourceText | null
}
export type CheckedFolder = {
  readonly files: readonly CompiledFile[]
  readonly site: Site | null
  /** Findings in the shared files, then in the site file, then in each event file. */
  readonly findings: readonly Finding[]
}

/** Compiles a folder, with a pause after each file. The server does not serve a folder that has an error. */
export function* compileFolderStepwise(
  { files, shared, site }: EventFolder,
  options: CheckOptions = {},
  findCachedEvent: (file: SourceText) => CachedEvent | null = () => null,
): Generator<void, CheckedFolder> {
  const compiled = yield* compileEventsStepwise(files, shared, options, findCachedEvent)
  const compiledSite = site === null ? null : compileSite(site.text, site)
  return {
    files: compiled.files,
    site: compiledSite?.site ?? null,
    findings: [
      ...compiled.shared,
      ...(compiledSite?.findings ?? []),
      ...compiled.files.flatMap(({ findings }) => findings),
    ],
  }
}
