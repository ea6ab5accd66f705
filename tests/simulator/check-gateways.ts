/** Combines the invariants for gateway data: accounts, late authorisations, failed refunds and disputes. */
import { createAccountInvariants } from './check-accounts.ts'
import { createDisputeInvariants } from './check-disputes.ts'
import type { CheckContext, Violation } from './check-payments.ts'
import { createRazorpayInvariants } from './check-razorpay.ts'

export type GatewayInvariants = {
  /** Returns true if the refund with this reference records a lost dispute. */
  recordsLostDispute(reference: string | null): boolean
  afterWrite(): Promise<Violation | null>
  whenIdle(now: number): Promise<Violation | null>
}

export function createGatewayInvariants(context: CheckContext): GatewayInvariants {
  const { sql, serverSql, gateway } = context
  const accounts = createAccountInvariants(sql, gateway)
  const disputes = createDisputeInvariants(sql, serverSql, gateway)
  const razorpay = createRazorpayInvariants(sql, serverSql, gateway, context)
  return {
    recordsLostDispute: (reference) => disputes.find(reference) !== null,
    afterWrite: async () =>
      (await accounts.afterWrite()) ??
      (await razorpay.afterWrite()) ??
      (await disputes.afterWrite()),
    whenIdle: async (now) =>
      (await accounts.whenIdle()) ?? (await razorpay.whenIdle()) ?? (await disputes.whenIdle(now)),
  }
}
