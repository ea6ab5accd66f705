/** Defines the dependencies of the app. */
import type { Readable } from 'node:stream'
import type {
  Currency,
  Money,
  EventConfig,
  GatewayKind,
  Instant,
  PollResult,
  OrderId,
  Amount,
  PaymentEvent,
  Result,
  Site,
} from '../engine/index.ts'
import type { EventCard, PaymentData } from '../engine/api.ts'
import type { ClockJumps } from './ops/clock-jumps.ts'
import type { S3Bucket } from './storage/files/s3-bucket.ts'
import type { SweepResult } from './storage/files/upload-storage-types.ts'
import type { GatewayDispute, Store, StoredRegistration } from './storage/index.ts'

/** The credentials of one account, keyed by the suffix of the variable's name: KEY_ID for RAZORPAY_<ACCOUNT>_KEY_ID. */
export type AccountVariables = Readonly<Record<string, string>>
/** The accounts of one gateway, keyed by the name that event files use. The sandbox creates its own. */
export type GatewayAccounts = Readonly<Record<string, AccountVariables>>
export type GatewayMode = 'sandbox' | 'airpay-test' | 'live'

/** The settings, read once by `environment.ts`; no other module reads process.env. */
export type Environment = {
  readonly port: number
  readonly host: string
  readonly misspeltWarnings?: readonly string[]
  /** A socket that the parent process keeps open while the server restarts; omitted if the server listens itself. */
  readonly socketFd?: number
  /** Without a trailing slash. */
  readonly publicUrl: string
  readonly dataDir: string
  /** Address of the PostgreSQL database; null for SQLite in the data folder. */
  readonly databaseUrl: string | null
  /** If false, the server does not start on a database from an older version: use `rollcall db migrate` first. */
  readonly migratesAtStart?: boolean
  /** The bucket for uploads; if null or omitted, they are stored in PostgreSQL, or in the data folder with SQLite. */
  readonly uploadsBucket?: S3Bucket | null
  readonly eventsDir: string
  readonly production: boolean
  readonly firstAdmin: { readonly username: string; readonly password: string | null }
  readonly smtpUrl: string | null
  readonly mailFrom: string
  /** True if MAIL_FROM is not set, so that the sender is made of the host in PUBLIC_URL. */
  readonly hasDefaultSender?: true
  readonly gatewayMode: GatewayMode
  readonly accounts: Readonly<Partial<Record<GatewayKind, GatewayAccounts>>>
  /** The fields in Airpay's checksum: A (default) with the UID, B without. */
  readonly airpayChecksum?: 'A' | 'B'
  /** Values to assume if a status response omits them; none by default. */
  readonly airpayAssumed?: { readonly currency: boolean; readonly sale: boolean }
  readonly rateLimits: boolean
  /** Grants access to the metrics from another machine; null if only this machine has access. */
  readonly metricsToken: string | null
  /** Encrypts the secrets of second factors; null or omitted for a key file in the data folder (SQLite only). */
  readonly secondFactorKey?: string | null
  /** Instant at which the server's clock starts; null for the real clock. */
  readonly clockStart: Instant | null
  readonly trustProxy: string | null
  /** Port of the sandbox gateway; 0 picks a free one. */
  readonly sandboxPort: number
}

/** A served event: its checked file, and the hash that registrations store. */
export type ServedEvent = {
  readonly config: EventConfig
  /** SHA-256, in hex, of the event file and the shared files that it was compiled with. */
  readonly hash: string
  readonly text: string
  readonly shared: string
  /** True if its file was removed and it has registrations: registration is closed; everything else continues. */
  readonly isGone?: true
}
/** An event file that is not served in its current version, with the reason in a sentence. */
export type RefusedFile = {
  readonly file: string
  readonly why: string
  /** The checker's findings in readable form; omitted if there is another reason. */
  readonly findings?: string
}
/** The currently served event files; a valid reload replaces them all at once. */
export type EventRegistry = {
  all(): readonly ServedEvent[]
  findById(id: string): ServedEvent | null
  /** Returns the event whose order-id pattern matches this registration number or order id. */
  findByOrderId(orderId: string): ServedEvent | null
  cards(at: Instant): readonly EventCard[]
  /** Returns the texts of the landing page; null if the site file is missing or has errors. */
  site(): Site | null
  /** Returns files whose version on disk is not served, with the reasons, in the order found. */
  refusedFiles(): readonly RefusedFile[]
  /** Reads the folder again. Serves files without errors, and keeps the previous versions of the others. */
  reload(): Promise<void>
  /** Serves the versions that are active on all servers that share the database; returns true if any changed. */
  refresh(): Promise<boolean>
  onChange(listener: () => void): void
  close(): Promise<void>
}

/** The gateway's response to a status query about an order. */
export type StatusResponse =
  | {
      readonly is: 'payment-event'
      readonly paymentEvent: PaymentEvent
      readonly raw: string
      /** References of refunds that the gateway started but could not complete. */
      readonly failedRefunds?: readonly string[]
    }
  | { readonly is: 'pending'; readonly code: string; readonly raw: string }
  /** The gateway has no finished transaction for the order yet. */
  | { readonly is: 'no-record'; readonly raw: string }
  | { readonly is: 'unreachable'; readonly error: string }

/** The gateway's response to a refund request. */
export type RefundResult =
  /** Accepted; the status query reports when it is complete. `reference` is the refund's reference. */
  | { readonly is: 'begun'; readonly reference: string; readonly raw: string }
  /** Rejected: no money moves. */
  | { readonly is: 'refused'; readonly message: string; readonly raw: string }
  /** Not sent: no money moves, and it may be requested again. */
  | { readonly is: 'not-sent'; readonly error: string }
  /** It is unknown whether money moves: check this before requesting the refund again. */
  | { readonly is: 'unsure'; readonly error: string; readonly raw: string }

/** The contents of a browser return or webhook. They are not proof of payment and must be verified. */
export type GatewayMessage = {
  readonly orderId: string
  readonly amount: string
  readonly code: string
  /** The result of checking the hash; `unknown` if there is no hash, or if we have no credentials. */
  readonly hash: 'right' | 'wrong' | 'unknown'
  readonly claimsPayment: boolean
}
/** `orderId` is null if the message contains none. */
export type InvalidGatewayMessage = {
  readonly code: 'malformed' | 'unknown_order'
  readonly orderId: string | null
}
export type MessageFields = Readonly<Record<string, string>>
export type ParsedMessage = Result<GatewayMessage, InvalidGatewayMessage>
/** `sender` is null if no gateway recognises the message. */
export type AttributedMessage = {
  readonly sender: GatewayKind | null
  readonly parsed: ParsedMessage
}
/** A received webhook that is not verified yet. `eventId` is from its header, or "". */
export type ReceivedWebhook = {
  readonly bytes: Buffer
  readonly signature: string
  readonly eventId: string
}
/** The result of checking a webhook's signature. `other`: a valid webhook about an order of another program. */
export type WebhookCheckResult =
  | { readonly is: 'unsigned' }
  | { readonly is: 'unreadable' }
  | { readonly is: 'other'; readonly eventId: string; readonly type: string }
  | {
      readonly is: 'order'
      readonly eventId: string
      readonly type: string
      readonly message: GatewayMessage
      /** The dispute that the webhook reports. */
      readonly disputeId?: string
    }
/** The reason why a payment is not sent to the gateway, which would reject it. */
export type HandOffRefusal =
  | { readonly code: 'no_credentials' }
  | { readonly code: 'order_id' }
  | { readonly code: 'amount' }
  /** The gateway does not accept this currency. */
  | { readonly code: 'currency'; readonly currency: Currency }
  /** Below the gateway's minimum for one payment. */
  | { readonly code: 'below_minimum'; readonly minimum: Amount }
  /** The length of the email address; 0 if there is none. */
  | { readonly code: 'email'; readonly characters: number }

/** The delegate's data that the gateway needs. */
export type Buyer = {
  readonly fullName: string
  readonly email: string
  readonly phone: string
  readonly regNo: string
}

/** The interface to a gateway's protocol. */
export type GatewayAdapter = {
  /** Builds the payment data. Called before anything is stored: a registration that cannot be paid for is rejected. */
  handOff(
    event: EventConfig,
    buyer: Buyer,
    orderId: OrderId,
    money: Money,
    at: Instant,
  ): Result<PaymentData, HandOffRefusal>
  /**
   * Creates the gateway's checkout for a stored order and adds it to the form; returns an error sentence if the
   * gateway did not create it. Absent if the gateway needs no checkout before the hand-off.
   */
  createCheckout?(
    event: EventConfig,
    order: Money & { readonly orderId: OrderId },
    form: PaymentData,
    at: Instant,
    timeoutMs: number,
  ): Promise<Result<PaymentData, string>>
  /**
   * Reads a browser return or webhook; rejects a message without an order, or with an unknown order. The message is
   * not proof of payment and must be verified. Absent if each order has its own return URL, or messages have a
   * signature.
   */
  readReturnOrWebhook?(body: MessageFields): ParsedMessage
  /** Reads a return to the URL of one order, for one account. Absent if returns contain the order id. */
  readReturn?(event: EventConfig, orderId: OrderId, body: MessageFields): Promise<ParsedMessage>
  /** Checks and reads a signed webhook. Absent if webhooks have no signature. */
  readWebhook?(webhook: ReceivedWebhook): Promise<WebhookCheckResult>
  /**
   * Returns the number of payments confirmed since the last webhook, and the time of the first; null if a webhook
   * cannot be expected after so few payments. Gateways disable webhooks that fail for a day.
   */
  countConfirmedWithoutWebhook?(
    lastWebhookAt: Instant | null,
    at: Instant,
  ): { readonly payments: number; readonly since: Instant } | null
  /**
   * Returns the merchant id of the event's account; null if the event takes no payments or there are no credentials.
   */
  getMerchantId(event: EventConfig): string | null
  /**
   * Queries the gateway. The timeout is in milliseconds. `canCapture`: an authorised payment of the right amount may be
   * captured, because its order is still open.
   */
  status(
    event: EventConfig,
    orderId: OrderId,
    at: Instant,
    timeoutMs: number,
    canCapture?: boolean,
  ): Promise<StatusResponse>
  /**
   * Requests a refund; `reference` is the gateway's reference for the payment. `key` identifies the refund, so that the
   * gateway never makes it twice.
   */
  refund(
    event: EventConfig,
    reference: string,
    money: Money,
    at: Instant,
    timeoutMs: number,
    key?: string,
  ): Promise<RefundResult>
  /**
   * Queries a dispute about a payment of the order; returns an error sentence on failure. Absent if the gateway
   * reports no disputes.
   */
  dispute?(
    event: EventConfig,
    orderId: OrderId,
    disputeId: string,
    timeoutMs: number,
  ): Promise<Result<GatewayDispute, string>>
  /** Returns every origin that the browser visits during a payment, for form-action. */
  origins(): readonly string[]
}
/** All gateways. A call about an event is passed to that event's gateway. */
export type Gateways = Omit<
  GatewayAdapter,
  'readReturnOrWebhook' | 'readReturn' | 'readWebhook' | 'countConfirmedWithoutWebhook'
> & {
  readReturnOrWebhook(body: MessageFields): AttributedMessage
  readReturn(event: EventConfig, orderId: OrderId, body: MessageFields): Promise<AttributedMessage>
  readWebhook(sender: GatewayKind, webhook: ReceivedWebhook): Promise<WebhookCheckResult>
  countConfirmedWithoutWebhook(
    sender: GatewayKind,
    lastWebhookAt: Instant | null,
    at: Instant,
  ): { readonly payments: number; readonly since: Instant } | null
}

/** Verifies payments with the gateway, after a return or a webhook and while polling. */
export type Payments = {
  /**
   * Queries the gateway, applies its response and queues the email; does nothing for a payment in a final state.
   * `registration` is passed if the caller has just read it.
   */
  verify(
    orderId: OrderId,
    timeoutMs: number,
    registration?: StoredRegistration | null,
  ): Promise<'success' | 'failed' | 'pending' | 'review' | 'refunded'>
  /**
   * Queries several orders in parallel, within one timeout for all; returns the result of each. An order that
   * could not be queried in time is omitted.
   */
  queryOrders(
    orderIds: readonly OrderId[],
    timeoutMs: number,
  ): Promise<ReadonlyMap<OrderId, PollResult>>
  /** Queries the payments that are due, or `all`. Counts the open payments queried, and those that are now final. */
  queryDue(all?: boolean): Promise<{ readonly queriedCount: number; readonly finalCount: number }>
  /**
   * Queries an order that is not in the database, for the event that it may belong to; payments that the gateway
   * confirms are passed to staff for review. `unsure`: the response was not conclusive.
   */
  lookUpOrder(
    event: EventConfig,
    orderId: string,
    timeoutMs: number,
  ): Promise<'kept' | 'none' | 'unsure'>
  /** Queries the gateway about a recorded dispute, in the background. */
  queryDispute(dispute: { readonly disputeId: string; readonly orderId: OrderId }): void
  /** Sends requested refunds that no process is sending, and returns their number. Polling calls this too. */
  sendRefunds(): Promise<number>
  /** Returns accounts that are paused because the gateway does not respond for them. */
  pausedAccounts(): readonly string[]
  /** Resolves when no verification is running. */
  waitUntilIdle(): Promise<void>
  close(): Promise<void>
}

/** A file that was received completely. It has a temporary name, and its hash was computed on receipt. */
export type ReceivedFile = {
  readonly path: string
  /** The hash in hex. */
  readonly sha256: string
  readonly bytes: number
}
/**
 * The reason why a stream was not stored: it is larger than its field allows, the connection ended, or the disk is
 * nearly full.
 */
export type ReceiveRefusal = 'too_large' | 'cut_off' | 'no_room'
/** Stores files that delegates upload. The caller of `receive` must keep or discard the file. */
export type Uploads = {
  /** Writes a stream to disk as it arrives; removes the file if it is rejected. */
  receive(content: Readable, maxBytes: number): Promise<Result<ReceivedFile, ReceiveRefusal>>
  /** Returns the file's media type if its content has an accepted type (extension) and matches its name. */
  detectType(file: ReceivedFile, name: string, accept: readonly string[]): Promise<string | null>
  /** Removes photo metadata from the file; returns it with its new hash and size. */
  removePhotoMetadata(file: ReceivedFile, mime: string): Promise<ReceivedFile>
  /** Moves the file to a location named by its hash; flushes file and folder. Stores identical content once. */
  storeFile(file: ReceivedFile): Promise<void>
  /** Returns true if the file of an earlier draft is stored; protects it from the sweep while a request uses it. */
  protectFile(sha256: string): Promise<boolean>
  /** Removes the file unless it was stored. */
  discard(file: ReceivedFile): Promise<void>
  /** Opens a stored file. Null if there is no such file. The content must be read or destroyed. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Removes these files immediately, except those that another registration refers to. */
  removeFiles(sha256s: readonly string[]): Promise<void>
  /**
   * Removes files that the database no longer needs, and sets aside unknown ones; if `all` is set, regardless of
   * how many there are.
   */
  sweep(all?: boolean): Promise<SweepResult>
  /** Moves back set-aside files that a registration refers to again. */
  reclaim(): Promise<void>
  /** Returns the state after the last sweep. */
  state(): UploadsState
  /** Returns the hash of every stored file. */
  listHashes(): Promise<readonly string[]>
  /** Explains why files cannot be stored; null if they can, or if another check reports the problem. */
  check(): Promise<string | null>
}
/** Sentences for the operator. */
export type UploadsState = {
  /** A problem that needs attention, or null. */
  readonly problem: string | null
  /** Further information, or null. */
  readonly note: string | null
}

export type Log = {
  info(o: object, m?: string): void
  warn(o: object, m?: string): void
  error(o: object, m?: string): void
}

export type Deps = {
  readonly environment: Environment
  readonly store: Store
  readonly events: EventRegistry
  readonly gateway: Gateways
  readonly payments: Payments
  readonly uploads: Uploads
  readonly clock: () => Instant
  readonly clockJumps: ClockJumps
  /** The time at which the mail server stopped responding; null if it is not known to be unreachable. */
  readonly mailUnreachableSince: () => Instant | null
  /** Returns true if the clock is reliable enough to erase data because of its age. */
  readonly isClockTrusted: () => Promise<boolean>
  /** The time limit of a rehearsal; defaults to less than a minute. */
  readonly maxRehearsalMs?: number | undefined
  readonly log: Log
}
