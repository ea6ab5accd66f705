/** How people of the office reach the server: signed in, by its calls, each with a click of its own. */
import { hashOf } from '../../server/office/auth/sessions.ts'
import type { Course } from './virtual-time.ts'
import type { Answer, Machine } from './server.ts'
import type { Violation } from './check-payments.ts'
import type { PersonName } from './expected-permissions.ts'

/** As long as a session of the office lasts. */
const SESSION_MS = 12 * 3_600_000

export type Hands = {
  call(
    method: 'GET' | 'POST',
    url: string,
    token: string,
    payload?: object | string | null,
  ): Promise<Answer | null>
  /** Null: the server is down. */
  signIn(who: PersonName): Promise<string | null>
  /** A name for one click, which no other has. */
  nextClick(): string
}

export function openHands(given: {
  readonly course: Course
  readonly machine: Machine
  readonly broken: (found: Violation | null) => void
  readonly say: (what: () => string) => void
}): Hands {
  const { course, machine, broken, say } = given
  let clicks = 0
  return {
    call: async (method, url, token, payload = null) => {
      await course.wait(20)
      const type = typeof payload === 'string' ? { 'content-type': 'text/csv' } : {}
      const answer = await machine.call({
        method,
        url,
        headers: { authorization: `Bearer ${token}`, ...type },
        ...(payload === null ? {} : { payload }),
      })
      say(() => `${method} ${url} ${JSON.stringify(payload)}: ${answer?.status} ${answer?.body}`)
      if (answer !== null && answer.status >= 500 && answer.status !== 503)
        broken({
          promise: 'no 5xx but 503',
          by: `${method} ${url}: ${answer.status} ${answer.body}`,
        })
      return answer
    },
    signIn: (who) =>
      machine.inside(async ({ store, clock }) => {
        const token = `${who}-${course.now()}-${(clicks += 1)}`
        const person = await store.admin(who)
        if (person === null) return null
        const [at, tokenHash] = [clock(), hashOf(token)]
        const expiresAt = (at + SESSION_MS) as typeof at
        await store.openSession({ tokenHash, adminId: person.id, at, expiresAt })
        return token
      }),
    nextClick: () => `click-${(clicks += 1)}-${course.now()}`,
  }
}
