/**
 * API types for saved bank statements.
 *
 * Amounts are in major units of the currency of the statement; an absent `currency` (ISO 4217 code) is INR.
 */
import type { ProposalBasis } from '../payments/statement-payer-proposals.ts'

/**
 * POST /admin/statements/ with a bank statement as text/csv or Excel. Saves the statement but records no payment.
 * Uploading the same file again returns the same statement. `header`: the columns were not recognised; send it again
 * with date, narration, credit (from 0) in the query.
 */
export type StatementUploadResponse =
  | { status: 'success'; header: null; id: number; is_new: boolean }
  | { status: 'success'; header: string[] }

/** GET /admin/statements/?before=ID, newest first. */
export type StatementsResponse = {
  status: 'success'
  statements: WireStatementSummary[]
  /** The `before` parameter for the next page. Null on the last page. */
  before: number | null
}
export type WireStatementSummary = {
  id: number
  /** '' if the file does not state it. */
  bank: string
  currency?: string
  from: string
  to: string
  matched: number
  open: number
  who: string
  at: string
}

/** GET /admin/statements/{id}/?since=STAMP. */
export type StatementResponse =
  /** No new decisions since the stamp. */
  | { status: 'success'; unchanged: true }
  | {
      status: 'success'
      unchanged: false
      /** The client sends it as `since` of the next request. */
      stamp: number
      statement: WireStatementSummary
      lines: WireStatementLine[]
      /** Withdrawals whose text refers to a payment that the bank may have returned. */
      returned: WireReturnedLine[]
      /** The number of withdrawals in the file, including those in `returned`. */
      withdrawals: number
      totals: WireStatementTotals
      /** Payment claims that no line matches. */
      waiting: { reg_no: string; name: string; event: string; due: number; reference: string }[]
      unread: number[]
      repeated: { line: number; first: number }[]
    }
/** `other_event`: the line belongs to an event that the user cannot access. */
export type StatementLineState = 'left' | 'review' | 'not_ours' | 'other_event' | 'assigned'
export type WireStatementLine = {
  id: number
  /** Line number as in an editor. */
  line: number
  day: string
  narration: string
  reference: string
  amount: number
  /** The part that is neither recorded nor decided on. */
  left: number
  state: StatementLineState
  /** Whether the line identifies exactly one registration, whose balance equals the amount. */
  is_exact: boolean
  /** Why staff must check the line: it identifies a registration with a different balance, or several registrations. */
  why: string | null
  payments: {
    reg_no: string | null
    name: string
    event: string | null
    amount: number
    /** Whether the payment was refunded in full. */
    refunded: boolean
  }[]
  /**
   * `by_amount`: matched only by amount and date, so the line can be reopened. `utr`: the date of the payout if it
   * has no UTR.
   */
  payout: { utr: string; lines: number; net: number; by_amount: boolean } | null
  proposals: WireProposal[]
  /** The newest decision. The client sends its id with the next decision, so that two users do not both decide. */
  decision: { id: number; what: string; who: string; at: string } | null
}
export type WireProposal = {
  reg_no: string
  name: string
  event: string
  due: number
  basis: ProposalBasis
}
export type WireReturnedLine = {
  line: number
  day: string
  narration: string
  amount: number
  why: string
  of: string[]
}
/** `sum_in` is always the total of the other sums. A gateway payout counts as assigned. */
export type WireStatementTotals = Record<
  'sum_in' | StatementLineState,
  { lines: number; amount: number }
>

/**
 * POST /admin/statements/{id}/assign/ {lines: [{reg_no, line, amount, seen, difference?}]}: several items with the
 * same line split the line, and their amounts add up to the line's remaining amount. `difference`: why the payer may
 * pay less (tax deducted at source). POST /admin/statements/{id}/decide/ {decision: review | not_ours | undone,
 * choices: [{line, seen}]}. Each line is processed separately; `seen` is the id of the newest decision on the line
 * that the user saw, or null.
 */
export type StatementDecisionResponse = {
  status: 'success'
  message: string
  /** The ids of the lines. */
  done: number[]
  refused: { line: number; message: string }[]
}
/**
 * POST /admin/statements/{id}/remove/: removes a statement that has no recorded payment or decision; otherwise 409
 * `has_matches` with the reason.
 */
export type StatementRemovedResponse = { status: 'success'; message: string }
