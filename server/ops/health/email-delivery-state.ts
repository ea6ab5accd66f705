/** Describes email delivery: queued and failed emails, and how long the mail server has not responded. */
import { formatInstant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { formatDuration } from '../clock-jumps.ts'

/** Emails are usually sent within seconds. If one has waited this long, the mail server is not accepting emails. */
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
  const { mailsQueued, mailsFailed } = await store.operatingFigures()
  return {
    queued: mailsQueued.count,
    oldestAt: mailsQueued.since,
    failed: mailsFailed.count,
    unreachableSince: mailUnreachableSince(),
  }
}

/** Describes a problem with queued emails. Null if there is none. */
export function formatDeliveryProblem(
  { queued, oldestAt, unreachableSince }: EmailState,
  at: Instant,
): string | null {
  const isOverdue = oldestAt !== null && at - oldestAt > MAX_WAIT_MS
  const isUnreachable = unreachableSince !== null && at - unreachableSince > MAX_WAIT_MS
  if (!isOverdue && !isUnreachable) return null
  const emails = queued === 1 ? '1 email is waiting' : `${queued} emails are waiting`
  const oldest = oldestAt === null ? '' : `, the oldest for ${formatDuration(at - oldestAt)}`
  const advice =
    unreachableSince === null
      ? ' The Emails page of the office shows the response of the mail server.'
      : ` The mail server has not responded since ${formatInstant(unreachableSince)}: check it, and SMTP_URL. The emails are sent when it responds.`
  return `${emails}${oldest}.${advice}`
}

/** Describes the failed emails. Null if there are none. */
export function formatFailedEmails({ failed }: EmailState): string | null {
  if (failed === 0) return null
  const emails = failed === 1 ? '1 email' : `${failed} emails`
  return `${emails} could not be sent. The Emails page of the office shows why. To resend, run rollcall email retry.`
}
