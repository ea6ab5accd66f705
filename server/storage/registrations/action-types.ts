/** Acts as the store takes them and gives them: what is wanted, what came of it, and the trail. */
import type { SecondPayment } from '../payments/duplicate-payments.ts'
import type {
  ActName,
  Answers,
  BankKey,
  Quote,
  UniqueRule,
  ActRefusal,
  Actor,
  Decision,
  DecisionRefusal,
  Instant,
  MoneyOfBill,
  Paise,
  RegistrationState,
  RegNo,
  Result,
  Way,
} from '../../../engine/index.ts'
import type { StoredAwaited, StoredReferences } from '../reconciliation/match-candidates.ts'
import type { AskedThrough } from '../payments/payment-types.ts'
import type { NewMail, Searchable, StoredUpload } from './registration-types.ts'
import type { NewTelling, StoredTelling } from '../payments/payment-claim-types.ts'

/** An act as it is wanted; `once` null: nobody sends it twice. */
export type NewAct = {
  readonly regNo: RegNo
  readonly act: ActName
  readonly actor: Actor
  readonly who: string
  readonly why: string
  readonly at: Instant
  readonly once: Once | null
}
export type Once = { readonly key: string; readonly fingerprint: string }

/** What came of an act. */
export type Acted = {
  readonly regNo: RegNo
  readonly state: RegistrationState
  /** For whoever did it, in a sentence. */
  readonly message: string
  /** A refund that the gateway has to be asked for; null: none. */
  readonly refundId: number | null
  /** It had been done before. */
  readonly repeated: boolean
}
/** A no of the table of acts, or of the rules about money. */
export type ActNo = ActRefusal | DecisionRefusal
export type ActAnswer = Result<Acted, ActNo>

/** What a registration becomes by a correction or a transfer. */
export type Correction = {
  /** The answers that it was worked out from: others are refused. */
  readonly was: Answers
  readonly answers: Answers
  readonly category: string | null
  readonly searchable: Searchable
  readonly unique: readonly UniqueRule[]
  /** Null: it costs what it cost. */
  readonly quote: Quote | null
  /** Through whom a new amount is asked for; null: through nobody of ours. */
  readonly through: AskedThrough
  /** Until when the new price of what is not paid is held. */
  readonly holdUntil: Instant | null
  readonly changes: readonly string[]
  /** Files that were handed in with it; each takes the place of the one before. */
  readonly uploads: readonly StoredUpload[]
  readonly mails: readonly NewMail[]
  /** Queued where it was not paid and costs nothing by it: it is complete. Left out: none. */
  readonly confirmation?: NewMail | null
  /** Links of mails lead to whoever had them: a transfer ends them. */
  readonly endsLinks: boolean
}

/** A line of a registration's trail. */
export type StoredAct = {
  readonly id: number
  readonly at: Instant
  readonly who: string
  readonly act: ActName
  readonly why: string
  readonly data: Readonly<Record<string, unknown>>
  readonly was: RegistrationState
  readonly became: RegistrationState
}

/** How a registration begins to be paid that waited for somebody. */
export type Approved = {
  /** Through whom its price is asked for; null: through nobody of ours. */
  readonly through: AskedThrough
  /** Until when it can be paid. */
  readonly payUntil: Instant
  /** Queued where something is to be paid, and where nothing is. */
  readonly mail: NewMail | null
  readonly confirmation: NewMail | null
}
/** The category that was offered, with what it costs; `quote` null: the event states no prices. */
export type OfferTaken = Approved & { readonly category: string; readonly quote: Quote | null }

export interface Acting {
  /** A sentence on the registration. */
  note(wanted: NewAct): Promise<ActAnswer>
  /** The delegate asks to be cancelled; the office decides. */
  askCancel(wanted: NewAct): Promise<ActAnswer>
  /** The delegate asks for the money of a second payment; refused where it is none. The office decides. */
  askRefund(wanted: NewAct): Promise<ActAnswer>
  /**
   * Every word of a person goes from every table; money and its facts stay. Refused while money is undecided. Files
   * and mails outside the database are the caller's.
   */
  erase(wanted: NewAct): Promise<ActAnswer>
  /** The numbers of all registrations with this email address, in whatever case; the oldest first. */
  withEmail(email: string): Promise<readonly RegNo[]>
  /** Registrations of an event that are not erased yet, some at a time by their ids. */
  toErase(
    eventId: string,
    after: number,
  ): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]>
  /** Notes the files of some registrations of an event as dropped; answers of how many. */
  dropEventFiles(eventId: string, at: Instant, why: string): Promise<number>
  /** A mail to the delegate that the office asks for: the confirmation again, or a link to pay. */
  sendMail(wanted: NewAct, mail: NewMail): Promise<ActAnswer>
  /** Other answers, with what they cost; of a correction, of a transfer and of what delegates edit themselves. */
  correct(wanted: NewAct, correction: Correction): Promise<ActAnswer>
  /**
   * Ends it and frees what it took; `payBack`, at least what is owed, is proposed to be given back, which a refund does. `shown` is what was
   * paid as whoever cancels saw it, and refused when money has come or gone since; null: not said. `mail` is queued for
   * the delegate.
   */
  cancel(
    wanted: NewAct,
    how: {
      readonly payBack: Paise
      readonly shown: Paise | null
      readonly mail: NewMail | null
    },
  ): Promise<ActAnswer>
  /** It may be paid now, at the price of the day of registering; with the places that it held. */
  approve(wanted: NewAct, approved: Approved): Promise<ActAnswer>
  /** It ends, unless the delegate takes the category that is offered; null: none is. */
  refuse(
    wanted: NewAct,
    how: { readonly offer: string | null; readonly mail: NewMail | null },
  ): Promise<ActAnswer>
  /** The delegate takes the category that was offered; another is refused. */
  acceptOffer(wanted: NewAct, taken: OfferTaken): Promise<ActAnswer>
  /**
   * Money that came on a way of its own. What fits pays; anything else, and what has lost its place meanwhile, is
   * before a person. A reference counts once. `mail` is queued when it is paid by it.
   */
  confirm(
    wanted: NewAct,
    came: {
      readonly way: Way
      readonly reference: string
      readonly amount: Paise
      readonly paidAt: Instant
      /** The price of the day on which it came, where that decides; left out: that of the attempt. */
      readonly price?: Quote | null
    },
    mail: NewMail | null,
  ): Promise<ActAnswer>
  /** The same of what is paid already, or has ended: it is before a person, and the price does not matter. */
  cameAgain(
    wanted: NewAct,
    came: {
      readonly way: Way
      readonly reference: string
      readonly amount: Paise
      readonly paidAt: Instant
    },
  ): Promise<ActAnswer>
  /** What a delegate tells of money paid outside; a reference is of one registration. */
  tell(wanted: NewAct, telling: NewTelling, mail: NewMail | null): Promise<ActAnswer>
  /** What was told is not at the bank: it waits to be told again until `payUntil`. */
  notFound(
    wanted: NewAct,
    how: { readonly payUntil: Instant | null; readonly mail: NewMail | null },
  ): Promise<ActAnswer>
  /** Nobody paid in time: its places are free. */
  lapse(wanted: NewAct, mail: NewMail | null): Promise<ActAnswer>
  /** Undoes `lapse` where the clock was ahead. */
  reopen(wanted: NewAct, mail: NewMail | null): Promise<ActAnswer>
  /** What has lapsed waits to be paid once more, where its places are still there. */
  takeUp(
    wanted: NewAct,
    how: {
      readonly way: string | null
      readonly payUntil: Instant
      readonly mail: NewMail | null
    },
  ): Promise<ActAnswer>
  /** Those that wait to be paid and whose day is over, the longest first. */
  overdue(at: Instant, limit: number): Promise<readonly RegNo[]>
  /** Those that lapsed at a time that has not come yet, and can be paid until later than now. */
  lapsedTooEarly(at: Instant, limit: number): Promise<readonly RegNo[]>
  /** What was told of a registration, the newest first. */
  tellings(regNo: RegNo): Promise<readonly StoredTelling[]>
  /** Gives back of what counts: through the gateway, or as done by hand under a reference. `amount` null: all that is left. */
  refund(
    wanted: NewAct,
    how: { readonly amount: Paise | null; readonly byHand: string | null },
  ): Promise<ActAnswer>
  /** Closes the matter of a refund that is in no settlement report; the reason says what became of it. */
  handleRefund(wanted: NewAct): Promise<ActAnswer>
  /** Decides about money in review, which must be of this registration; `mail` as for `decide`. */
  decideFor(
    wanted: NewAct,
    how: { readonly review: string; readonly decision: Decision; readonly mail: NewMail | null },
  ): Promise<ActAnswer>
  /** Registrations of an event that wait for money; `pricedWays`: whose price the day of credit decides. */
  awaited(eventId: string, pricedWays: readonly string[]): Promise<readonly StoredAwaited[]>
  /** Which of the references of a bank statement are known, and whose they are. */
  knownReferences(keys: readonly BankKey[]): Promise<StoredReferences>
  /** What counts as paid for a registration, less what has gone back or is about to; whole paise. */
  kept(regNo: RegNo): Promise<Paise>
  /** What counts beside its bill, for the rule of what is due and what goes back. */
  moneyOfBill(regNo: RegNo): Promise<MoneyOfBill>
  /** Whether a refund of it is in no settlement report five days later, and not marked as handled. */
  isRefundUnsettled(regNo: RegNo, at: Instant): Promise<boolean>
  /** Whether this is a second payment for one email address and name; null: it is not. */
  secondPayment(regNo: RegNo): Promise<SecondPayment | null>
  /** The other paid registrations of the same email address and name in its event. */
  paidBySamePerson(regNo: RegNo): Promise<readonly RegNo[]>
  /** The second payments of an event for which the delegate requests a refund, until staff answer. */
  refundRequests(eventId: string): Promise<readonly RegNo[]>
  /** What was done to a registration, oldest first. */
  acts(regNo: RegNo): Promise<readonly StoredAct[]>
}
