/** Defines the store's types for registrations, lists and emails; payments have a separate file. */
import type {
  ActionRefusal,
  Answers,
  Day,
  DecisionRefusal,
  Instant,
  Line,
  OrderId,
  Currency,
  Money,
  Amount,
  PaymentStatus,
  Quote,
  RegistrationMoney,
  RegistrationState,
  RegNo,
  SalesGroup,
  SalesSum,
  SortName,
  WorkQueueId,
} from '../../../engine/index.ts'
import type {
  LinkSender,
  DeskReceipt,
  MerchantAccount,
  StoredPayment,
} from '../payments/payment-types.ts'
import type { ExternalContext, ContextRefusal } from './pricing-context-types.ts'

export type SearchFields = {
  readonly fullName: string
  readonly email: string
  readonly phone: string
  readonly councilNo: string
}

/** An uploaded file: the hash of its content in hex, and its original name. */
export type StoredUpload = {
  readonly field: string
  readonly sha256: string
  readonly name: string
  readonly type: string
  readonly bytes: number
}

/** A file uploaded with a registration, with the state of its storage. */
export type StoredRegistrationUpload = StoredUpload & {
  /** Null if the file is stored. */
  readonly droppedAt: Instant | null
}

export type NewRegistration = {
  readonly eventId: string
  readonly eventHash: string
  readonly regNo: RegNo
  readonly answers: Answers
  readonly searchable: SearchFields
  readonly category: string | null
  /** Null for an event that takes no payments and has no prices. */
  readonly quote: Quote | null
  /** The order id of the first payment attempt. Null if no payment is due, so the registration is complete at once. */
  readonly orderId: OrderId | null
  /** The gateway's name, because references are unique per gateway. If omitted, a name for unknown gateways is used. */
  readonly gateway?: string
  /** The merchant account. Unknown if omitted. */
  readonly merchantAccount?: MerchantAccount
  /** The time until which the quoted price is guaranteed. No limit if null or omitted. */
  readonly holdUntil?: Instant | null
  /** The approval rule that applies before payment, and its deadline. No approval is needed if omitted. */
  readonly approval?: { readonly id: string; readonly decideBy: Instant }
  readonly uploads: readonly StoredUpload[]
  /** The consents, each as a line of the log, because the texts in the event file may change. None if omitted. */
  readonly consents?: readonly string[]
  readonly at: Instant
  /** The user who added the registration. The delegate if omitted. */
  readonly addedBy?: string
  /** A payment taken at the front desk, confirmed in the same transaction. If it is refused, nothing is stored. */
  readonly deskPayment?: NewDeskPayment
  /** The payment method in the event file. If omitted, the gateway. */
  readonly way?: string
  /** The payment deadline, until which seats stay reserved. If omitted, they are held for the usual period. */
  readonly payUntil?: Instant
  /** The email to queue: the confirmation if nothing is due, otherwise the email with the next step. */
  readonly mail: NewMail | null
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** The context to check again in the transaction. If omitted, nothing is checked. */
  readonly externalContext?: ExternalContext
  /** Data of the web form. If omitted, the store does not search for earlier registrations of the same person. */
  readonly form?: WebForm
}

/** `browser`: the hash of its cookie, or null. `confirmed`: the registration about which the delegate was asked. */
export type WebForm = {
  readonly browser: string | null
  readonly confirmed: string | null
  readonly sendsEmail: boolean
}

/** An earlier registration by the same person. `at`: when it was paid or, if payment is in progress, made. */
export type SamePersonRegistration = Money & {
  readonly regNo: RegNo
  readonly isPaid: boolean
  readonly at: Instant
}

/** A payment taken at the front desk. `mail` is queued when the payment completes the registration. */
export type NewDeskPayment = DeskReceipt & { readonly mail: NewMail | null }

export type RegistrationResult = {
  readonly id: number
  readonly regNo: RegNo
  readonly orderId: OrderId | null
  readonly amount: Amount | null
  readonly repeated: boolean
}

/** A file uploaded before its form was submitted: its event and field, its type, and when it arrived. */
export type DraftProof = {
  readonly eventId: string
  /** The registration whose self-service page sent the file, and its link. Erasing the registration ends the draft. */
  readonly owner?: { readonly regNo: RegNo; readonly link: LinkSender }
  readonly field: string
  readonly sha256: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly at: Instant
}

/** The minimum interval between emails of one kind, in milliseconds, and their maximum number. */
export type MailSpacing = { readonly minIntervalMs: number; readonly maxEmails: number }

export type RegisterRefusal =
  | { readonly code: 'idempotency_key_reused' }
  | { readonly code: 'reg_no_taken' }
  /** The delegate has not yet confirmed that they want to register again. */
  | { readonly code: 'same_person'; readonly earlierRegistration: SamePersonRegistration }
  /** The desk payment was refused when it was recorded. */
  | { readonly code: 'not_confirmed'; readonly refusal: ActionRefusal | DecisionRefusal }
  | ContextRefusal

export type StoredRegistration = {
  readonly id: number
  readonly eventId: string
  readonly eventHash: string
  readonly regNo: RegNo
  /**
   * The registration number in the previous system. It may be easy to guess, because numbers may have been sequential.
   */
  readonly formerNo: string | null
  /** True if another person takes part instead of the original delegate. */
  readonly wasTransferred: boolean
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly base: Amount | null
  readonly gst: Amount | null
  readonly total: Amount | null
  readonly currency: Currency
  /**
   * The parts of the total, in the order of the bill. Empty if the registration was stored by an older version, was
   * imported, or has no price.
   */
  readonly lines: readonly Line[]
  /** The payment status of the registration as a whole: success if any attempt succeeded. */
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  readonly state: RegistrationState
  /** The balance after corrections and cancellation. Positive: to be paid; negative: to be refunded. */
  readonly due: Amount
  readonly money: RegistrationMoney
  /** The event file's approval rule before payment, and its deadline. Null if no approval is needed. */
  readonly approval: string | null
  readonly decideBy: Instant | null
  /** The category that was offered when the application was refused, or null. */
  readonly offer: string | null
  /** When the registration expires if it is unpaid. Null if it expires with the gateway's orders. */
  readonly payUntil: Instant | null
  /** The gateway's reference for the successful payment. */
  readonly paymentId: string | null
  readonly paidAt: Instant | null
  readonly createdAt: Instant
  /** Newest attempt first. */
  readonly payments: readonly StoredPayment[]
  readonly uploads: readonly StoredRegistrationUpload[]
}

/** The part of a registration that list columns can show. */
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
  | 'currency'
  | 'lines'
  | 'paymentStatus'
  | 'inReview'
  | 'state'
  | 'paymentId'
  | 'paidAt'
  | 'createdAt'
  | 'money'
> & {
  /** For a stored registration, all attempts, newest first. For a listed registration, only the newest. */
  readonly payments: readonly Pick<StoredPayment, 'orderId'>[]
  /** For a listed registration, gateway and account of each successful card payment, separated by commas, or null. */
  readonly accounts?: string | null
}

export type ImportRow = {
  readonly eventId: string
  readonly eventHash: string
  readonly regNo: RegNo
  /** The registration number in the previous system, which identifies the row. */
  readonly formerNo: string
  readonly answers: Answers
  readonly searchable: SearchFields
  readonly category: string | null
  readonly period: string | null
  readonly base: Amount | null
  readonly gst: Amount | null
  readonly total: Amount | null
  readonly currency: Currency
  readonly paymentStatus: PaymentStatus
  readonly paymentId: string | null
  readonly createdAt: Instant
  readonly paidAt: Instant | null
}

/** Why nothing was imported, and the row that caused this. */
export type ImportRefusal =
  | { readonly code: 'differs' | 'reg_no_taken'; readonly formerNo: string }
  /** `why`: the current owner of the payment. */
  | { readonly code: 'payment_known'; readonly formerNo: string; readonly why: string }

/** The query of a list; the same object produces the SQL and the sentence that describes it. */
export type ListQuery = {
  readonly eventId: string
  readonly paymentStatus?: PaymentStatus
  readonly category?: string
  readonly period?: string
  /** Answers that must be equal: field id → value (an option, or yes or no). */
  readonly answers: Readonly<Record<string, string | boolean>>
  /** Options that the delegate must have chosen, by multiple-choice field. */
  readonly chosen?: Readonly<Record<string, string>>
  /** By person-list field: true if at least one person must be listed, false if none may be listed. */
  readonly people?: Readonly<Record<string, boolean>>
  /** The item that must be on the bill; `option` is null for any. */
  readonly sold?: { readonly item: string; readonly option: string | null }
  readonly search?: string
  /** The first and last date of created_at, in Indian time. */
  readonly dateFrom?: Day
  readonly dateTo?: Day
  readonly state?: RegistrationState
  /** A work queue condition at a given time. */
  readonly waiting?: { readonly is: WorkQueueId; readonly at: Instant }
  /** Newest first if omitted. */
  readonly sort?: ListSort
}

/** The columns by which every list can be sorted. `order`: when sorting by category, the category ids in order. */
export type ListSort = {
  readonly by: SortName
  readonly isDescending: boolean
  readonly order: readonly string[]
}

/** `more`: true if counting stopped at `count`, so there may be more. */
export type WaitingCount = {
  readonly eventId: string
  readonly is: WorkQueueId
  readonly count: number
  readonly more: boolean
}

/** Totals for registrations with the same category and payment status, in minor units of the category's currency. */
export type StatusSum = {
  readonly status: PaymentStatus
  /** Empty if the registrations have none. */
  readonly category: string
  readonly count: number
  /** How many of the registrations are cancelled or refused. */
  readonly ended: number
  /** The counted payments less refunds. */
  readonly booked: Amount
  /** The amount still to be paid. */
  readonly owed: Amount
}

export type ListPage = {
  readonly rows: readonly ListedRegistration[]
  readonly count: number
  readonly isCountCapped: boolean
  /** The totals of all pages. Null if more registrations match than are counted. */
  readonly sums: readonly StatusSum[] | null
  /** False if there are too many rows for the requested sort order. The newest rows then come first. */
  readonly isSorted: boolean
}

export type ListSales = {
  readonly sums: readonly SalesSum[]
  /** Paid amounts that belong to no line, by currency: above the bill, or for registrations cancelled later. */
  readonly unassignedAmounts: readonly Money[]
  readonly groups: readonly SalesGroup[]
  /** The number of persons by field, and how many of them are on paid registrations. */
  readonly people: readonly {
    readonly field: string
    readonly count: number
    readonly paid: number
  }[]
  /** True if a search found more registrations than the sums include. */
  readonly isCapped: boolean
}

export type NewMail = {
  readonly to: string
  readonly copyTo: string | null
  readonly subject: string
  readonly text: string
}

export type EventFigures = {
  readonly total: number
  /** This figure and the next three count only registrations that have not ended. */
  readonly paid: number
  readonly pending: number
  readonly failed: number
  readonly refunded: number
  /** Cancelled or refused registrations, whatever their payment status. */
  readonly ended: number
  readonly today: number
  /** Successful payments including GST, less refunds. */
  readonly revenue: Amount
  /** Payments that staff dismissed. They are not in any other figure, and were not refunded. */
  readonly dismissed: Amount
  /** The same figures in the event's other currencies. They are never added to those above. */
  readonly others: readonly {
    readonly currency: Currency
    readonly revenue: Amount
    readonly dismissed: Amount
    readonly byDay: readonly { readonly day: Day; readonly revenue: Amount }[]
  }[]
  readonly byDay: readonly {
    readonly day: Day
    readonly registrations: number
    readonly revenue: Amount
  }[]
  readonly recent: readonly StoredRegistration[]
}

/** `shared`: the shared files with which the version was compiled, as JSON. */
export type NewEventFile = {
  readonly hash: string
  readonly eventId: string
  readonly text: string
  readonly shared: string
  /** Since when the event has had no file. Null if it has a file, or if the time is unknown. */
  readonly goneAt: Instant | null
}
