/** What the app is built from. Every test injects into the real thing: a real store, a real registry, a clock of its own. */
import type { Readable } from 'node:stream'
import type {
  EventConfig,
  EventCard,
  Instant,
  Learnt,
  OrderId,
  Paise,
  PaymentData,
  PaymentFact,
  Result,
  Site,
} from '../engine/index.ts'
import type { ClockJumps } from './ops/clock-jumps.ts'
import type { Swept } from './storage/files/upload-storage.ts'
import type { Store } from './storage/index.ts'

/** One merchant account's credentials, from AIRPAY_<ACCOUNT>_…; the sandbox makes its own. */
export type Account = {
  readonly name: string
  readonly username: string
  readonly password: string
  readonly secret: string
  readonly merchantId: string
}
export type GatewayMode = 'sandbox' | 'airpay-test' | 'live'

/** The environment, read once by `environment.ts`; nothing else reads process.env. */
export type Environment = {
  readonly port: number
  readonly host: string
  /** A socket that whoever started the server listens on for it, and keeps while it is started again; it listens itself when left out. */
  readonly socketFd?: number
  /** Without a trailing slash. */
  readonly publicUrl: string
  readonly dataDir: string
  /** Where PostgreSQL keeps the data; null: SQLite does, under the data folder. */
  readonly databaseUrl: string | null
  readonly eventsDir: string
  readonly production: boolean
  readonly firstAdmin: { readonly username: string; readonly password: string | null }
  readonly smtpUrl: string | null
  readonly mailFrom: string
  readonly gatewayMode: GatewayMode
  readonly accounts: Readonly<Record<string, Account>>
  /** What Airpay's checksum covers: A with the UID, B without; A when left out. */
  readonly airpayChecksum?: 'A' | 'B'
  /** What a status answer stands for that leaves it out; nothing when left out. */
  readonly airpayAssumed?: { readonly currency: boolean; readonly sale: boolean }
  readonly rateLimits: boolean
  /** Whoever brings it reads the figures from another machine; null: nobody does. */
  readonly metricsToken: string | null
  /** Instant at which the server's clock starts; null: the real clock. */
  readonly clockStart: Instant | null
  readonly trustProxy: string | null
  /** Where the sandbox gateway listens and is reached; 0 picks a free port. */
  readonly sandboxPort: number
}

/** A served event: its checked file, the hash that registrations carry, and the compiled validator. */
export type ServedEvent = {
  readonly config: EventConfig
  /** hex SHA-256 of the event file and the shared files it was compiled with. */
  readonly hash: string
  readonly text: string
  readonly shared: string
  /** Its file has gone, and people are registered: nobody registers any more, and everything else goes on. */
  readonly isGone?: true
}
/** An event file that is not served as it is, and why, in a sentence; the version before may be. */
export type RefusedFile = {
  readonly file: string
  readonly why: string
  /** What the checker says of it, for people; left out: it is about something else. */
  readonly findings?: string
}
/** The event files as they are served now; replaced whole at a clean reload. */
export type EventRegistry = {
  all(): readonly ServedEvent[]
  byId(id: string): ServedEvent | null
  /** The event whose order-id pattern this number or order id matches. */
  byOrderId(orderId: string): ServedEvent | null
  cards(at: Instant): readonly EventCard[]
  /** The words of the landing page; null when there is no site file, or none that is clean. */
  site(): Site | null
  /** Files that are not served as they are on the disk, with why, in the order in which they were found. */
  refused(): readonly RefusedFile[]
  /** Reads the folder again; serves what is clean, keeps the old version of what is not. */
  reload(): Promise<void>
  /** Serves what all servers of the database serve by now; true: that is something else. False where there is one server. */
  follow(): Promise<boolean>
  onChange(listener: () => void): void
  close(): Promise<void>
}

/** What the gateway says when asked about an order. */
export type StatusAnswer =
  | { readonly is: 'fact'; readonly fact: PaymentFact; readonly raw: string }
  | { readonly is: 'pending'; readonly code: string; readonly raw: string }
  /** It knows of no finished transaction of the order, yet or at all (503; 401 to 403 while the buyer may still come back). */
  | { readonly is: 'no-record'; readonly raw: string }
  | { readonly is: 'unreachable'; readonly error: string }

/** What the gateway says when told to give money back. */
export type RefundAnswer =
  /** It will: that it has is told by the status call. `reference` is the refund's own. */
  | { readonly is: 'begun'; readonly reference: string; readonly raw: string }
  /** It has said no, and no money moves. */
  | { readonly is: 'refused'; readonly message: string; readonly raw: string }
  /** It never heard of it: no money moves, and one may ask again. */
  | { readonly is: 'not-sent'; readonly error: string }
  /** Whether the money moves is not known: look before asking again. */
  | { readonly is: 'unsure'; readonly error: string; readonly raw: string }

/** What a return or notice claims. It proves nothing: verify. */
export type Notice = {
  readonly orderId: string
  readonly amount: string
  readonly code: string
  /** Whether its hash fits; `unknown`: it has none, or we lack the credentials. */
  readonly hash: 'right' | 'wrong' | 'unknown'
  readonly claimsMoney: boolean
}
/** `orderId` null: it names none. */
export type BadNotice = {
  readonly code: 'malformed' | 'unknown_order'
  readonly orderId: string | null
}
/** Why a payment cannot be handed to the gateway: it would refuse it. */
export type HandOffRefusal =
  | { readonly code: 'no_credentials' }
  | { readonly code: 'order_id' }
  | { readonly code: 'amount' }
  /** Less than the gateway takes in one payment. */
  | { readonly code: 'below_minimum'; readonly minimum: Paise }
  /** So many characters has the address; 0: there is none. */
  | { readonly code: 'email'; readonly characters: number }

/** The delegate as the gateway must know them. */
export type Buyer = {
  readonly fullName: string
  readonly email: string
  readonly phone: string
  readonly regNo: string
}

/** The only thing that knows a gateway's protocol. */
export type GatewayAdapter = {
  /** Called before anything is stored: what nobody could pay is refused. */
  handOff(
    event: EventConfig,
    buyer: Buyer,
    orderId: OrderId,
    amount: Paise,
    at: Instant,
  ): Result<PaymentData, HandOffRefusal>
  /** Reads a return or notice; one that names no order, or an order of no event, is refused. It proves nothing: verify. */
  readNotice(body: Readonly<Record<string, string>>): Result<Notice, BadNotice>
  /** Its name for the account that the event's payments go to; null: the event takes no money, or there are no credentials. */
  merchantOf(event: EventConfig): string | null
  /** Asks the gateway. The timeout is in milliseconds. */
  status(
    event: EventConfig,
    orderId: OrderId,
    at: Instant,
    timeoutMs: number,
  ): Promise<StatusAnswer>
  /** Asks to give money back; `reference` is the gateway's, of the payment. */
  refund(
    event: EventConfig,
    reference: string,
    amount: Paise,
    at: Instant,
    timeoutMs: number,
  ): Promise<RefundAnswer>
  /** Every origin a payment passes, for form-action. */
  origins(): readonly string[]
}

/** Verification, shared by return, notice and reconciler. */
export type Payments = {
  /** Asks the gateway, applies what it says, queues the mail; a no-op for a payment that has ended. */
  verify(
    orderId: OrderId,
    timeoutMs: number,
  ): Promise<'success' | 'failed' | 'pending' | 'review' | 'refunded'>
  /**
   * Asks about several orders side by side, no longer than the timeout in all; answers what was learnt of each.
   * One that could not be asked in time is not in it.
   */
  learn(orderIds: readonly OrderId[], timeoutMs: number): Promise<ReadonlyMap<OrderId, Learnt>>
  /** Asks about every payment that is due, those that ended and are watched last; answers how many open ones were asked about and how many of them ended. */
  reconcile(all?: boolean): Promise<{ readonly asked: number; readonly ended: number }>
  /**
   * Asks about an order that is not in the database, for the event that it may be of; what the gateway confirms is before staff. `unsure`:
   * no answer that decides.
   */
  lookUp(
    event: EventConfig,
    orderId: string,
    timeoutMs: number,
  ): Promise<'kept' | 'none' | 'unsure'>
  /** Asks for the refunds that people want and that nobody is asking for; answers how many. The reconciler does it too. */
  sendRefunds(): Promise<number>
  /** Accounts that the gateway does not answer, and that are not asked for a while. */
  resting(): readonly string[]
  /** When no verification is on its way. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** A file as it came, whole and on disk under a name for the time being; its hash was made on the way. */
export type ReceivedFile = {
  readonly path: string
  /** In hex. */
  readonly sha256: string
  readonly bytes: number
}
/** Why no file came of a stream: more bytes than its field takes, the sender broke off, or the disk is nearly full. */
export type ReceiveRefusal = 'too_large' | 'cut_off' | 'no_room'
/** Files that delegates send. Whoever receives one keeps or discards it. */
export type Uploads = {
  /** Writes a stream to disk as it comes; what is refused leaves nothing behind. */
  receive(content: Readable, bytesMax: number): Promise<Result<ReceivedFile, ReceiveRefusal>>
  /** Its media type, when its content is one of the accepted kinds (endings) and the one its name says. */
  typeOf(file: ReceivedFile, name: string, accept: readonly string[]): Promise<string | null>
  /** The file without what cameras write beside a picture; its hash and size are those of what is kept. */
  bared(file: ReceivedFile, mime: string): Promise<ReceivedFile>
  /** Moves it to its place under its hash; fsyncs file and folder. The same bytes twice are one file. */
  keep(file: ReceivedFile): Promise<void>
  /** Whether a file is kept that a draft handed in before; it is not swept from under whoever takes it now. */
  hold(sha256: string): Promise<boolean>
  /** Removes it, unless it was kept. */
  discard(file: ReceivedFile): Promise<void>
  /** Null: no such file. The content must be read or destroyed. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Removes these at once, but for those that another registration refers to. */
  forget(sha256s: readonly string[]): Promise<void>
  /**
   * Removes files that the database knows and needs no more, and sets aside those that it does not know. `all`: staff have
   * looked, and all that are unknown are set aside.
   */
  sweep(all?: boolean): Promise<Swept>
  /** Puts back what lies aside and something refers to. */
  reclaim(): Promise<void>
  /** As the last sweep left it. */
  state(): UploadsState
}
/** Sentences for the operator. */
export type UploadsState = {
  /** What must be looked after; null: nothing. */
  readonly trouble: string | null
  /** What may be known; null: nothing. */
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
  readonly gateway: GatewayAdapter
  readonly payments: Payments
  readonly uploads: Uploads
  readonly clock: () => Instant
  readonly clockJumps: ClockJumps
  /** Whether anything may be erased, or dropped, because of its age. */
  readonly isClockTrusted: () => Promise<boolean>
  readonly log: Log
}
