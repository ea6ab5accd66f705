/** Defines the store's functions for users: permissions, sign-in, sessions and audit log. */
import type { Day, Instant, MyList, RegNo, Result, Role } from '../../../engine/index.ts'

/** A user's role, and the events to which it applies. `events` is null for all events. */
export type Permissions = { readonly role: Role; readonly events: readonly string[] | null }

export type AdminRow = Permissions & {
  readonly id: number
  readonly username: string
  readonly passwordHash: string
  /** Base32. Null if there is no second factor. */
  readonly totpSecret: string | null
}
/** A user as the team page shows them. */
export type StoredUser = Permissions & {
  readonly username: string
  readonly hasSecondFactor: boolean
  readonly createdAt: Instant
  /** The last sign-in. Null if the user has not signed in, or signed in only before sign-ins were recorded. */
  readonly signedInAt: Instant | null
  /** The expiry of the newest link to set a password. Null if the user has no such link. */
  readonly invitedUntil: Instant | null
}
export type NewSession = {
  readonly tokenHash: string
  readonly adminId: number
  readonly at: Instant
  readonly expiresAt: Instant
  /** The credentials that were verified: the session is opened only if they are still those of the user. */
  readonly verified: { readonly passwordHash: string; readonly hasSecondFactor: boolean }
  /** The network and browser as text; '' if unknown. */
  readonly network?: string
  readonly browser?: string
}
/** An open session and its user. */
export type OpenSession = Permissions & {
  readonly adminId: number
  readonly username: string
  readonly hasSecondFactor: boolean
  /** True if treasurers and owners must use a second factor. */
  readonly secondFactorRequired: boolean
}
/**
 * The session that sent a request, with the permissions that the request was checked against. A transaction that waits
 * for other requests checks them again.
 */
export type StaffSender = Permissions & { readonly sessionHash: string }
/** The result of a refused write of `forSender`: the session has ended, or its user lost the role or an event. */
export type LostPermission = { readonly lostPermission: 'session' | 'role' }
/** The link to set a password that is stored with a new user or instead of their password. */
export type NewPasswordLink = { readonly tokenHash: string; readonly expiresAt: Instant }
export type SessionUse = {
  readonly tokenHash: string
  readonly at: Instant
  readonly seenAt: Instant
  readonly expiresAt: Instant
  readonly network: string
  readonly browser: string
}
/** The part of a user's account that a session does not include. */
export type StoredAccount = {
  readonly passwordHash: string
  readonly totpSecret: string | null
  /** The secret being set up. It is valid once confirmed. */
  readonly totpWanted: string | null
  readonly recoveryCodesLeft: number
  /** Identifies the set of recovery codes: the smallest hash in it, used or not. Null if there are no codes. */
  readonly recoveryCodeSet: string | null
}

export type AuditEntry = {
  readonly at: Instant
  readonly who: string
  readonly what: string
  readonly eventId: string | null
  readonly regNo: RegNo | null
  /**
   * The viewed page, in one or two fixed words. If omitted, the entry is an action. The same user's further views of
   * that page within an hour are not logged.
   */
  readonly look?: string
}
/** The kinds of entries that the audit log distinguishes. */
export type AuditEntryKind = 'changes' | 'looks' | 'exports' | 'signing-in'
export type AuditLogQuery = {
  /** Null for all users. */
  readonly who: string | null
  /** The events whose entries may be shown. Null for all entries, including those without an event. */
  readonly events: readonly string[] | null
  /** Null for all kinds. */
  readonly kinds: readonly AuditEntryKind[] | null
  /** Words that the action's text must contain, in any order. '' matches all entries. */
  readonly words: string
  /** The first and last date, inclusive. Null for no limit. */
  readonly from: Day | null
  readonly to: Day | null
}
export type AuditLogRow = {
  readonly id: number
  readonly at: Instant
  readonly who: string
  readonly what: string
  readonly eventId: string | null
  readonly regNo: string | null
}

/** The result of changing a user. `last`: refused, because the last owner of all events cannot lose that role. */
export type UserChange = 'done' | 'unknown' | 'last'

export interface UserStore {
  admin(username: string): Promise<AdminRow | null>
  adminCount(): Promise<number>
  /** Returns the users, sorted by name. */
  staffAccounts(at: Instant): Promise<readonly StoredUser[]>
  /** Adds an owner of all events, unless `permissions` restricts the user. `link` lets them set a password. */
  addAdmin(
    username: string,
    passwordHash: string,
    at: Instant,
    permissions?: Permissions,
    link?: NewPasswordLink,
  ): Promise<Result<number, { readonly code: 'username_taken' }>>
  setPermissions(username: string, permissions: Permissions): Promise<UserChange>
  /** Removes a user and ends all their sessions. The last owner of all events is not removed. */
  removeAdmin(username: string): Promise<'removed' | 'unknown' | 'last'>
  /**
   * Changes the password. Ends all sessions of that user, and invalidates all links to set a password; `link` replaces
   * them. Returns false if no user has this name.
   */
  setPassword(
    username: string,
    passwordHash: string,
    at: Instant,
    link?: NewPasswordLink,
  ): Promise<boolean>
  /** Returns the user of a link. Null if the link does not exist or has expired. */
  passwordLink(tokenHash: string, at: Instant): Promise<{ readonly username: string } | null>
  /** Sets the password through a link that works only once. Ends the user's sessions. Returns the user. */
  usePasswordLink(
    tokenHash: string,
    passwordHash: string,
    at: Instant,
  ): Promise<{ readonly username: string } | null>

  account(adminId: number): Promise<StoredAccount | null>
  /** Returns a user's list settings, by event id and list id separated by a slash. */
  savedViews(adminId: number): Promise<Readonly<Record<string, MyList>>>
  saveView(adminId: number, list: string, view: MyList): Promise<void>
  /** Stores a secret that is valid once confirmed. */
  startSecondFactorSetup(adminId: number, secret: string): Promise<void>
  /**
   * Activates the secret being set up, and stores these recovery codes. Returns false if another secret is being set up
   * now.
   */
  confirmSecondFactor(
    adminId: number,
    secret: string,
    step: number,
    codeHashes: readonly string[],
  ): Promise<boolean>
  /**
   * Accepts the code for a 30-second step. Returns false if that code or a later one was used before.
   * `encryptedSecret` replaces a secret that an earlier version stored unencrypted; null if that is not needed.
   */
  acceptSecondFactorCode(
    adminId: number,
    step: number,
    encryptedSecret: string | null,
  ): Promise<boolean>
  /** Uses up a recovery code. Returns false if no such code exists, or if it has been used before. */
  useRecoveryCode(adminId: number, codeHash: string, at: Instant): Promise<boolean>
  /** Replaces the recovery codes. Returns false if another request has replaced the set that this one saw. */
  renewRecoveryCodes(
    adminId: number,
    codeHashes: readonly string[],
    seenSet: string | null,
  ): Promise<boolean>
  /** Removes the second factor. Returns false if no user has this name, or if the user has no second factor. */
  removeSecondFactor(username: string): Promise<boolean>
  secondFactorRequired(): Promise<boolean>
  requireSecondFactor(required: boolean): Promise<void>

  /** Opens a session. Returns false if the user was removed, or if the verified credentials are no longer theirs. */
  openSession(session: NewSession): Promise<boolean>
  /**
   * Returns the session and renews its idle time. Null if it is unknown, revoked, expired or idle for longer than
   * `idleMs`.
   */
  session(tokenHash: string, at: Instant, idleMs: number): Promise<OpenSession | null>
  /** Returns open sessions, newest first. */
  sessionsOf(adminId: number, at: Instant, idleMs: number): Promise<readonly SessionUse[]>
  closeSession(tokenHash: string): Promise<void>
  /** Closes all sessions of a user except one. Returns the number of sessions closed. */
  closeOtherSessions(adminId: number, tokenHash: string): Promise<number>

  addAuditEntry(entry: AuditEntry): Promise<void>
  auditOf(
    regNo: RegNo,
  ): Promise<readonly { readonly at: Instant; readonly who: string; readonly what: string }[]>
  /** Returns audit log entries, newest first: those older than `beforeId`, at most `limit`. */
  auditLog(
    query: AuditLogQuery,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditLogRow[]>
  /** Returns the users with entries in these events (null for any), including removed users, sorted by name. */
  auditLogUsers(events: readonly string[] | null): Promise<readonly string[]>
}
