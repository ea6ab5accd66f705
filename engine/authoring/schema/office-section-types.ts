/** Types of the event file's sections for existing registrations: approval, cancellation, invoices, self-service, retention. */
import type { Condition } from './condition-types.ts'
import type { Text } from './shared-file-types.ts'

export type InvoiceKeys = {
  readonly supplier: string
  readonly address: string
  readonly gstin: string
  readonly sac: string | number
  readonly place_of_supply: string
  readonly number: string
  readonly credit_number?: string
  readonly declaration?: string
  readonly buyer?: {
    readonly name?: string
    readonly gstin?: string
    readonly address?: string
    readonly state?: string
  }
}
export type ApprovalRule = {
  readonly id: string
  readonly when?: Condition
  readonly documents: readonly string[]
  readonly decide_within: string
  readonly pay_within: string
  readonly if_refused?: { readonly offer?: string; readonly message?: Text }
}
export type CancellationStep = {
  readonly until?: string
  readonly refund?: string
  readonly otherwise?: string
  readonly without_tax?: boolean
  readonly charge?: RefundCharge
}
/** An amount in the event's currency, or one amount per currency. */
export type RefundCharge = number | { readonly [currency: string]: number }
export type CancellationKeys = {
  readonly without_tax?: boolean
  readonly charge?: RefundCharge
  readonly steps: readonly CancellationStep[]
}
export type EditKeys = { readonly until: string; readonly fields: readonly string[] }
/** "3 years", "6 months", "30 days" after the event's last day. */
export type RetentionKeys = { readonly answers?: string; readonly files?: string }
