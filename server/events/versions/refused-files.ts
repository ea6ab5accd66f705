/** Lists the event files on disk that are not served, with the reasons. */
import path from 'node:path'
import type { RefusedFile } from '../../dependencies.ts'
import type { CompiledFolder } from '../files/event-folder.ts'
import type { ActiveState } from './active-versions.ts'
import { explainOverruled } from './follow-active-versions.ts'
import type { HeldVersions } from './version-approval.ts'

/** Returns files on disk that are not served, because they were refused or another version is served. */
export function listRefusedFiles(
  compileResult: CompiledFolder,
  { served, unservableEvents }: ActiveState,
  overruled: ReadonlyMap<string, string>,
  heldVersions: HeldVersions,
): readonly RefusedFile[] {
  const hashes = new Set(served.map(({ hash }) => hash))
  return [
    ...compileResult.folderErrors.map((reason) => ({ file: '_shared', why: reason })),
    ...[...compileResult.refused].map(([file, why]) => {
      const findings = compileResult.findingsByPath.get(file)
      return { file: path.basename(file), why, ...(findings === undefined ? {} : { findings }) }
    }),
    ...compileResult.served
      .filter(({ hash }) => !hashes.has(hash))
      .map(({ config: { id }, hash }): RefusedFile => {
        const file = `${id}.yaml`
        if (overruled.get(id) === hash) return { file, why: explainOverruled(id) }
        const heldVersion = heldVersions.get(id)
        if (heldVersion?.hash === hash) {
          const { why, findings } = heldVersion
          return { file, why, ...(findings === undefined ? {} : { findings }) }
        }
        return {
          file,
          why: `${file} is not served in its current version; the previous version is served instead. The log contains the reason.`,
        }
      }),
    ...[...unservableEvents].map(([id, reason]) => ({ file: `${id}.yaml`, why: reason })),
  ]
}
