/** Registers all gateways. Only this file and the gateways' folders refer to a specific gateway. */
import type { GatewayKind } from '../../../engine/index.ts'
import { airpayDefinition } from './airpay/definition.ts'
import type { GatewayDefinition } from './gateway-definition.ts'
import { razorpayDefinition } from './razorpay/definition.ts'

export const GATEWAYS = {
  airpay: airpayDefinition,
  razorpay: razorpayDefinition,
} satisfies Readonly<Record<GatewayKind, GatewayDefinition>>

export const GATEWAY_KINDS = Object.keys(GATEWAYS) as readonly GatewayKind[]
export const getGatewayDefinition = (kind: GatewayKind): GatewayDefinition => GATEWAYS[kind]

/** The simulator of each gateway. */
export type Simulators = {
  readonly [Kind in GatewayKind]: ReturnType<(typeof GATEWAYS)[Kind]['openSimulator']>
}
