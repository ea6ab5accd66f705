/**
 * The store as the rest of the server sees it: verbs of the domain, all asynchronous, no SQL.
 * Implementations pass the same contract suite (`tests/server/store/contract.ts`).
 * Every write is durable (fsynced) before its promise resolves.
 */
import type {
  ListedMail,
  MailCounts,
  MailsQuery,
  MailsToRetry,
  Tried,
} from './mail/email-list-types.ts'
import type { Operating } from './reports/metrics-counts.ts'
import type { Rescued } from './files/upload-and-clock-types.ts'
import type {
  Answers,
  CodeFact,
  Day,
  Decision,
  DecisionRefusal,
  Instant,
  LastAnswer,
  OrderId,
  PaymentFact,
  RegNo,
  Result,
  Review,
  UniqueRule,
} from '../../engine/index.ts'
import type { InUse } from '../../engine/authoring.ts'
import type {
  Decided,
  NextAttempt,
  NewLink,
  StoredLink,
  NewNotice,
  GivenBack,
  RawAnswer,
  RefundToSend,
  RefundTold,
  RetryRefusal,
  ReviewCounts,
  StoredCapture,
  StoredDecision,
  StoredNotice,
  StoredPayment,
  StoredRefund,
  WantedRefund,
} from './payments/payment-types.ts'
import type {
  MadeCodes,
  OutsideRefusal,
  RollCount,
  RollReplaced,
  RollRow,
  StoredCode,
} from './registrations/pricing-context-types.ts'
import type {
  NewRegistration,
  Registered,
  RegisterRefusal,
  StoredRegistration,
  ImportRefusal,
  ImportRow,
  ListQuery,
  ListPage,
  ListedRegistration,
  SoldInList,
  NewMail,
  MailSpacing,
  QueuedMail,
  EventFigures,
  WaitingCount,
  KeptEventFile,
} from './registrations/registration-types.ts'
import type { Acting } from './registrations/action-types.ts'
import type { Activation, Active, ServedFile } from './events/event-version-types.ts'
import type { Issued } from './documents/document-types.ts'
import type { KeepingStore } from './files/upload-and-clock-types.ts'
import type { ProofShelf } from './files/upload-storage.ts'
import type { PeopleStore } from './staff/staff-types.ts'
import type { RecoveryStore } from './recovery/recovery-types.ts'
import type { SettlementStore } from './reconciliation/settlement-types.ts'
import type { Tries } from './database/rate-limit-counts.ts'
import type { StoredPlace } from './seats/seats.ts'

export type * from './registrations/action-types.ts'
export type * from './events/event-version-types.ts'
export type * from './documents/document-types.ts'
export type * from './payments/payment-types.ts'
export type * from './registrations/pricing-context-types.ts'
export type * from './staff/staff-types.ts'
export type * from './recovery/recovery-types.ts'
export type * from './reconciliation/settlement-types.ts'
export type * from './registrations/registration-types.ts'
export type * from './payments/payment-claim-types.ts'

export { StoreBusy } from './database/store-busy-error.ts'

export interface Store
  extends Acting, Issued, KeepingStore, PeopleStore, RecoveryStore, SettlementStore {
  /** One transaction: registration, first payment, money in hand, uploads, audit row, idempotency key, mail. A repeated key with the same fingerprint answers the first registration. */
  register(registration: NewRegistration): Promise<Result<Registered, RegisterRefusal>>
  /** What a key was used for in the last 24 hours: a repeated request is answered even when price or event have changed since. */
  registeredUnder(
    eventId: string,
    key: string,
    at: Instant,
  ): Promise<{
    readonly fingerprint: string
    readonly isOver: boolean
    readonly registered: Registered
  } | null>
  /**
   * A further attempt for a registration whose newest payment failed, or is open and ends by it (`replaces`).
   * The order id is the number plus two digits. A price of its own becomes the registration's.
   */
  retry(regNo: RegNo, at: Instant, next?: NextAttempt): Promise<Result<StoredPayment, RetryRefusal>>
  /** The delegate is sent to the gateway once more with an open order, which is as fresh as a new one. What it had may be somebody else's by now. Nothing for what has ended. */
  handedAgain(
    orderId: OrderId,
    at: Instant,
    outside?: NextAttempt['outside'],
  ): Promise<Result<null, OutsideRefusal>>
  /**
   * How many are left of each place of the event at that instant; what is absent is not limited. `few`, by
   * place: from how many on what lapsed counts as well; at nothing left it always does.
   */
  placesLeft(
    eventId: string,
    few: Readonly<Record<string, number>>,
    at: Instant,
  ): Promise<Readonly<Record<string, number>>>
  /** How many of each place are held or kept. */
  placesTaken(eventId: string): Promise<readonly StoredPlace[]>
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
  /** Before the gateway is asked unprompted; false: not due any more, or another server asks. A claim expires by itself. */
  claimQuestion(orderId: OrderId, dueBefore: Instant, at: Instant): Promise<boolean>
  /**
   * Notes that the gateway was asked, when to ask again (null: never), its answer where it is no fact, and the end of
   * the watch where that changes.
   */
  asked(
    orderId: OrderId,
    at: Instant,
    nextAt: Instant | null,
    said?: LastAnswer | null,
    watchUntil?: Instant | null,
  ): Promise<void>
  /** A message claims money that the gateway does not know of: it may be on its way. */
  claimed(orderId: OrderId, at: Instant): Promise<void>
  /** A message claims money for a payment that has ended: it is due, and watched anew. Nothing for what is open. */
  rearm(orderId: OrderId, at: Instant): Promise<void>
  /** The clock shows an earlier time than before: what was planned by the later one is due now, and what ended by it is open again. */
  clockWentBack(at: Instant): Promise<void>
  addLink(link: NewLink): Promise<void>
  link(tokenHash: string): Promise<StoredLink | null>
  /** It may be followed several times; the last time is kept. */
  linkUsed(tokenHash: string, at: Instant): Promise<void>
  /** What came for a registration, oldest first. */
  captures(regNo: RegNo): Promise<readonly StoredCapture[]>
  facts(
    orderId: OrderId,
  ): Promise<readonly { readonly at: Instant; readonly type: string; readonly body: PaymentFact }[]>

  /** What went back or is on its way for a registration, oldest first. */
  refunds(regNo: RegNo): Promise<readonly StoredRefund[]>
  /** What people decided about a registration's money, oldest first. */
  decisions(regNo: RegNo): Promise<readonly StoredDecision[]>

  /** What waits for a person, of all kinds, the longest waiting first; null: of all events. */
  reviews(eventId: string | null): Promise<readonly Review[]>
  /** Null: there is none, or it was decided. */
  review(id: string): Promise<Review | null>
  /** The event of a review, also after it was decided; null: there is no money, payment or refund of this id. */
  eventOfReview(id: string): Promise<{ readonly eventId: string | null } | null>
  reviewCounts(): Promise<ReviewCounts>
  /**
   * Runs the engine's decide inside the transaction on the review as it is there, and does what follows: state
   * of the capture, payment, registration, figures, a wanted refund, a line among the decisions, one among
   * the audit rows. `mail` is queued only when this call made a registration a success.
   */
  decide(
    id: string,
    decision: Decision,
    at: Instant,
    mail: NewMail | null,
  ): Promise<Result<Decided, DecisionRefusal>>
  /** A refund of what counts; the rest of what a refund does is the same as for a decision. */
  wantRefund(wanted: WantedRefund): Promise<Result<Decided, DecisionRefusal>>
  /** Wanted and not tried lately, the oldest first. */
  refundsToSend(at: Instant, limit: number): Promise<readonly RefundToSend[]>
  /** From wanted to asked, durably, before the gateway is asked; false: somebody else is asking. */
  claimRefund(id: number, at: Instant): Promise<boolean>
  /** What the gateway answered; the payment is watched anew where money may move. */
  refundTold(id: number, told: RefundTold, at: Instant): Promise<void>
  /** Asked and never answered, or begun and not done for days: unsure from now on. Answers how many. */
  silentRefunds(at: Instant): Promise<number>

  /** Registrations whose money does not fit, newest first: a person decides. */
  inReview(eventId: string): Promise<readonly StoredRegistration[]>
  listPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage>
  /** Of several events at once: words, numbers, references of money; the newest first. */
  findIn(
    eventIds: readonly string[],
    text: string,
    limit: number,
  ): Promise<readonly StoredRegistration[]>
  /** What the registrations of a list add up to; `people`: the fields that list people. */
  soldIn(query: ListQuery, people: readonly string[]): Promise<SoldInList>
  /** Keyset chunks from a thread of its own, newest first. */
  exportRows(query: ListQuery): AsyncIterable<readonly ListedRegistration[]>
  figures(eventId: string, today: Day): Promise<EventFigures>
  /** What needs somebody, by event. */
  waiting(eventIds: readonly string[], at: Instant): Promise<readonly WaitingCount[]>

  /** What a code, as it is looked for, is worth now. `holdMs`: how long its use is held while somebody pays. */
  code(eventId: string, folded: string, holdMs: number, at: Instant): Promise<CodeFact>
  /** Who stands against these answers by a rule that blocks; null: nobody. Registering decides it by itself. */
  blockedBy(
    eventId: string,
    unique: readonly UniqueRule[],
    answers: Answers,
  ): Promise<OutsideRefusal | null>
  /** The code that a registration used, as it was given out; null: none. */
  codeOf(regNo: RegNo): Promise<string | null>
  /** With how often each is used now, in the order in which they were made. */
  codesOf(eventId: string, holdMs: number, at: Instant): Promise<readonly StoredCode[]>
  /** All or none: one that is there already is a refusal. */
  makeCodes(made: MadeCodes): Promise<Result<number, { readonly code: 'code_taken' }>>
  /** `before`: it was withdrawn already. What was registered with it keeps what it gave. */
  withdrawCode(
    eventId: string,
    folded: string,
    who: string,
    at: Instant,
  ): Promise<'withdrawn' | 'unknown' | 'before'>
  /** The cells of the row with this key, as it is looked for, by column; null: there is none. */
  rollRow(
    eventId: string,
    roll: string,
    key: string,
  ): Promise<Readonly<Record<string, string>> | null>
  /** The roll as a whole: what is not among the rows is gone. */
  replaceRoll(
    eventId: string,
    roll: string,
    rows: readonly RollRow[],
    who: string,
    at: Instant,
  ): Promise<RollReplaced>
  rollCounts(eventId: string): Promise<readonly RollCount[]>

  queueMail(regNo: RegNo, mail: NewMail, at: Instant): Promise<number>
  /**
   * The confirmation once more, asked for by whoever has the registration's page; false: one was asked for
   * within the spacing, or as many as there may be.
   */
  queueAsked(regNo: RegNo, mail: NewMail, at: Instant, spacing: MailSpacing): Promise<boolean>
  /** The links of what is registered with an address, to that address; `regNo`: the newest. */
  queueLinks(regNo: RegNo, mail: NewMail, at: Instant): Promise<void>
  /** To whoever is registered already and was registered for again; false: such a mail went out after that instant. */
  queueAlready(regNo: RegNo, mail: NewMail, at: Instant, after: Instant): Promise<boolean>
  /**
   * Orders handed out before that instant which the gateway has no record of, of registrations that were not
   * written to yet: a page of them by the payment's id.
   */
  unfinished(
    handedBefore: Instant,
    eventIds: readonly string[],
    after: number,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /** To whoever left before paying, once per registration; false: it was queued before, or is paid meanwhile. */
  queueUnfinished(regNo: RegNo, mail: NewMail, at: Instant): Promise<boolean>
  /** What has gone back after that instant and nobody was told of, where there is an address; the oldest first. */
  givenBack(
    after: Instant,
    eventIds: readonly string[],
    limit: number,
  ): Promise<readonly GivenBack[]>
  /** To whoever has money back, once per refund; false: it was queued before. */
  queueGivenBack(refundId: number, regNo: RegNo, mail: NewMail, at: Instant): Promise<boolean>
  /** Of an event as a whole, once per key however often it is called; false: it was queued before. */
  queueOnce(once: string, eventId: string, mail: NewMail, at: Instant): Promise<boolean>
  /**
   * Durably, before it is sent; false: it is not due, or was lost twice on the way. A claim that nobody
   * ends is tried once more after a while.
   */
  claimMail(id: number, at: Instant): Promise<boolean>
  dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]>
  mailSent(id: number, at: Instant): Promise<void>
  /** The mail server answers again: what it did not answer is due now. Answers how many. */
  hurryMails(at: Instant): Promise<number>
  /**
   * Mails that were given up, once more from the first try; of those that are named, also what was put off after a try. All
   * when `which` is left out. Answers how many.
   */
  retryMails(at: Instant, which?: MailsToRetry): Promise<number>
  /** The newest first: those before the one with that id; null: from the newest. */
  mails(query: MailsQuery, before: number | null, limit: number): Promise<readonly ListedMail[]>
  /** Of these events; null: of all. */
  mailCounts(events: readonly string[] | null): Promise<MailCounts>
  /** nextAt null: given up. `tried` null: it was not sent to anybody. */
  mailFailed(id: number, error: string, nextAt: Instant | null, tried?: Tried | null): Promise<void>
  mailsOf(regNo: RegNo): Promise<
    readonly (NewMail & {
      readonly id: number
      readonly status: 'queued' | 'sent' | 'failed'
      readonly at: Instant
      readonly error: string | null
    })[]
  >

  /** Every version served, by hash; a known hash only moves its served_at. `shared` is the JSON of the shared files it was compiled with. */
  keepEventFile(file: ServedFile): Promise<void>
  eventFile(hash: string): Promise<KeptEventFile | null>
  /** The hashes of the versions of an event that were served last, the newest first. */
  lastVersions(eventId: string, limit: number): Promise<readonly string[]>
  lastEventFile(eventId: string): Promise<KeptEventFile | null>
  /** Whether several servers may share it: then what is served is what was activated. */
  readonly isShared: boolean
  /** Where files of delegates are kept that every server reads; null: on the disk of the one server. */
  readonly proofs: ProofShelf | null
  /** Where tries of all servers are counted; null: there is one server. */
  readonly tries: Tries | null
  /** Versions with all that depends on them, at one moment for every server. Answers the new number; null: somebody was quicker. */
  activate(activation: Activation): Promise<number | null>
  /** What is active now; null: it is what `known` names. */
  activeEvents(known: number): Promise<Active | null>
  /** The ids of all events that were ever served, in their order. */
  eventsServed(): Promise<readonly string[]>
  /** What is in use in stored registrations, for findings that need the past: fields answered, options and categories, what is sold and taken, with counts. */
  inUse(eventId: string): Promise<InUse>

  /** All or nothing; a registration already there and equal changes nothing, and differs is a refusal. */
  importRegistrations(
    rows: readonly ImportRow[],
  ): Promise<Result<{ readonly added: number; readonly unchanged: number }, ImportRefusal>>
  /** What has become of the file that was opened (`was deleted`, …); null: it stands. Costs a look at its name and its header. */
  lost(): Promise<string | null>
  /** Writes out what is still held; from then on each write is refused. */
  rescue(): Promise<Rescued>
  /** A real write and read, for the health check. */
  ping(at: Instant): Promise<void>
  /** What waits, and who is registered where. */
  operating(): Promise<Operating>
  /** Drains the writer's queue, then closes. */
  close(): Promise<void>
}
