/** Registrations, lists, mails and what else the store takes and gives, but for money. */
import type {
  ActRefusal,
  Actor,
  Answers,
  Day,
  DecisionRefusal,
  Instant,
  Line,
  OrderId,
  Paise,
  PaymentStatus,
  Quote,
  RegistrationMoney,
  RegistrationState,
  RegNo,
  SoldSum,
  SortName,
  WaitingId,
  Way,
} from '../../../engine/index.ts'
import type { AskedOf, StoredPayment } from '../payments/payment-types.ts'
import type { Outside, OutsideRefusal } from './pricing-context-types.ts'

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

/** The same, as it is kept, or was. */
export type KeptUpload = StoredUpload & {
  /** Null: the file is there. */
  readonly droppedAt: Instant | null
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
  /** Until when the quote is held; null or left out: without an end. */
  readonly holdUntil?: Instant | null
  /** The rule by which somebody sees it before it is paid, and by when; left out: nobody has to. */
  readonly approval?: { readonly id: string; readonly decideBy: Instant }
  readonly uploads: readonly StoredUpload[]
  /** What the delegate agreed to, a line of the log each, because the file's words may change; left out: nothing. */
  readonly agreed?: readonly string[]
  readonly at: Instant
  /** Who of the office has made it; left out: the delegate. */
  readonly addedBy?: string
  /** Its price, which the office has in hand: confirmed in the same transaction. Where that is refused nothing is stored. */
  readonly inHand?: MoneyInHand
  /** By which way of the file it is paid; left out: through the gateway. */
  readonly way?: string
  /** Until when it waits to be paid, and keeps its places; left out: as long as a place is held. */
  readonly payUntil?: Instant
  /** Queued in the same transaction: the confirmation where nothing is due, else what comes next. */
  readonly mail: NewMail | null
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** What is decided again inside the transaction; left out: nothing is. */
  readonly outside?: Outside
}

/** `mail`: queued where it is paid by it. */
export type MoneyInHand = {
  readonly actor: Actor
  readonly way: Way
  readonly reference: string
  readonly mail: NewMail | null
}

export type Registered = {
  readonly id: number
  readonly regNo: RegNo
  readonly orderId: OrderId | null
  readonly amount: Paise | null
  readonly repeated: boolean
}

/** A file that a form sent before it was sent itself: which field of which event it answers, what it is, and when it came. */
export type DraftProof = {
  readonly eventId: string
  readonly field: string
  readonly sha256: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly at: Instant
}

/** How far apart mails of a kind go out, milliseconds, and how many of them in all. */
export type MailSpacing = { readonly apartMs: number; readonly mailsMax: number }

export type RegisterRefusal =
  | { readonly code: 'idempotency_key_reused' }
  | { readonly code: 'reg_no_taken' }
  /** The money in hand is refused, as the act that confirms money refuses it. */
  | { readonly code: 'not_confirmed'; readonly no: ActRefusal | DecisionRefusal }
  | OutsideRefusal

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
  /** What the total is made of, in the bill's order; empty: stored by an older version, brought in, or without a price. */
  readonly lines: readonly Line[]
  /** Of the registration as a whole: success when any attempt succeeded. */
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  readonly state: RegistrationState
  /** What corrections and cancellation left: above nothing it is to be paid, below it is to be paid back. */
  readonly due: Paise
  readonly money: RegistrationMoney
  /** The rule of the event file by which somebody sees it before it is paid, and by when; null: nobody has to. */
  readonly approval: string | null
  readonly decideBy: Instant | null
  /** The category that was offered with a refusal; null: none. */
  readonly offer: string | null
  /** When it lapses unless it is paid; null: as the orders of the gateway expire. */
  readonly payUntil: Instant | null
  /** The gateway's reference of the successful payment. */
  readonly paymentId: string | null
  readonly paidAt: Instant | null
  readonly createdAt: Instant
  /** Newest attempt first. */
  readonly payments: readonly StoredPayment[]
  readonly uploads: readonly KeptUpload[]
}

/** Of a registration what a list's columns can show. */
export type ListedRegistration = Pick<
  StoredRegistration,
  | 'id'
  | 'eventId'
  | 'regNo'
  | 'formerNo'
  | 'answers'
  | 'category'
  | 'period'
  | 'base'
  | 'gst'
  | 'total'
  | 'lines'
  | 'paymentStatus'
  | 'inReview'
  | 'state'
  | 'paymentId'
  | 'paidAt'
  | 'createdAt'
  | 'money'
> & {
  /** Of a stored one all attempts, newest first; of a listed one the newest alone. */
  readonly payments: readonly Pick<StoredPayment, 'orderId'>[]
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

/** Why nothing was imported, and for which row. */
export type ImportRefusal =
  | { readonly code: 'differs' | 'reg_no_taken'; readonly formerNo: string }
  /** `why`: whose payment it is already. */
  | { readonly code: 'payment_known'; readonly formerNo: string; readonly why: string }

/** What is asked of a list; the same object gives the SQL and the sentence. */
export type ListQuery = {
  readonly eventId: string
  readonly paymentStatus?: PaymentStatus
  readonly category?: string
  readonly period?: string
  /** Answers that must equal: field id → value (a select's option or a yes-no). */
  readonly answers: Readonly<Record<string, string | boolean>>
  /** Options that must be among those chosen, by the field that takes many. */
  readonly chosen?: Readonly<Record<string, string>>
  /** Whether anybody is listed, by the field that lists people. */
  readonly people?: Readonly<Record<string, boolean>>
  /** What must be on the bill; `option` null: whichever. */
  readonly sold?: { readonly item: string; readonly option: string | null }
  readonly search?: string
  /** Indian days of created_at, both included. */
  readonly dateFrom?: Day
  readonly dateTo?: Day
  readonly state?: RegistrationState
  /** What waits for somebody at that instant. */
  readonly waiting?: { readonly is: WaitingId; readonly at: Instant }
  /** Left out: the newest first. */
  readonly sort?: ListSort
}

/** The columns that every list has. `order` is of categories: their ids as people expect them. */
export type ListSort = {
  readonly by: SortName
  readonly isDescending: boolean
  readonly order: readonly string[]
}

/** `more`: it was counted no further. */
export type WaitingCount = {
  readonly eventId: string
  readonly is: WaitingId
  readonly count: number
  readonly more: boolean
}

/** What the registrations of one payment status add up to, in whole paise. */
export type StatusSum = {
  readonly status: PaymentStatus
  readonly count: number
  /** How many of them are cancelled or refused. */
  readonly ended: number
  /** What counts as paid, less what has gone back. */
  readonly booked: Paise
  /** What is still to be paid. */
  readonly owed: Paise
}

export type ListPage = {
  readonly rows: readonly ListedRegistration[]
  readonly count: number
  readonly countCapped: boolean
  /** Of all pages together; null: there are more than are counted. */
  readonly sums: readonly StatusSum[] | null
  /** False: there are too many to sort them as it was asked, and the newest come first. */
  readonly isSorted: boolean
}

export type SoldInList = {
  readonly sums: readonly SoldSum[]
  /** What was paid and is on no line: more than the bill, or of what was cancelled since. */
  readonly paidBeside: Paise
  /** How many people, by field, and how many of them of registrations that are paid. */
  readonly people: readonly {
    readonly field: string
    readonly count: number
    readonly paid: number
  }[]
  /** A search found more than are added up. */
  readonly capped: boolean
}

export type NewMail = {
  readonly to: string
  readonly copyTo: string | null
  readonly subject: string
  readonly text: string
}

export type QueuedMail = NewMail & {
  readonly id: number
  /** `links`: to whoever lost theirs; `unfinished`: to whoever left before paying; `given-back`: to whoever has money back; `already`: to whoever is registered and was registered for again. Their links are made when they are sent. `paused`: to whoever gets no more emails for an hour. */
  readonly kind:
    | 'confirmation'
    | 'again'
    | 'reviews'
    | 'unfinished'
    | 'given-back'
    | 'already'
    | 'asked'
    | 'links'
    | 'paused'
  readonly attempts: number
  /** When it was written. */
  readonly at: Instant
  /** Null: it was not tried yet. */
  readonly firstTriedAt: Instant | null
  readonly eventId: string
  /** Null: of an event as a whole. */
  readonly regNo: RegNo | null
}

export type EventFigures = {
  readonly total: number
  /** Of these, as of the next three, those that are not over. */
  readonly paid: number
  readonly pending: number
  readonly failed: number
  readonly refunded: number
  /** Cancelled or refused, whatever came of their money. */
  readonly ended: number
  readonly today: number
  /** Successes including GST less refunds. */
  readonly revenue: Paise
  /** Received and dismissed by staff: it counts nowhere, and was not refunded. */
  readonly dismissed: Paise
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
  /** Since when the event has no file; null: it has one, as far as is known. */
  readonly goneAt: Instant | null
}
