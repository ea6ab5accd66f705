/** What a delegate agreed to, in a sentence for the log: the words that were shown, their version and where they stand. */
import type { Answers } from '../event/answer-types.ts'
import type { Field, PublicEvent } from '../event/config.ts'
import { own } from '../lib/result.ts'

/** One sentence for each box that was ticked, in form order. The log keeps the instant beside it. */
export function agreedIn({ fields }: PublicEvent, answers: Answers): readonly string[] {
  return fields.filter(({ id, type }) => type === 'consent' && own(answers, id) === true).map(said)
}

function said({ label, version, link }: Field): string {
  const about = [...(version === undefined ? [] : [`version ${version}`]), link ?? []].flat()
  return `agreed to “${label}”${about.length === 0 ? '' : ` (${about.join(', ')})`}`
}
