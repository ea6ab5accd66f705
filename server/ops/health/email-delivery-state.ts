/** Describes how emails stand: how many wait, since when the mail server is silent, how many were given up. */
import { formatInstant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { lengthOf } from '../clock-jumps.ts'

/** An email is sent within seconds; one that waits this long means that the mail server accepts none. */
const WAITS_MS_MAX = 15 * 60_000

export type MailState = {
  readonly waiting: number
  readonly oldestAt: Instant | null
  readonly givenUp: number
  readonly silentSince: Instant | null
}

export async function mailState({
  store,
  mailUnreachableSince,
}: Pick<Deps, 'store' | 'mailUnreachableSince'>): Promise<MailState> {
  const { mailsQueued, mailsFailed } = await store.operating()
  return {
    waiting: mailsQueued.count,
    oldestAt: mailsQueued.since,
    givenUp: mailsFailed.count,
    silentSince: mailUnreachableSince(),
  }
}

/** Returns null if the waiting emails need no attention. */
export function mailSentence(
  { waiting, oldestAt, silentSince }: MailState,
  at: Instant,
): string | null {
  const waits = oldestAt !== null && at - oldestAt > WAITS_MS_MAX
  const isSilent = silentSince !== null && at - silentSince > WAITS_MS_MAX
  if (!waits && !isSilent) return null
  const emails = waiting === 1 ? '1 email waits' : `${waiting} emails wait`
  const oldest = oldestAt === null ? '' : `, the oldest for ${lengthOf(at - oldestAt)}`
  const silence =
    silentSince === null
      ? ' See Emails in the office for what the mail server says.'
      : ` The mail server has not answered since ${formatInstant(silentSince)}: check it, and SMTP_URL. They go out when it answers.`
  return `${emails}${oldest}.${silence}`
}

/** Returns null if there was none. */
export function givenUpSentence({ givenUp }: MailState): string | null {
  if (givenUp === 0) return null
  const emails = givenUp === 1 ? '1 email was' : `${givenUp} emails were`
  return `${emails} given up: Emails in the office shows why. rollcall email retry sends them again.`
}
