/** The gateway account whose settlements hold the money of an event. */
import type { EventConfig } from '../../../engine/index.ts'
import type { SettlementAccount } from '../../storage/index.ts'

/** Null: no money comes through a gateway for it. */
export function settlementAccount({ payment }: EventConfig): SettlementAccount | null {
  return payment === null ? null : { source: payment.gateway.name, account: payment.account }
}
