/** What the server tells the office about the people in it: who is signed in, what they may, their accounts, what they did. */
import type { Admin, AdminList, PublicEvent } from '../event/config.ts'
import type { Role } from '../registration/permissions.ts'
import type { Day } from '../lib/time.ts'

export type LoginAnswer = { status: 'success'; token: string; username: string }
/** GET /admin/session/: who is signed in and what the office frame needs to draw itself. */
export type SessionAnswer = {
  status: 'success'
  username: string
  role: Role
  /** False: the events below are all that the person may see, also of those to come. */
  all_events: boolean
  /** Nothing but their own account is open to them until they have set one up. */
  needs_second_factor: boolean
  /** An older copy of the database was put back, and nobody has ended the recovery yet. */
  in_recovery: boolean
  events: OfficeEvent[]
  texts: PublicEvent['texts']
}
export type OfficeEvent = {
  id: string
  title: string
  look: PublicEvent['look']
  status: 'open' | 'closed'
  /** The event's own days. */
  from: Day
  to: Day
  /** The fields that every list shows: who it is (null: nobody is asked for a name), and in which category. */
  always: { name: string | null; category: string }
  /** The days from which other prices hold. */
  price_steps: readonly { readonly day: Day; readonly label: string }[]
  dashboard: Admin['dashboard']
  lists: readonly AdminList[]
  routes: PublicEvent['routes']
  /** Whether the event file has kinds of codes: they have a page of their own. */
  gives_codes: boolean
  /** Whether there is more to add up than registrations: items, people who come along, places. */
  sells: boolean
}

/** GET /admin/me/: a person's own account. */
export type AccountAnswer = {
  status: 'success'
  username: string
  role: Role
  /** Titles; null: all events. */
  events: string[] | null
  second_factor: {
    is_on: boolean
    /** Whether the office asks it of this person. */
    is_required: boolean
    recovery_codes_left: number
  }
  sessions: WireSession[]
}
export type WireSession = {
  id: string
  /** The one that asks. */
  is_this: boolean
  signed_in_at: string
  seen_at: string
  /** '' where it is not known. */
  network: string
  browser: string
}
/** POST /admin/me/second-factor/: what an authenticator app is told, to be confirmed with a code of it. */
export type SecondFactorAnswer = {
  status: 'success'
  /** Base32, in groups of four. */
  secret: string
  /** An `otpauth:` address, to be shown as a QR code. */
  address: string
}
/** Shown once. */
export type RecoveryCodesAnswer = { status: 'success'; message: string; recovery_codes: string[] }

/** GET /admin/admins/. */
export type PeopleAnswer = {
  status: 'success'
  people: WirePerson[]
  /** All that are served, to choose from. */
  events: { id: string; title: string }[]
  second_factor_required: boolean
}
export type WirePerson = {
  username: string
  role: Role
  /** Ids; null: all events. */
  events: string[] | null
  has_second_factor: boolean
  added_at: string
  /** Null: never. */
  signed_in_at: string | null
  /** Until when the link to set a password is good; null: there is none. */
  invited_until: string | null
}
/** A link to set a password, shown once; null: what was done needs none. */
export type PersonChangedAnswer = { status: 'success'; message: string; link: string | null }
/** POST /admin/set-password/ with a token alone: whose password the link sets. */
export type PasswordLinkAnswer = { status: 'success'; username: string }

/** GET /admin/log/. */
export type ActivityAnswer = {
  status: 'success'
  rows: WireActivity[]
  /** To be sent as `before` for the rows that follow; null: there are none. */
  before: number | null
  /** Whoever did something, to choose from. */
  people: string[]
}
export type WireActivity = {
  id: number
  at: string
  who: string
  what: string
  event_id: string | null
  /** A title, or the id of an event that is not served any more; '' for none. */
  event: string
  reg_no: string | null
}
