/** What the store does after a restore, and about money for orders that it does not know. */
import type { HeldMails, Instant, OrderId, Paise } from '../../../engine/index.ts'

/** How far tables have counted that only grow; a copy that was made earlier has counted less far. */
export type Counted = Readonly<Record<string, number>>
/** Which database it is, and how far it has come. */
export type Mark = { readonly name: string; readonly counted: Counted }

export type NewRecovery = {
  readonly at: Instant
  readonly who: string
  readonly why: string
  /** Null: not known. */
  readonly copyAt: Instant | null
  readonly servedAt: Instant | null
  /** Codes that must not be given again, also where the database does not know them. */
  readonly taken: readonly string[]
}
export type Recovery = Omit<NewRecovery, 'at' | 'taken'> & {
  readonly code: string
  readonly begunAt: Instant
  /** The newest record in the copy; null: it holds none. */
  readonly storedAt: Instant | null
}
export type EndedRecovery = Pick<Recovery, 'code' | 'begunAt'> & {
  readonly endedAt: Instant
  readonly endedBy: string
  readonly mails: HeldMails
}

/** What is different since the restore, counted. */
export type RecoveryFigures = {
  readonly pending: { readonly all: number; readonly asked: number; readonly ended: number }
  readonly unknown: { readonly toDecide: number; readonly toAsk: number }
  /** `since`: of the emails, those that were written since. */
  readonly held: {
    readonly mails: number
    readonly since: number
    readonly refunds: number
    readonly erasures: number
  }
  readonly mails: readonly {
    readonly id: number
    readonly to: string
    readonly subject: string
    readonly eventId: string
    readonly at: Instant
  }[]
  readonly series: readonly {
    readonly pattern: string
    readonly year: string
    readonly last: number
  }[]
  readonly past: readonly EndedRecovery[]
}

/** Who paid, as the gateway says; '': it does not say. */
export type Payer = {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly way: string
}
/** Money that the gateway confirmed for an order that is not here. */
export type UnknownPayment = {
  readonly orderId: string
  readonly eventId: string
  readonly source: string
  readonly account: string
  readonly payer: Payer | null
  /** Of all of it, as the gateway says. */
  readonly refunded: Paise
  readonly at: Instant
  readonly money: readonly {
    readonly reference: string
    readonly amount: Paise
    readonly currency: string
    readonly kind: 'sale' | 'other' | 'test'
    readonly paidAt: Instant | null
  }[]
}
export type UnknownOrder = { readonly orderId: OrderId; readonly eventId: string }

export interface RecoveryStore {
  /** The one that has not ended; null: there is none. */
  recovery(): Promise<Recovery | null>
  /** Also when none is open: then it is about the last one. `keepOver`: events whose registrations are to be erased by now. */
  recoveryFigures(keepOver: readonly string[]): Promise<RecoveryFigures>
  /** Which database this is, and how far it has come. It is given that name where it has none. */
  mark(name: string): Promise<Mark>
  /** How far it has come now; `name` null: it has none yet. */
  counted(): Promise<{ readonly name: string | null; readonly counted: Counted }>
  /**
   * Holds what waits, and lets the gateway be asked about all that is pending. One that is open ends by it. `since`: null comes back
   * where one began at or after that instant.
   */
  beginRecovery(recovery: NewRecovery, since: Instant | null): Promise<Recovery | null>
  /** Null: none is open. Answers what becomes of the emails that were held. */
  endRecovery(end: {
    readonly at: Instant
    readonly who: string
    readonly mails: HeldMails
  }): Promise<{
    readonly recovery: Recovery
    readonly sent: number
    readonly discarded: number
  } | null>

  /**
   * Before a person from then on, each reference once; answers how many are new. What a settlement has listed already is told of the
   * payer and of what was refunded.
   */
  keepUnknownPayment(payment: UnknownPayment): Promise<number>
  /** The gateway is asked about it until it says; false: so many are waiting that no more are taken. */
  noteUnknownOrder(order: UnknownOrder, at: Instant): Promise<boolean>
  /** Those about which the gateway is to be asked by now. */
  unknownOrders(at: Instant, limit: number): Promise<readonly UnknownOrder[]>
  /** The gateway said nothing that decides: it is asked again later, or given up after days. */
  unknownUndecided(orderId: string, at: Instant): Promise<void>
  /** Nothing is to be asked about it any more. `isUsed`: somebody was sent to pay it, so that a further attempt may have been made. */
  unknownDecided(orderId: string, isUsed: boolean, at: Instant): Promise<void>
  /** Every file that something refers to, by its hash. */
  filesReferred(): Promise<readonly string[]>
}
