/** Defines the store's functions for recovery after a restore, and for payments of unknown orders. */
import type { HeldEmails, Instant, OrderId, Amount } from '../../../engine/index.ts'

/** The newest id in each table that only grows. An earlier copy has lower ids. */
export type NewestIds = Readonly<Record<string, number>>
/** The name of the database, and the newest ids in its tables. */
export type RecoveryMark = { readonly name: string; readonly counted: NewestIds }

export type NewRecovery = {
  readonly at: Instant
  readonly who: string
  readonly why: string
  /** Null if unknown. */
  readonly copyAt: Instant | null
  readonly servedAt: Instant | null
  /** Recovery codes that must not be used again, even if the database does not contain them. */
  readonly taken: readonly string[]
}
export type Recovery = Omit<NewRecovery, 'at' | 'taken'> & {
  readonly code: string
  readonly begunAt: Instant
  /** The time of the newest record in the copy. Null if it has none. */
  readonly storedAt: Instant | null
}
export type EndedRecovery = Pick<Recovery, 'code' | 'begunAt'> & {
  readonly endedAt: Instant
  readonly endedBy: string
  readonly mails: HeldEmails
}

/** Counts of the differences since the restore. */
export type RecoveryFigures = {
  readonly pending: { readonly all: number; readonly asked: number; readonly ended: number }
  readonly unknown: { readonly toDecide: number; readonly toAsk: number }
  /** `since`: how many of these emails were written since the recovery began. */
  readonly held: {
    readonly mails: number
    readonly since: number
    readonly refunds: number
    readonly erasures: number
  }
  /**
   * The queued work that a recovery would hold now, and the number of payments about which it would query the gateway.
   */
  readonly ahead: { readonly mails: number; readonly pending: number }
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

/** The payer according to the gateway. Values that the gateway does not give are empty. */
export type Payer = {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly way: string
}
/** A payment that the gateway confirmed for an unknown order. */
export type UnknownPayment = {
  readonly orderId: string
  readonly eventId: string
  readonly source: string
  readonly account: string
  readonly payer: Payer | null
  /** The refunded amount, as reported by the gateway. */
  readonly refunded: Amount
  readonly at: Instant
  readonly money: readonly {
    readonly reference: string
    readonly amount: Amount
    readonly currency: string
    readonly kind: 'sale' | 'other' | 'test'
    readonly paidAt: Instant | null
  }[]
}
export type UnknownOrder = { readonly orderId: OrderId; readonly eventId: string }

export interface RecoveryStore {
  /** Returns the open recovery. Null if no recovery is open. */
  recovery(): Promise<Recovery | null>
  /**
   * Returns the figures of the open recovery, or else of the latest recovery. `eventsDueForErasure`: events whose
   * registrations are due to be erased.
   */
  recoveryFigures(eventsDueForErasure: readonly string[]): Promise<RecoveryFigures>
  /** Returns the database's name and newest ids. Gives the database a name if it has none. */
  identifyDatabase(name: string): Promise<RecoveryMark>
  /** Returns the same without giving the database a name. `name` is null if it has none yet. */
  databaseProgress(): Promise<{ readonly name: string | null; readonly counted: NewestIds }>
  /**
   * Begins a recovery: holds queued work, schedules queries about all pending payments, and ends a recovery that is
   * open. With `databaseSince`, does nothing and returns null if a recovery began at that time or later.
   */
  beginRecovery(recovery: NewRecovery, databaseSince: Instant | null): Promise<Recovery | null>
  /**
   * Ends the open recovery. Returns how many held emails will be sent and how many were discarded. Null if no recovery
   * is open.
   */
  endRecovery(end: {
    readonly at: Instant
    readonly who: string
    readonly mails: HeldEmails
  }): Promise<{
    readonly recovery: Recovery
    readonly sent: number
    readonly discarded: number
  } | null>

  /**
   * Puts the payment into review, each reference once. If a settlement has already listed a payment, adds its payer and
   * refunds. Returns the number of new references.
   */
  reviewUnknownPayment(payment: UnknownPayment): Promise<number>
  /** Schedules queries about an order until the gateway responds. Returns false if too many orders are queued. */
  addUnknownOrder(order: UnknownOrder, at: Instant): Promise<boolean>
  /** Returns the orders for which a query is due. */
  unknownOrders(at: Instant, limit: number): Promise<readonly UnknownOrder[]>
  /** Schedules the next query after an inconclusive response. Queries stop after ten days. */
  postponeUnknownOrder(orderId: string, at: Instant): Promise<void>
  /** Ends the queries. `isUsed`: a delegate was sent to the gateway with the order, so a further attempt may exist. */
  closeUnknownOrder(orderId: string, isUsed: boolean, at: Instant): Promise<void>
  /** Returns the hashes of all referenced files. */
  referencedFiles(): Promise<readonly string[]>
}
