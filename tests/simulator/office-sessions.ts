/** Signs staff in and calls the server's API for them, with a separate key for each click. */
import { hashToken } from '../../server/office/auth/sessions.ts'
import type { Timeline } from './virtual-time.ts'
import type { SimulatedResponse, SimulatedServer } from './server.ts'
import type { Violation } from './check-payments.ts'
import type { StaffName } from './expected-permissions.ts'

/** The lifetime of a staff session. */
const SESSION_MS = 12 * 3_600_000

export type StaffClient = {
  call(
    method: 'GET' | 'POST',
    url: string,
    token: string,
    payload?: object | string | null,
  ): Promise<SimulatedResponse | null>
  /** Signs a user in. Returns the session token, or null if the server is down. */
  signIn(staffName: StaffName): Promise<string | null>
  /** Returns a unique key for one click. */
  nextClick(): string
}

export function createStaffClient(context: {
  readonly timeline: Timeline
  readonly server: SimulatedServer
  readonly reportViolation: (violation: Violation | null) => void
  readonly writeTrace: (describe: () => string) => void
}): StaffClient {
  const { timeline, server, reportViolation, writeTrace } = context
  let clicks = 0
  return {
    call: async (method, url, token, payload = null) => {
      await timeline.wait(20)
      const type = typeof payload === 'string' ? { 'content-type': 'text/csv' } : {}
      const apiResponse = await server.call({
        method,
        url,
        headers: { authorization: `Bearer ${token}`, ...type },
        ...(payload === null ? {} : { payload }),
      })
      writeTrace(
        () =>
          `${method} ${url} ${JSON.stringify(payload)}: ${apiResponse?.status} ${apiResponse?.body}`,
      )
      if (apiResponse !== null && apiResponse.status >= 500 && apiResponse.status !== 503)
        reportViolation({
          invariant: 'no 5xx except 503',
          cause: `${method} ${url}: ${apiResponse.status} ${apiResponse.body}`,
        })
      return apiResponse
    },
    signIn: (staffName) =>
      server.runJob(async ({ store, clock }) => {
        const token = `${staffName}-${timeline.now()}-${(clicks += 1)}`
        const staffUser = await store.admin(staffName)
        if (staffUser === null) return null
        const [signedInAt, tokenHash] = [clock(), hashToken(token)]
        const expiresAt = (signedInAt + SESSION_MS) as typeof signedInAt
        const verified = {
          passwordHash: staffUser.passwordHash,
          hasSecondFactor: staffUser.totpSecret !== null,
        }
        await store.openSession({
          tokenHash,
          adminId: staffUser.id,
          at: signedInAt,
          expiresAt,
          verified,
        })
        return token
      }),
    nextClick: () => `click-${(clicks += 1)}-${timeline.now()}`,
  }
}
