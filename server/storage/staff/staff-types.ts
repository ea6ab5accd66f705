/** What the store does for the people of the office: who they are, what they may, how they sign in, what they did. */
import type { Day, Instant, MyList, RegNo, Result, Role } from '../../../engine/index.ts'

/** What somebody may, and for which events; null: all. */
export type MayWhat = { readonly role: Role; readonly events: readonly string[] | null }

export type AdminRow = MayWhat & {
  readonly id: number
  readonly username: string
  readonly passwordHash: string
  /** Base32; null: there is no second factor. */
  readonly totpSecret: string | null
}
/** As the page of people shows them. */
export type StoredPerson = MayWhat & {
  readonly username: string
  readonly hasSecondFactor: boolean
  readonly createdAt: Instant
  /** Null: never, or not since this is written down. */
  readonly signedInAt: Instant | null
  /** Until when the newest link to set a password is good; null: there is none. */
  readonly invitedUntil: Instant | null
}
export type NewSession = {
  readonly tokenHash: string
  readonly adminId: number
  readonly at: Instant
  readonly expiresAt: Instant
  /** From where and with what, in words; '' where it is not known. */
  readonly network?: string
  readonly browser?: string
}
/** A session that stands, and whose it is. */
export type OpenSession = MayWhat & {
  readonly adminId: number
  readonly username: string
  readonly hasSecondFactor: boolean
  /** Whether the office asks it of treasurers and owners. */
  readonly secondFactorRequired: boolean
}
export type SessionSeen = {
  readonly tokenHash: string
  readonly at: Instant
  readonly seenAt: Instant
  readonly expiresAt: Instant
  readonly network: string
  readonly browser: string
}
/** A person's own account: what of it is not a session's to know. */
export type StoredAccount = {
  readonly passwordHash: string
  readonly totpSecret: string | null
  /** Being set up: counts once it is confirmed. */
  readonly totpWanted: string | null
  readonly recoveryCodesLeft: number
}

export type AuditEntry = {
  readonly at: Instant
  readonly who: string
  readonly what: string
  readonly eventId: string | null
  readonly regNo: RegNo | null
  /**
   * What was looked at, in a word or two that are the same each time; left out: something was done. One
   * person's further looks at the same within an hour are not written.
   */
  readonly look?: string
}
/** The kinds of acts that the activity page tells apart. */
export type ActKind = 'changes' | 'looks' | 'exports' | 'signing-in'
export type ActivityQuery = {
  /** Null: everybody. */
  readonly who: string | null
  /** The events that may be shown; null: all, and what is of no event. */
  readonly events: readonly string[] | null
  /** Null: all kinds. */
  readonly kinds: readonly ActKind[] | null
  /** Words that what was done has, in any order; '' for all. */
  readonly words: string
  /** Both included; null: no bound. */
  readonly from: Day | null
  readonly to: Day | null
}
export type ActivityRow = {
  readonly id: number
  readonly at: Instant
  readonly who: string
  readonly what: string
  readonly eventId: string | null
  readonly regNo: string | null
}

/** What became of a change of somebody: the last owner of all events stays one. */
export type PersonChanged = 'done' | 'unknown' | 'last'

export interface PeopleStore {
  admin(username: string): Promise<AdminRow | null>
  adminCount(): Promise<number>
  /** By name. */
  people(at: Instant): Promise<readonly StoredPerson[]>
  /** An owner of all events, unless `may` says less. */
  addAdmin(
    username: string,
    passwordHash: string,
    at: Instant,
    may?: MayWhat,
  ): Promise<Result<number, { readonly code: 'username_taken' }>>
  setMay(username: string, may: MayWhat): Promise<PersonChanged>
  /** Also ends every session of that admin. The last owner of all events is not removed. */
  removeAdmin(username: string): Promise<'removed' | 'unknown' | 'last'>
  /** Also ends every session of that admin, and every link to set a password. */
  setPassword(username: string, passwordHash: string, at: Instant): Promise<boolean>
  /** A link to set a password, instead of any before; false: there is nobody of this name. */
  addPasswordLink(username: string, tokenHash: string, expiresAt: Instant): Promise<boolean>
  /** Whose link it is; null: there is none, or it is over. */
  passwordLink(tokenHash: string, at: Instant): Promise<{ readonly username: string } | null>
  /** Once: the link is gone, and so are the sessions. Answers whose it was. */
  usePasswordLink(
    tokenHash: string,
    passwordHash: string,
    at: Instant,
  ): Promise<{ readonly username: string } | null>

  account(adminId: number): Promise<StoredAccount | null>
  /** How somebody has their lists, by an event's id and a list's with a slash between them. */
  myLists(adminId: number): Promise<Readonly<Record<string, MyList>>>
  keepMyList(adminId: number, list: string, kept: MyList): Promise<void>
  /** A secret that counts once it is confirmed. */
  wantSecondFactor(adminId: number, secret: string): Promise<void>
  /** The secret that is being set up counts from now on, with these recovery codes; false: it is not that secret any more. */
  confirmSecondFactor(
    adminId: number,
    secret: string,
    step: number,
    codeHashes: readonly string[],
  ): Promise<boolean>
  /** Takes the code of a step of 30 seconds; false: that one or a later one was taken before. */
  takeStep(adminId: number, step: number): Promise<boolean>
  /** Uses a recovery code up; false: there is none, or it was used. */
  takeRecoveryCode(adminId: number, codeHash: string, at: Instant): Promise<boolean>
  renewRecoveryCodes(adminId: number, codeHashes: readonly string[]): Promise<void>
  /** False: there is nobody of this name, or no second factor. */
  dropSecondFactor(username: string): Promise<boolean>
  secondFactorRequired(): Promise<boolean>
  requireSecondFactor(required: boolean): Promise<void>

  openSession(session: NewSession): Promise<void>
  /** Null when unknown, revoked, expired or idle for longer than idleMs; otherwise touches it. */
  session(tokenHash: string, at: Instant, idleMs: number): Promise<OpenSession | null>
  /** Those that stand, the newest first. */
  sessionsOf(adminId: number, at: Instant, idleMs: number): Promise<readonly SessionSeen[]>
  closeSession(tokenHash: string): Promise<void>
  /** All of a person's but one. Answers how many. */
  closeOtherSessions(adminId: number, tokenHash: string): Promise<number>

  audit(entry: AuditEntry): Promise<void>
  auditOf(
    regNo: RegNo,
  ): Promise<readonly { readonly at: Instant; readonly who: string; readonly what: string }[]>
  /** What people of the office did, the newest first: those older than `before`, at most `limit`. */
  activity(
    query: ActivityQuery,
    before: number | null,
    limit: number,
  ): Promise<readonly ActivityRow[]>
  /** Users who did something in these events (null: anywhere), by name. Removed users are among them. */
  actors(events: readonly string[] | null): Promise<readonly string[]>
}
