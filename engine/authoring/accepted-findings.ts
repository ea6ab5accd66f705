/** `allow`: findings accepted on purpose, with a reason. An entry that silences nothing is itself reported. */
import type { Finding, Meta } from './finding.ts'
import { findingOf } from './finding.ts'
import type { EventFile } from './schema/event-file-types.ts'
import type { Source } from './syntax/source.ts'

export const allowed = {
  EV990: {
    slug: 'allow-unused',
    severity: 'warning',
    why: 'A list of accepted oddities that outlives them hides the next one.',
  },
} as const satisfies Record<string, Meta>

/** Codes that only a comparison with an older version can find; their entries count as used when nothing is compared. */
const isOfThePast = (code: string): boolean => /^EV10\d\d$/.test(code)

/** What only other files explain: an entry may be needed beside them, though this file is judged alone. */
const isOfOthers = (code: string): boolean => code === 'EV808'

/** Takes the allowed findings away. Errors stay, but for EV10xx: what they break is the organiser's to decide. */
export function applyAllow(
  findings: readonly Finding[],
  source: Source,
  known: ReadonlySet<string>,
  options: { readonly compared?: boolean } = {},
): readonly Finding[] {
  const entries = (source.value as EventFile).allow ?? []
  const silences = ({ code, at }: (typeof entries)[number], finding: Finding): boolean =>
    finding.code === code &&
    (finding.severity !== 'error' || isOfThePast(code)) &&
    (at === undefined || finding.at.keyPath === at || finding.at.keyPath.startsWith(`${at}.`))
  const kept = findings.filter((finding) => !entries.some((entry) => silences(entry, finding)))
  // While there are errors, checks were left out: an entry may be needed again once they are mended.
  if (kept.some(({ severity }) => severity === 'error')) return kept
  const unused = entries.flatMap((entry, at) => {
    if (
      findings.some((finding) => silences(entry, finding)) ||
      isOfOthers(entry.code) ||
      (isOfThePast(entry.code) && options.compared !== true)
    )
      return []
    const path = `allow.${at}.code`
    const message = known.has(entry.code)
      ? `\`${entry.code}\` is not reported here any more`
      : `there is no finding \`${entry.code}\``
    return [
      findingOf('EV990', allowed.EV990, { at: path, message, help: 'remove this entry' }, source),
    ]
  })
  return [...kept, ...unused]
}
