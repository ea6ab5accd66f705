/** Describes how emails stand: how many wait, since when the mail server is silent, how many were given up. */
import { formatInstant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { formatDuration } from '../clock-jumps.ts'

/** An email is sent within seconds; one that waits this long means that the mail server accepts none. */
const MAX_WAIT_MS = 15 * 60_000

export type EmailState = {
  readonly queued: number
  readonly oldestAt: Instant | null
  readonly failed: number
  readonly unreachableSince: Instant | null
}

export async function readEmailState({
  store,
  mailUnreachableSince,
}: Pick<Deps, 'store' | 'mailUnreachableSince'>): Promise<EmailState> {
  const { mailsQueued, mailsFailed } = await store.operating()
  return {
    queued: mailsQueued.count,
    oldestAt: mailsQueued.since,
    failed: mailsFailed.count,
    unreachableSince: mailUnreachableSince(),
  }
}

/** Returns null if the waiting emails need no attention. */
export function formatDeliveryProblem(
  { queued, oldestAt, unreachableSince }: EmailState,
  at: Instant,
): string | null {
  const isOverdue = oldestAt !== null && at - oldestAt > MAX_WAIT_MS
  const isUnreachable = unreachableSince !== null && at - unreachableSince > MAX_WAIT_MS
  if (!isOverdue && !isUnreachable) return null
  const emails = queued === 1 ? '1 email waits' : `${queued} emails wait`
  const oldest = oldestAt === null ? '' : `, the oldest for ${formatDuration(at - oldestAt)}`
  const advice =
    unreachableSince === null
      ? ' See Emails in the office for what the mail server says.'
      : ` The mail server has not answered since ${formatInstant(unreachableSince)}: check it, and SMTP_URL. They go out when it answers.`
  return `${emails}${oldest}.${advice}`
}

/** Returns null if there was none. */
export function formatFailedEmails({ failed }: EmailState): string | null {
  if (failed === 0) return null
  const emails = failed === 1 ? '1 email was' : `${failed} emails were`
  return `${emails} given up: Emails in the office shows why. rollcall email retry sends them again.`
}
