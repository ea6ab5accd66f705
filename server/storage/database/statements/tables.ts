/** Declares all tables and columns of the store. A test compares this type with the schema of both databases. */
import type { Generated } from 'kysely'
import type {
  ActionName,
  Day,
  HeldEmails,
  Instant,
  Currency,
  Amount,
  PaymentStatus,
  RegistrationState,
  RegNo,
  Role,
} from '../../../../engine/index.ts'
import type { MailState } from '../../mail/email-list-types.ts'
import type { NewLink } from '../../payments/payment-types.ts'
import type { MoneyTables } from './money-tables.ts'

/** Rows by table. Instants are in milliseconds since 1970, and amounts in whole paise; JSON is stored as text. */
export type Tables = MoneyTables & {
  act_keys: {
    key: string
    registration_id: number
    fingerprint: string
    answer: string
    at: Instant
  }
  activation: {
    only: number
    number: number
    site: string | null
  }
  active_events: {
    event_id: string
    hash: string
    is_gone: 0 | 1
    place: number
  }
  acts: {
    id: Generated<number>
    registration_id: number
    at: Instant
    who: string
    act: ActionName
    why: string
    data: string
    was: RegistrationState
    became: RegistrationState
  }
  admin_lists: {
    admin_id: number
    list: string
    kept: string
  }
  admins: {
    id: Generated<number>
    username: string
    password_hash: string
    created_at: Instant
    changed_at: Instant
    role: Generated<Role>
    events: string | null
    totp_secret: string | null
    totp_wanted: string | null
    totp_step: Generated<number>
    signed_in_at: Instant | null
  }
  audit_log: {
    id: Generated<number>
    at: Instant
    who: string
    what: string
    event_id: string | null
    reg_no: RegNo | null
    registration_id: number | null
    look: string | null
  }
  clock_seen: {
    only: number
    at: Instant
    waits_since: Instant | null
    latest_at: Instant | null
    set_back_at: Instant | null
  }
  code_uses: {
    registration_id: number
    code_id: number
  }
  codes: {
    id: Generated<number>
    event_id: string
    kind: string
    code: string
    folded: string
    uses_max: number
    last_day: Day | null
    note: string
    made_at: Instant
    made_by: string
    withdrawn_at: Instant | null
  }
  counted: {
    only: number
    last_id: number
  }
  counters: {
    event_id: string
    day: Day
    category: string
    period: string
    status: PaymentStatus
    registrations: number
    booked: Generated<Amount>
    owed: Generated<Amount>
    ended: Generated<number>
  }
  draft_proofs: {
    token_hash: string
    event_id: string
    field: string
    sha256: string
    name: string
    type: string
    bytes: number
    at: Instant
  }
  event_files: {
    hash: string
    event_id: string
    text: string
    shared: string
    first_at: Instant
    served_at: Instant
    gone_at: Instant | null
  }
  event_limits: {
    event_id: string
    limits: string
    hold_ms: number
    counting: string | null
    counted_at: Instant | null
    counted_id: number | null
  }
  idempotency_keys: {
    event_id: string
    key: string
    fingerprint: string
    registration_id: number
    at: Instant
  }
  installation: {
    only: number
    name: string
  }
  links: {
    token_hash: string
    registration_id: number
    purpose: NewLink['purpose']
    created_at: Instant
    expires_at: Instant
    used_at: Instant | null
  }
  mail_queue: {
    id: Generated<number>
    registration_id: number | null
    event_id: string | null
    kind: string
    once: string | null
    recipient: string
    copy_to: string | null
    subject: string
    body: string
    status: Generated<MailState>
    attempts: Generated<number>
    next_at: Instant | null
    created_at: Instant
    sent_at: Instant | null
    error: string | null
    claimed_at: Instant | null
    lost: Generated<number>
    mailbox: string | null
    first_tried_at: Instant | null
    tried_at: Instant | null
    unreached: Generated<number>
  }
  office_settings: {
    only: number
    second_factor_required: Generated<0 | 1>
  }
  paid_persons: {
    id: Generated<number>
    registration_id: number
    event_id: string
    person: string
    first_id: number | null
    after_act: Generated<number>
  }
  password_links: {
    token_hash: string
    admin_id: number
    expires_at: Instant
  }
  pings: {
    only: number
    at: Instant
  }
  places: {
    id: Generated<number>
    event_id: string
    place: string
    max: number
    taken: Generated<number>
    name: string | null
  }
  places_taken: {
    registration_id: number
    place_id: number
    state: string
    until: Instant | null
    quantity: Generated<number>
  }
  recoveries: {
    id: Generated<number>
    code: string
    begun_at: Instant
    who: string
    why: string
    copy_at: Instant | null
    stored_at: Instant | null
    served_at: Instant | null
    ended_at: Instant | null
    ended_by: string | null
    mails: HeldEmails | null
  }
  recovery_codes: {
    admin_id: number
    code_hash: string
    used_at: Instant | null
  }
  registered_persons: {
    id: Generated<number>
    registration_id: number
    event_id: string
    person: string
    browser: string | null
    notify_id: Generated<number | null>
  }
  registrations: {
    id: Generated<number>
    event_id: string
    event_hash: string
    reg_no: RegNo
    full_name: string
    email: string
    phone: string
    council_no: string
    answers: string
    category: string | null
    period: string | null
    base: Amount | null
    gst: Amount | null
    total: Amount | null
    payment_status: PaymentStatus
    in_review: Generated<0 | 1>
    payment_id: string | null
    paid_at: Instant | null
    created_at: Instant
    created_day: Day
    former_no: string | null
    bill: number | null
    state: Generated<RegistrationState>
    due: Generated<Amount>
    is_corrected: Generated<0 | 1>
    approval: string | null
    decide_by: Instant | null
    offer: string | null
    pay_until: Instant | null
    booked: Generated<Amount>
    erased_at: Instant | null
    freed_at_attempt: number | null
    documented_bill: number | null
    bill_without_invoice: number | null
    refunded: Generated<Amount>
    currency: Generated<Currency>
  }
  roll_rows: {
    event_id: string
    roll: string
    key: string
    cells: string
  }
  /** Words of a registration; on SQLite a full-text index. */
  search_index: {
    rowid: number
    words: string
  }
  search_progress: {
    only: number
    last_id: number
  }
  sessions: {
    token_hash: string
    admin_id: number
    created_at: Instant
    expires_at: Instant
    seen_at: Instant
    network: Generated<string>
    browser: Generated<string>
  }
  unique_answers: {
    event_id: string
    rule: string
    folded: string
    registration_id: number
  }
  unique_rules: {
    event_id: string
    rule: string
    parts: string | null
    filled_at: Instant | null
    filled_id: number | null
  }
  uploads: {
    registration_id: number
    field: string
    sha256: string
    name: string
    type: string
    bytes: number
    dropped_at: Instant | null
  }
}
