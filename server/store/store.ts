/**
 * The store as the rest of the server sees it: verbs of the domain, all asynchronous, no SQL.
 * Implementations pass the same contract suite (`tests/server/store/contract.ts`).
 * Every write is durable (fsynced) before its promise resolves.
 */
import type {
  Answers,
  Day,
  EventConfig,
  Failure,
  Instant,
  OrderId,
  Paise,
  PaymentFact,
  PaymentStatus,
  Quote,
  RegNo,
  Result,
} from '../../engine/index.ts'

/** The writer's queue is full or the writer is being started again: answer 503 with Retry-After. */
export class StoreBusy extends Error {}

export type Searchable = {
  readonly fullName: string
  readonly email: string
  readonly phone: string
  readonly councilNo: string
}

/** A file that a delegate sent: its content's hash in hex, and the name that it came with. */
export type StoredUpload = {
  readonly field: string
  readonly sha256: string
  readonly name: string
  readonly type: string
  readonly bytes: number
}

export type NewRegistration = {
  readonly eventId: string
  readonly eventHash: string
  readonly regNo: RegNo
  readonly answers: Answers
  readonly searchable: Searchable
  readonly category: string | null
  /** Null for an event that takes no money and states no price. */
  readonly quote: Quote | null
  /** The first payment attempt; null: no payment is due and the registration is a success at once. */
  readonly orderId: OrderId | null
  /** Its name, because references are unique per gateway; one name for all when left out. */
  readonly gateway?: string
  /** Left out: not known. */
  readonly askedOf?: AskedOf
  readonly uploads: readonly StoredUpload[]
  readonly at: Instant
  /** Queued in the same transaction; given only when no payment is due. */
  readonly mail: NewMail | null
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
}
export type Registered = {
  readonly id: number
  readonly regNo: RegNo
  readonly orderId: OrderId | null
  readonly amount: Paise | null
  readonly repeated: boolean
}
export type RegisterRefusal =
  | { readonly code: 'idempotency_key_reused' }
  | { readonly code: 'reg_no_taken' }

export type NewMail = {
  readonly to: string
  readonly copyTo: string | null
  readonly subject: string
  readonly text: string
}
export type QueuedMail = NewMail & {
  readonly id: number
  readonly attempts: number
  readonly eventId: string
  readonly regNo: RegNo
}

export type StoredPayment = {
  readonly id: number
  readonly orderId: OrderId
  readonly regNo: RegNo
  readonly eventId: string
  readonly amount: Paise
  readonly status: PaymentStatus
  readonly reference: string | null
  readonly review: string | null
  /** How it failed; null: it has not. */
  readonly failure: Failure | null
  readonly createdAt: Instant
  readonly paidAt: Instant | null
  /** Whose credentials asked for the money, and the gateway's name for them; null: attempts of older versions, and rows brought in. */
  readonly account: string | null
  readonly merchantId: string | null
  /** What has ended is still asked about until then; null: it has not ended, or is not watched. */
  readonly watchUntil: Instant | null
}
/** Money that came, under the name that its source gave it. */
export type StoredCapture = {
  readonly id: number
  /** Null: nobody knows yet what it is for. */
  readonly regNo: RegNo | null
  readonly eventId: string | null
  readonly orderId: OrderId | null
  readonly source: string
  /** Empty: not known. */
  readonly account: string
  readonly reference: string
  readonly amount: Paise
  readonly currency: string
  readonly kind: 'sale' | 'other' | 'test'
  readonly paidAt: Instant
  readonly seenAt: Instant
  readonly state: 'fits' | 'review' | 'accepted' | 'refused' | 'unmatched'
  /** Why a person has to decide, or had to. */
  readonly why: string | null
}
/** Whom an attempt asks for the money. */
export type AskedOf = { readonly account: string; readonly merchantId: string | null }
export type StoredRegistration = {
  readonly id: number
  readonly eventId: string
  readonly eventHash: string
  readonly regNo: RegNo
  /** The number that it had elsewhere, for an imported one: whoever made it up may have counted. */
  readonly formerNo: string | null
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly base: Paise | null
  readonly gst: Paise | null
  readonly total: Paise | null
  /** Of the registration as a whole: success when any attempt succeeded. */
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  /** The gateway's reference of the successful payment. */
  readonly paymentId: string | null
  readonly paidAt: Instant | null
  readonly createdAt: Instant
  /** Newest attempt first. */
  readonly payments: readonly StoredPayment[]
  readonly uploads: readonly StoredUpload[]
}

/** What is asked of a list; the same object gives the SQL and the sentence. */
export type ListQuery = {
  readonly eventId: string
  readonly paymentStatus?: PaymentStatus
  readonly category?: string
  readonly period?: string
  /** Answers that must equal: field id → value (a select's option or a yes-no). */
  readonly answers: Readonly<Record<string, string | boolean>>
  readonly search?: string
  /** Indian days of created_at, both included. */
  readonly dateFrom?: Day
  readonly dateTo?: Day
}
export type ListPage = {
  readonly rows: readonly StoredRegistration[]
  readonly count: number
  readonly countCapped: boolean
}

/** What the gateway answered when asked about an order, as it came. */
export type RawAnswer = {
  readonly gateway: string
  readonly body: string
  readonly contentType: string
  readonly at: Instant
}
/** What came from the gateway by itself: the browser's return, the server's notice. */
export type NewNotice = RawAnswer & {
  readonly kind: 'return' | 'notice'
  /** Null: it names no order that we could read. */
  readonly orderId: string | null
}
export type StoredNotice = RawAnswer & {
  readonly id: number
  readonly kind: NewNotice['kind'] | 'status'
}
export type AdminRow = {
  readonly id: number
  readonly username: string
  readonly passwordHash: string
}

export type EventFigures = {
  readonly total: number
  readonly paid: number
  readonly pending: number
  readonly failed: number
  readonly today: number
  /** Successes including GST less refunds. */
  readonly revenue: Paise
  readonly byDay: readonly {
    readonly day: Day
    readonly registrations: number
    readonly revenue: Paise
  }[]
  readonly recent: readonly StoredRegistration[]
}

/** `shared` is the JSON of the shared files it was compiled with. */
export type KeptEventFile = {
  readonly hash: string
  readonly eventId: string
  readonly text: string
  readonly shared: string
}

export interface Store {
  /** One transaction: registration, first payment, uploads, audit row, idempotency key, mail. A repeated key with the same fingerprint answers the first registration. */
  register(registration: NewRegistration): Promise<Result<Registered, RegisterRefusal>>
  /** What a key was used for in the last 24 hours: a repeated request is answered even when price or event have changed since. */
  registeredUnder(
    eventId: string,
    key: string,
    at: Instant,
  ): Promise<{ readonly fingerprint: string; readonly registered: Registered } | null>
  /** A further attempt for a registration whose newest payment failed. The order id is the number plus two digits. `askedOf` left out: as that attempt. */
  retry(
    regNo: RegNo,
    at: Instant,
    askedOf?: AskedOf,
  ): Promise<
    Result<StoredPayment, { readonly code: 'not_found' | 'not_failed' | 'too_many_attempts' }>
  >
  registration(regNo: string): Promise<StoredRegistration | null>
  /** An imported one, by its number elsewhere. */
  formerly(eventId: string, formerNo: string): Promise<StoredRegistration | null>
  /** By the order id of any attempt, like `payment`. */
  registrationOf(orderId: string): Promise<StoredRegistration | null>
  payment(orderId: string): Promise<StoredPayment | null>

  /** Append-only, verbatim, before it is judged. Answers the notice's id. */
  recordNotice(notice: NewNotice): Promise<number>
  /** As they came, oldest first; null: those that named no order we could read. */
  notices(orderId: string | null): Promise<readonly StoredNotice[]>
  /**
   * Runs the engine's applyFact inside the transaction on the row as it is there, writes fact, status,
   * review, counters and mail together; one guarded statement. `mail` is queued only when this call made
   * the registration a success. A refusal other than a repetition puts the payment into review.
   * `answer` is what the gateway said and the fact follows from: it is kept among the notices in the
   * same transaction, so that neither is ever there without the other. It is left out where nobody
   * was asked.
   */
  applyFact(
    orderId: OrderId,
    fact: PaymentFact,
    mail: NewMail | null,
    answer?: RawAnswer,
  ): Promise<{
    readonly changed: boolean
    readonly payment: StoredPayment
    readonly review: string | null
  }>
  /**
   * Open payments not asked about since their next due time: those asked about less than twice first, the
   * newest of them first, because somebody waits in front of a page; then the longest due. Without
   * the payments of barred accounts.
   */
  pendingPayments(
    dueBefore: Instant,
    limit: number,
    barred?: readonly string[],
  ): Promise<readonly (StoredPayment & { readonly attempts: number })[]>
  /** What has ended or is with a person and is due on the watch list, the longest due first. */
  watchedPayments(
    dueBefore: Instant,
    limit: number,
    barred?: readonly string[],
  ): Promise<readonly StoredPayment[]>
  /** Notes that the gateway was asked and when to ask again; null: never. */
  asked(orderId: OrderId, at: Instant, nextAt: Instant | null): Promise<void>
  /** A message claims money for a payment that has ended: it is due, and watched anew. Nothing for what is open. */
  rearm(orderId: OrderId, at: Instant): Promise<void>
  /** The clock shows an earlier time than before: what was planned by the later one is due now. */
  clockWentBack(at: Instant): Promise<void>
  /** What came for a registration, oldest first. */
  captures(regNo: RegNo): Promise<readonly StoredCapture[]>
  facts(
    orderId: OrderId,
  ): Promise<readonly { readonly at: Instant; readonly type: string; readonly body: PaymentFact }[]>

  /** Registrations whose money does not fit, newest first: a person decides. */
  inReview(eventId: string): Promise<readonly StoredRegistration[]>
  listPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage>
  /** Keyset chunks from a thread of its own, newest first. */
  exportRows(query: ListQuery): AsyncIterable<readonly StoredRegistration[]>
  figures(eventId: string, today: Day): Promise<EventFigures>

  queueMail(regNo: RegNo, mail: NewMail, at: Instant): Promise<number>
  dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]>
  mailSent(id: number, at: Instant): Promise<void>
  /** nextAt null: given up. */
  mailFailed(id: number, error: string, nextAt: Instant | null): Promise<void>
  mailsOf(regNo: RegNo): Promise<
    readonly (NewMail & {
      readonly id: number
      readonly status: 'queued' | 'sent' | 'failed'
      readonly at: Instant
      readonly error: string | null
    })[]
  >

  admin(username: string): Promise<AdminRow | null>
  adminCount(): Promise<number>
  addAdmin(
    username: string,
    passwordHash: string,
    at: Instant,
  ): Promise<Result<number, { readonly code: 'username_taken' }>>
  /** Also ends every session of that admin. */
  setPassword(username: string, passwordHash: string, at: Instant): Promise<boolean>
  openSession(session: {
    readonly tokenHash: string
    readonly adminId: number
    readonly at: Instant
    readonly expiresAt: Instant
  }): Promise<void>
  /** Null when unknown, revoked, expired or idle for longer than idleMs; otherwise touches it. */
  session(
    tokenHash: string,
    at: Instant,
    idleMs: number,
  ): Promise<{ readonly adminId: number; readonly username: string } | null>
  closeSession(tokenHash: string): Promise<void>

  audit(entry: {
    readonly at: Instant
    readonly who: string
    readonly what: string
    readonly eventId: string | null
    readonly regNo: RegNo | null
  }): Promise<void>
  auditOf(
    regNo: RegNo,
  ): Promise<readonly { readonly at: Instant; readonly who: string; readonly what: string }[]>

  /** Every version served, by hash; a known hash only moves its served_at. `shared` is the JSON of the shared files it was compiled with. */
  keepEventFile(file: {
    readonly hash: string
    readonly eventId: string
    readonly text: string
    readonly shared: string
    readonly at: Instant
  }): Promise<void>
  eventFile(hash: string): Promise<KeptEventFile | null>
  lastEventFile(eventId: string): Promise<KeptEventFile | null>
  /** What is in use in stored registrations, for findings that need the past: fields answered, options and categories with counts. */
  inUse(eventId: string): Promise<{
    readonly registrations: number
    readonly pending: number
    readonly fields: Readonly<Record<string, number>>
    readonly options: Readonly<Record<string, Readonly<Record<string, number>>>>
    readonly categories: Readonly<Record<string, number>>
  }>

  /** All or nothing; a registration already there and equal changes nothing, and differs is a refusal. */
  importRegistrations(
    rows: readonly ImportRow[],
  ): Promise<
    Result<
      { readonly added: number; readonly unchanged: number },
      { readonly code: 'differs' | 'reg_no_taken'; readonly formerNo: string }
    >
  >
  /** Uploads that no registration refers to, older than the instant, for the sweeper. */
  uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]>
  /** A real write and read, for the health check. */
  ping(at: Instant): Promise<void>
  /** Drains the writer's queue, then closes. */
  close(): Promise<void>
}
export type ImportRow = {
  readonly eventId: string
  readonly eventHash: string
  readonly regNo: RegNo
  /** Its number elsewhere, by which it is known again. */
  readonly formerNo: string
  readonly answers: Answers
  readonly searchable: Searchable
  readonly category: string | null
  readonly period: string | null
  readonly base: Paise | null
  readonly gst: Paise | null
  readonly total: Paise | null
  readonly paymentStatus: PaymentStatus
  readonly paymentId: string | null
  readonly createdAt: Instant
  readonly paidAt: Instant | null
}
export type { EventConfig }
