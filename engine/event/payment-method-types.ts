/** The payment methods of a compiled event file: card gateway, transfer, front desk. */
import type { Field } from './form-types.ts'
import type { Day } from '../lib/time.ts'

type Named = {
  readonly id: string
  readonly label: string
  /** The last day on which one may begin to pay so; absent: no other than registration's. */
  readonly until?: Day
}
/** Through the card gateway that the event names. */
export type CardWay = Named & { readonly is: 'card' }
/** The delegate pays by themselves and tells us; a person finds it at the bank. */
export type TransferWay = Named & {
  readonly is: 'transfer'
  /** Where to pay, as the organisers write it. */
  readonly tell: string
  readonly asks: readonly Field[]
  /** Of the asks: the bank's reference, by which a payment is known and which counts once. */
  readonly reference: string
  /** Of the asks: the day on which it was paid; absent: none is asked. */
  readonly day?: string
  /** Whose day decides the price. */
  readonly priceOn: 'registered' | 'credited'
  /** For so many days after that of registering it waits to be told of. */
  readonly lapsesAfterDays: number
}
/** Money that the office takes in its hands. */
export type DeskWay = Named & {
  readonly is: 'desk'
  readonly asks: readonly Field[]
  /** Of the asks: the number of the slip; absent: none is asked. */
  readonly reference?: string
}
export type PayWay = CardWay | TransferWay | DeskWay
