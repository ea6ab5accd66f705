/** Declares the tables for payments, refunds, documents and bank statements. */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type {
  Day,
  DocumentKind,
  Instant,
  LastResponse,
  OrderId,
  Amount,
  Currency,
  PaymentStatus,
  SettlementLine,
} from '../../../../engine/index.ts'
import type { StoredDispute } from '../../reconciliation/dispute-types.ts'

/** Text from a gateway. PostgreSQL stores its bytes, because its text type cannot hold the character 0. */
export type StoredBytes = string | Uint8Array
export type CaptureState = 'fits' | 'review' | 'accepted' | 'refused' | 'unmatched'
export type RefundState = 'wanted' | 'asked' | 'done' | 'refused' | 'unsure'

export type MoneyTables = {
  bank_references: {
    key: string
    capture_id: number
  }
  bill_lines: {
    registration_id: number
    bill: number
    line: number
    item: string
    option: string | null
    label: string
    quantity: number
    unit: Amount
    base: Amount
    gst: Amount
    total: Amount
    rate: string | null
    parts: string | null
  }
  captures: {
    id: Generated<number>
    payment_id: number | null
    registration_id: number | null
    source: string
    account: string
    reference: string
    amount: Amount
    currency: string
    kind: 'sale' | 'other' | 'test'
    paid_at: Instant
    seen_at: Instant
    state: CaptureState
    why: string | null
    counts_for: number | null
    found_for: string | null
    unknown_order: string | null
    payer: string | null
    counted: number | null
  }
  decisions: {
    id: Generated<number>
    registration_id: number | null
    capture_id: number | null
    what: string
    why: string
    who: string
    second_person: string | null
    at: Instant
    about: string | null
    amount: Amount | null
  }
  document_series: {
    account: string
    year: string
    pattern: string
    last: number
  }
  documents: {
    id: Generated<number>
    registration_id: number
    payment_id: number
    kind: DocumentKind
    account: string
    year: string
    serial: string
    body: string
    at: Instant
    credit_number: string | null
    bill: number | null
  }
  dues: {
    id: Generated<number>
    registration_id: number
    at: Instant
    what: string
    amount: Amount
    payment_id: number | null
  }
  event_issuers: {
    event_id: string
    issuer: string
  }
  gateway_notices: {
    id: Generated<number>
    gateway: string
    kind: string
    order_id: OrderId | null
    body: ColumnType<string, StoredBytes>
    content_type: string
    at: Instant
  }
  payment_facts: {
    id: Generated<number>
    payment_id: number
    type: string
    body: string
    refusal: string | null
    at: Instant
  }
  payments: {
    id: Generated<number>
    registration_id: number
    order_id: OrderId
    attempt: number
    gateway: string | null
    amount: Amount
    status: PaymentStatus
    reference: string | null
    refund_reference: string | null
    reason: string | null
    review: string | null
    created_at: Instant
    status_at: Instant
    paid_at: Instant | null
    asks: Generated<number>
    asked_at: Instant | null
    next_ask_at: Instant | null
    account: string | null
    merchant_id: string | null
    watch_until: Instant | null
    hold_until: Instant | null
    handed_off_at: Instant | null
    period: string | null
    base: Amount | null
    gst: Amount | null
    last_answer: LastResponse | null
    claimed_at: Instant | null
    bill: number | null
    asks_for: Generated<'whole' | 'difference'>
    way: string | null
    asking_until: Instant | null
    /** If the payment is for a difference, the registration's price when the difference was requested. */
    bill_total: Amount | null
  }
  recovery_payments: {
    recovery_id: number
    payment_id: number
  }
  refunds: {
    id: Generated<number>
    capture_id: number
    amount: Amount
    state: RefundState
    reference: string | null
    why: string
    who: string
    at: Instant
    asked_at: Instant | null
    said: string | null
    done_at: Instant | null
  }
  revenue: {
    event_id: string
    day: Day
    currency: Generated<Currency>
    amount: Amount
  }
  settlement_lines: {
    id: Generated<number>
    settlement_id: number
    source: string
    account: string
    key: string
    line: number
    kind: SettlementLine['is']
    order_id: string
    reference: string
    amount: Amount
    fee: Amount
    tax: Amount
    net: Amount
    day: Day | null
    utr: string
    paid_on: Day | null
    nth: number
    utr_key: Generated<string>
  }
  settlement_line_decisions: {
    id: Generated<number>
    settlement_line_id: number
    why: string | null
    who: string
    at: Instant
  }
  bank_statements: {
    id: Generated<number>
    sha256: string
    currency: Currency
    events: string
    bank: string
    first_day: Day
    last_day: Day
    file: string
    matched: number
    open: number
    who: string
    at: Instant
  }
  bank_lines: {
    id: Generated<number>
    key: string
    day: Day
    narration: string
    reference: string
    amount: Amount
    withdrawn: 0 | 1
  }
  bank_statement_lines: {
    statement_id: number
    line: number
    bank_line_id: number
  }
  bank_line_payments: {
    capture_id: number
    bank_line_id: number
  }
  bank_line_decisions: {
    id: Generated<number>
    bank_line_id: number
    decision: 'assigned' | 'review' | 'not_ours' | 'undone'
    parts: string
    who: string
    at: Instant
  }
  settlements: {
    id: Generated<number>
    source: string
    account: string
    event_id: string
    sha256: string
    who: string
    at: Instant
  }
  tellings: {
    id: Generated<number>
    registration_id: number
    at: Instant
    way: string
    reference: string
    folded: string
    paid_on: Day | null
    answers: string
    ended_at: Instant | null
    ended_as: 'found' | 'not_found' | 'again' | null
    event_id: Generated<string>
  }
  checkouts: {
    checkout_id: string
    order_id: OrderId
    amount: Amount
    currency: Currency
    at: Instant
  }
  exchange_rates: {
    event_id: string
    currency: Currency
    day: Day
    rate: string
    source: string
    who: string
    at: Instant
  }
  waiting_invoices: {
    registration_id: number
    event_id: string
    currency: Currency
    day: Day
  }
  disputes: {
    dispute_id: string
    registration_id: number
    order_id: OrderId
    reference: string
    amount: Amount
    deducted: Amount
    currency: Currency
    reason: string
    phase: string
    status: StoredDispute['status']
    respond_by: Instant | null
    noted_at: Instant
    asked_at: Instant
    status_at: Instant
    next_ask_at: Instant | null
  }
  month_closings: {
    id: Generated<number>
    event_id: string
    /** YYYY-MM. */
    month: string
    who: string
    at: Instant
    figures: string
  }
  webhook_events: {
    event_id: string
    at: Instant
  }
  unknown_orders: {
    order_id: OrderId
    event_id: string
    at: Instant
    next_ask_at: Instant
    asks: number
    is_claimed: 0 | 1
  }
}

/** A row about a received payment. */
export type CaptureRow = Selectable<MoneyTables['captures']>
