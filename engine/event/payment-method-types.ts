/** Types of the payment methods of a compiled event file: card gateway, transfer, front desk. */
import type { Field } from './form-types.ts'
import type { Currency } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'

type MethodLabels = {
  readonly id: string
  readonly label: string
  /** The last day on which a payment with this method can be started. Absent if it is the last day of registration. */
  readonly until?: Day
  /** The currencies of the bills that this method can pay. Defaults to all. */
  readonly currencies?: readonly Currency[]
}
/**
 * The protocols of card gateways, in lower case. Environment variables, folders and webhook URLs contain these names.
 */
export type GatewayKind = 'airpay' | 'razorpay'
/** Payment through the event's card gateway. `gateway` defaults to Airpay. */
export type CardMethod = MethodLabels & { readonly is: 'card'; readonly gateway?: GatewayKind }
/** The delegate pays outside Rollcall and reports the payment; staff find it in the bank account. */
export type TransferMethod = MethodLabels & {
  readonly is: 'transfer'
  /** Payment instructions, as written by the organisers. */
  readonly instructions: string
  readonly fields: readonly Field[]
  /** The field with the bank reference. A reference identifies a payment and counts only once. */
  readonly reference: string
  /** The field with the payment date. Absent if there is none. */
  readonly day?: string
  /** The date that determines the price. */
  readonly priceDate: 'registration' | 'credit'
  /** The number of days after registration within which the delegate can report the payment. */
  readonly expiresAfterDays: number
}
/** Payment taken by staff in person. */
export type OfficeMethod = MethodLabels & {
  readonly is: 'desk'
  readonly fields: readonly Field[]
  /** The field with the slip number. Absent if there is none. */
  readonly reference?: string
}
export type PaymentMethod = CardMethod | TransferMethod | OfficeMethod
