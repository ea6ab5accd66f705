/** API types for office users: session, permissions, accounts, audit log. */
import type { Admin, AdminList, PublicEvent } from '../event/config.ts'
import type { Role } from '../registration/permissions.ts'
import type { Day } from '../lib/time.ts'

export type LoginResponse = { status: 'success'; token: string; username: string }
/** GET /admin/session/: the signed-in user and the data to render the layout of the office. */
export type SessionResponse = {
  status: 'success'
  username: string
  role: Role
  /** If false, the user sees only the events below; events added later stay hidden. */
  all_events: boolean
  /** Whether the user can open only their account page until they set up a second factor. */
  needs_second_factor: boolean
  /** Whether an older copy of the database was restored and the recovery has not ended yet. */
  in_recovery: boolean
  /** The server's current date in India. It determines which events have ended. */
  today: Day
  events: OfficeEvent[]
  texts: PublicEvent['texts']
}
export type OfficeEvent = {
  id: string
  title: string
  look: PublicEvent['look']
  /** Whether staff can add a registration today: registration is open online or at the front desk. */
  adds_registrations: boolean
  /** The event's dates. */
  from: Day
  to: Day
  /** The fields that every list shows: name (null: the form has none) and category. */
  always: { name: string | null; category: string }
  /** The dates on which prices change. */
  price_steps: readonly { readonly day: Day; readonly label: string }[]
  dashboard: Admin['dashboard']
  lists: readonly AdminList[]
  routes: PublicEvent['routes']
  /** Whether the event file defines discount codes, which have their own page. */
  gives_codes: boolean
  /** Whether registrations must be approved before payment, on the basis of documents or otherwise. */
  checks_documents: boolean
  /** Whether the event has a sales report on items, accompanying persons or seats, in addition to registrations. */
  sells: boolean
  /** The currencies of the event's bills. Absent if all are in rupees. */
  currencies?: string[]
  /** The currencies whose invoices need an exchange rate. Absent if there are none. */
  rate_currencies?: string[]
}

/** GET /admin/me/: a user's own account. */
export type AccountResponse = {
  status: 'success'
  username: string
  role: Role
  /** Event titles. Null for all events. */
  events: string[] | null
  second_factor: {
    is_on: boolean
    /** Whether the office requires a second factor of this user. */
    is_required: boolean
    recovery_codes_left: number
  }
  sessions: WireSession[]
}
export type WireSession = {
  id: string
  /** The session that made the request. */
  is_this: boolean
  signed_in_at: string
  seen_at: string
  /** '' if not known. */
  network: string
  browser: string
}
/** POST /admin/me/second-factor/: data for an authenticator app, to be confirmed with a code from the app. */
export type SecondFactorResponse = {
  status: 'success'
  /** Base32, in groups of four. */
  secret: string
  /** An `otpauth:` address, to be shown as a QR code. */
  address: string
}
/** New recovery codes, which are shown once. */
export type RecoveryCodesResponse = { status: 'success'; message: string; recovery_codes: string[] }

/** GET /admin/admins/. */
export type UsersResponse = {
  status: 'success'
  people: WireUser[]
  /** All served events, to choose from. */
  events: { id: string; title: string }[]
  second_factor_required: boolean
}
export type WireUser = {
  username: string
  role: Role
  /** Event ids. Null for all events. */
  events: string[] | null
  has_second_factor: boolean
  added_at: string
  /** Null if never. */
  signed_in_at: string | null
  /** When the link to set a password expires. Null if there is none. */
  invited_until: string | null
}
/** A link to set a password, shown once. Null if none is needed. */
export type UserUpdatedResponse = { status: 'success'; message: string; link: string | null }
/** POST /admin/set-password/ with only a token: the user whose password the link sets. */
export type PasswordLinkResponse = { status: 'success'; username: string }

/** GET /admin/log/. */
export type AuditLogResponse = {
  status: 'success'
  rows: WireAuditEntry[]
  /** The `before` parameter for the next page. Null on the last page. */
  before: number | null
  /** All actors, to choose from. */
  people: string[]
}
export type WireAuditEntry = {
  id: number
  at: string
  who: string
  what: string
  event_id: string | null
  /** The event's title, or its id if the event is no longer served; '' if there is no event. */
  event: string
  reg_no: string | null
}
