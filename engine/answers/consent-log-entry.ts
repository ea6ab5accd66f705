/** Describes consents for the log: the text shown, its version and its URL. */
import type { Answers } from '../event/answer-types.ts'
import type { Field, PublicEvent } from '../event/config.ts'
import { getOwn } from '../lib/result.ts'

/** Returns one sentence for each ticked box, in form order. The log also records the time. */
export function listConsentSentences({ fields }: PublicEvent, answers: Answers): readonly string[] {
  return fields
    .filter(({ id, type }) => type === 'consent' && getOwn(answers, id) === true)
    .map(describeConsent)
}

const CONSENT_PREFIX = 'agreed to '

/** Returns true for a log line that describes a consent. */
export const isConsentSentence = (text: string): boolean => text.startsWith(CONSENT_PREFIX)

function describeConsent({ label, version, link }: Field): string {
  const details = [...(version === undefined ? [] : [`version ${version}`]), link ?? []].flat()
  return `${CONSENT_PREFIX}“${label}”${details.length === 0 ? '' : ` (${details.join(', ')})`}`
}
