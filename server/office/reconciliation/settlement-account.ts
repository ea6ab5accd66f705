/** Returns the gateway account whose settlements hold an event's payments. */
import type { EventConfig } from '../../../engine/index.ts'
import type { SettlementAccount } from '../../storage/index.ts'

/** Null: the event takes no payments through a gateway. */
export function settlementAccount({ payment }: EventConfig): SettlementAccount | null {
  return payment === null ? null : { source: payment.gateway.name, account: payment.account }
}
