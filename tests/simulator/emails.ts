/** The mails that go out, and the links in them that lead back to a registration. */
import { textToSend } from '../../server/registration/access-link.ts'
import { openGivenBack } from '../../server/mail/refund-email.ts'
import { openUnfinished } from '../../server/mail/payment-reminder-email.ts'
import type { Course } from './virtual-time.ts'
import type { InsideDeps, Machine } from './server.ts'

/** After a registration: when somebody who left is written to, and once more for what was refused or lost. */
const LOOKS_MS = [62 * 60_000, 7 * 3_600_000]
const MAILS_MAX = 50

export type Post = {
  /** Somebody has registered. */
  expect(): void
  /** The token of the newest link that was mailed to a registration. */
  linkOf(regNo: string): string | null
}

export function openPost(given: {
  readonly course: Course
  readonly machine: Machine
  readonly lasts: (ms: number) => void
}): Post {
  const { course, machine, lasts } = given
  const links = new Map<string, string>()
  /** What the server's mailer does with each mail, but for the carrier. */
  const send = async (deps: InsideDeps): Promise<void> => {
    const { store, clock } = deps
    await openUnfinished(deps, { works: false }).run()
    await openGivenBack(deps, { works: false }).run()
    for (const mail of await store.dueMails(clock(), MAILS_MAX)) {
      if (!(await store.claimMail(mail.id, clock()))) continue
      const text = await textToSend(deps, mail)
      if (text === null) await store.mailFailed(mail.id, 'It was not needed any more.', null)
      else {
        const token = /\/my\/([\w-]+)/.exec(text)?.[1]
        if (token !== undefined && mail.regNo !== null) links.set(mail.regNo, token)
        await store.mailSent(mail.id, clock())
      }
    }
  }
  return {
    expect: () => {
      for (const ms of LOOKS_MS) {
        lasts(ms)
        course.after(ms, () => void machine.inside(send))
      }
    },
    linkOf: (regNo) => links.get(regNo) ?? null,
  }
}
