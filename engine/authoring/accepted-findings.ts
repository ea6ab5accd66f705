/** Applies the `allow` list of an event file, and reports entries that match no finding. */
import type { Finding, Meta } from './finding.ts'
import { createFinding } from './finding.ts'
import type { EventFile } from './schema/event-file-types.ts'
import type { Source } from './syntax/source.ts'

export const acceptedFindingChecks = {
  EV990: {
    slug: 'allow-unused',
    severity: 'warning',
    why: 'An outdated entry under `allow` would hide the next finding of this kind.',
  },
} as const satisfies Record<string, Meta>

/**
 * Returns true for codes that only a comparison with an older version reports. Without a comparison, `allow` entries
 * for them count as used.
 */
const needsOlderVersion = (code: string): boolean => /^EV10\d\d$/.test(code)

/** Returns true for the finding about a changed currency: stored amounts are in the currency of their category. */
const isNeverAccepted = (code: string): boolean => code === 'EV1014'

/**
 * Returns true for a finding that depends on other files. An `allow` entry for it may match when all files are checked
 * together.
 */
const needsOtherFiles = (code: string): boolean => code === 'EV808'

/**
 * Removes the findings that `allow` accepts. Of the errors, it accepts only EV10xx (changes to an older version),
 * except EV1014.
 */
export function applyAllow(
  findings: readonly Finding[],
  source: Source,
  knownCodes: ReadonlySet<string>,
  options: { readonly hasOlderVersion?: boolean } = {},
): readonly Finding[] {
  const entries = (source.value as EventFile).allow ?? []
  const accepts = ({ code, at }: (typeof entries)[number], finding: Finding): boolean =>
    finding.code === code &&
    (finding.severity !== 'error' || (needsOlderVersion(code) && !isNeverAccepted(code))) &&
    (at === undefined || finding.at.keyPath === at || finding.at.keyPath.startsWith(`${at}.`))
  const remaining = findings.filter((finding) => !entries.some((entry) => accepts(entry, finding)))
  // Some checks do not run while the file has errors, so an unused entry may be needed once they are fixed.
  if (remaining.some(({ severity }) => severity === 'error')) return remaining
  const unused = entries.flatMap((entry, index) => {
    if (
      findings.some((finding) => accepts(entry, finding)) ||
      needsOtherFiles(entry.code) ||
      (needsOlderVersion(entry.code) && options.hasOlderVersion !== true)
    )
      return []
    const path = `allow.${index}.code`
    const message = knownCodes.has(entry.code)
      ? `\`${entry.code}\` is no longer reported here`
      : `there is no finding \`${entry.code}\``
    return [
      createFinding(
        'EV990',
        acceptedFindingChecks.EV990,
        { at: path, message, help: 'remove this entry' },
        source,
      ),
    ]
  })
  return [...remaining, ...unused]
}
