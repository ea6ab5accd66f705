/** Simulates emails, and the links in them that open a registration. */
import { prepareEmailText } from '../../server/registration/access-link.ts'
import { startRefundEmails } from '../../server/mail/send-refund-emails.ts'
import { startPaymentReminders } from '../../server/mail/send-payment-reminders.ts'
import type { Timeline } from './virtual-time.ts'
import type { ServerDeps, SimulatedServer } from './server.ts'

/** The delays after which due emails are sent. The second is for emails that failed. */
const CHECK_AFTER_MS = [62 * 60_000, 7 * 3_600_000]
const MAX_EMAILS = 50

export type Mailbox = {
  /** Schedules the sending of due emails, for example after a registration. */
  scheduleSending(): void
  /** Returns the token of the newest link that was emailed for a registration. */
  getLinkToken(regNo: string): string | null
}

export function createMailbox(context: {
  readonly timeline: Timeline
  readonly server: SimulatedServer
  readonly extendHistory: (ms: number) => void
}): Mailbox {
  const { timeline, server, extendHistory } = context
  const links = new Map<string, string>()
  /** Sends due emails as the server does, but without a mail server. */
  const sendDueEmails = async (deps: ServerDeps): Promise<void> => {
    const { store, clock } = deps
    await startPaymentReminders(deps, { isEnabled: false }).run()
    await startRefundEmails(deps, { isEnabled: false }).run()
    for (const email of await store.dueMails(clock(), MAX_EMAILS)) {
      if (!(await store.claimMail(email.id, clock()))) continue
      const text = await prepareEmailText(deps, email)
      if (text === null) await store.mailFailed(email.id, 'The email was no longer needed.', null)
      else {
        const token = /\/my\/([\w-]+)/.exec(text)?.[1]
        if (token !== undefined && email.regNo !== null) links.set(email.regNo, token)
        await store.mailSent(email.id, clock())
      }
    }
  }
  return {
    scheduleSending: () => {
      for (const ms of CHECK_AFTER_MS) {
        extendHistory(ms)
        timeline.schedule(ms, () => void server.runJob(sendDueEmails))
      }
    },
    getLinkToken: (regNo) => links.get(regNo) ?? null,
  }
}
