/** Reports gateways whose webhooks do not arrive. */
import { formatInstant, GATEWAY_CAPABILITIES } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { getWebhookEventPrefix } from './gateways/message-paths.ts'
import { GATEWAY_KINDS, getGatewayDefinition } from './gateways/registry.ts'

/** Returns a sentence for each gateway that signs webhooks and has confirmed payments without sending a webhook. */
export async function listMissingWebhooks(
  { gateway, store }: Pick<Deps, 'gateway' | 'store'>,
  at: Instant,
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const kind of GATEWAY_KINDS) {
    if (getGatewayDefinition(kind).signedWebhook === undefined) continue
    const lastWebhookAt = await store.lastWebhookAt(getWebhookEventPrefix(kind))
    const missingWebhooks = gateway.countConfirmedWithoutWebhook(kind, lastWebhookAt, at)
    const { label } = GATEWAY_CAPABILITIES[kind]
    if (missingWebhooks !== null)
      sentences.push(
        `${label} confirmed ${missingWebhooks.payments} payments since ${formatInstant(missingWebhooks.since)} but sent no webhook. Check the address, the secret and the state of the webhook in ${label}'s dashboard.`,
      )
  }
  return sentences
}
