/** The addresses of our server at which gateways' messages arrive. */
import type { GatewayKind } from '../../../engine/index.ts'

/** Return path for events that set no path. */
export const DEFAULT_RETURN_PATH = '/api/payment/return/'
/** Where webhooks without a signature arrive. */
export const WEBHOOK_PATH = '/api/payment/webhook/'
/** Where a browser returns to after a checkout at a gateway that sends it back to an address per order. */
export const ORDER_RETURN_PATH = '/api/payment/return-of/'
/** Where the signed webhooks of a gateway arrive. */
export const getSignedWebhookPath = (kind: GatewayKind): string => `${WEBHOOK_PATH}${kind}/`

/** Events of different gateways may have the same id. */
export const getWebhookEventPrefix = (kind: GatewayKind): string => `${kind}:`
