/** Applies `allow`: findings accepted with a reason. An entry that matches no finding is reported. */
import type { Finding, Meta } from './finding.ts'
import { createFinding } from './finding.ts'
import type { EventFile } from './schema/event-file-types.ts'
import type { Source } from './syntax/source.ts'

export const acceptedFindingChecks = {
  EV990: {
    slug: 'allow-unused',
    severity: 'warning',
    why: 'An outdated entry under allow would hide the next finding of this kind.',
  },
} as const satisfies Record<string, Meta>

/**
 * Returns true for codes that only a comparison with an older version can find. Without one, their entries count as
 * used.
 */
const needsOlderVersion = (code: string): boolean => /^EV10\d\d$/.test(code)

/** Returns true for a changed currency: stored amounts are in the currency of their category. */
const isNeverAccepted = (code: string): boolean => code === 'EV1014'

/** Returns true if the finding depends on other files: its entry may match when they are checked together. */
const needsOtherFiles = (code: string): boolean => code === 'EV808'

/** Removes the allowed findings. Errors remain, except EV10xx: organisers may accept most of these changes. */
export function applyAllow(
  findings: readonly Finding[],
  source: Source,
  knownCodes: ReadonlySet<string>,
  options: { readonly compared?: boolean } = {},
): readonly Finding[] {
  const entries = (source.value as EventFile).allow ?? []
  const accepts = ({ code, at }: (typeof entries)[number], finding: Finding): boolean =>
    finding.code === code &&
    (finding.severity !== 'error' || (needsOlderVersion(code) && !isNeverAccepted(code))) &&
    (at === undefined || finding.at.keyPath === at || finding.at.keyPath.startsWith(`${at}.`))
  const remaining = findings.filter((finding) => !entries.some((entry) => accepts(entry, finding)))
  // While there are errors, some checks do not run, so an entry may be needed again once they are
  // fixed.
  if (remaining.some(({ severity }) => severity === 'error')) return remaining
  const unused = entries.flatMap((entry, index) => {
    if (
      findings.some((finding) => accepts(entry, finding)) ||
      needsOtherFiles(entry.code) ||
      (needsOlderVersion(entry.code) && options.compared !== true)
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
