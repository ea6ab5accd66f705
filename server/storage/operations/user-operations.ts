/** Dispatches the store functions for users, their sessions and the audit log. */
import { instant } from '../../../engine/index.ts'
import type { DeferredAuditLog } from '../staff/deferred-audit-log.ts'
import type { UserStore } from '../index.ts'
import type { createStoreReads } from './key-lookups.ts'
import type { listings } from './list-queries.ts'
import type { Call, writes } from './writes.ts'

/** The minimum interval between updates of a session's last use, or a tenth of the idle time if that is shorter. */
const TOUCH_INTERVAL_MS = 60_000

/** Assembles the functions for users. A store for a sender shares the audit log with the server's. */
export function createUserStore({
  write,
  list,
  read,
  deferredEntries,
  addAuditEntry,
}: {
  readonly write: Call<typeof writes>
  readonly list: Call<typeof listings>
  readonly read: ReturnType<typeof createStoreReads>
  readonly deferredEntries: DeferredAuditLog
  readonly addAuditEntry: UserStore['addAuditEntry']
}): UserStore {
  return {
    admin: async (username) => read.admin(username),
    adminCount: async () => read.adminCount(),
    staffAccounts: async (at) => read.users(at),
    addAdmin: (username, passwordHash, at, permissions, link) =>
      write('addAdmin', username, passwordHash, at, permissions ?? null, link ?? null),
    setPermissions: (username, permissions) => write('setPermissions', username, permissions),
    removeAdmin: (username) => write('removeAdmin', username),
    setPassword: (username, passwordHash, at, link) =>
      write('setPassword', username, passwordHash, at, link ?? null),
    passwordLink: async (tokenHash, at) => read.passwordLink(tokenHash, at),
    usePasswordLink: (tokenHash, passwordHash, at) =>
      write('usePasswordLink', tokenHash, passwordHash, at),
    account: async (adminId) => read.account(adminId),
    savedViews: async (adminId) => read.myLists(adminId),
    saveView: (adminId, list, view) => write('saveView', adminId, list, view),
    startSecondFactorSetup: (adminId, secret) => write('startSecondFactorSetup', adminId, secret),
    confirmSecondFactor: (adminId, secret, step, codeHashes) =>
      write('confirmSecondFactor', adminId, secret, step, codeHashes),
    acceptSecondFactorCode: (adminId, step, encryptedSecret) =>
      write('acceptSecondFactorCode', adminId, step, encryptedSecret),
    useRecoveryCode: (adminId, codeHash, at) => write('useRecoveryCode', adminId, codeHash, at),
    renewRecoveryCodes: (adminId, codeHashes, seenSet) =>
      write('renewRecoveryCodes', adminId, codeHashes, seenSet),
    removeSecondFactor: (username) => write('removeSecondFactor', username),
    secondFactorRequired: async () => read.secondFactorRequired(),
    requireSecondFactor: (required) => write('requireSecondFactor', required),
    openSession: (session) => write('openSession', session),
    async session(tokenHash, at, idleMs) {
      const session = await read.session(tokenHash)
      if (session === null) return null
      const { expiresAt, seenAt, ...sessionData } = session
      const elapsedMs = at - Math.max(seenAt, deferredEntries.seenAt(tokenHash) ?? 0)
      if (at >= expiresAt || elapsedMs > idleMs) return null
      if (elapsedMs >= Math.min(TOUCH_INTERVAL_MS, idleMs / 10))
        await deferredEntries.touchSession(tokenHash, at)
      return sessionData
    },
    sessionsOf: async (adminId, at, idleMs) => read.sessionsOf(adminId, at, instant(at - idleMs)),
    closeSession: (tokenHash) => write('closeSession', tokenHash),
    closeOtherSessions: (adminId, tokenHash) => write('closeOtherSessions', adminId, tokenHash),
    addAuditEntry,
    auditOf: async (regNo) => read.auditOf(regNo),
    auditLog: (query, before, limit) => list('auditLog', query, before, limit),
    auditLogUsers: (events) => list('auditLogUsers', events),
  }
}
