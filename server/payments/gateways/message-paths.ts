/** Defines the paths at which gateways' messages arrive. */
import type { GatewayKind } from '../../../engine/index.ts'

/** The return path for events that set none. */
export const DEFAULT_RETURN_PATH = '/api/payment/return/'
/** The path for webhooks without a signature. */
export const WEBHOOK_PATH = '/api/payment/webhook/'
/** The path to which a browser returns from a gateway that uses a separate return URL for each order. */
export const ORDER_RETURN_PATH = '/api/payment/return-of/'
/** Returns the path for the signed webhooks of a gateway. */
export const getSignedWebhookPath = (kind: GatewayKind): string => `${WEBHOOK_PATH}${kind}/`

/** Returns the prefix for the ids of a gateway's webhook events, because different gateways may use the same id. */
export const getWebhookEventPrefix = (kind: GatewayKind): string => `${kind}:`
