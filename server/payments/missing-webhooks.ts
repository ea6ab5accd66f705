/** Reports gateways whose webhooks do not arrive. */
import { formatInstant, GATEWAY_CAPABILITIES } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { getWebhookEventPrefix } from './gateways/message-paths.ts'
import { GATEWAY_KINDS, getGatewayDefinition } from './gateways/registry.ts'

/** Returns a sentence for each gateway with signed webhooks that confirmed payments and sent none. */
export async function listMissingWebhooks(
  { gateway, store }: Pick<Deps, 'gateway' | 'store'>,
  at: Instant,
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const kind of GATEWAY_KINDS) {
    if (getGatewayDefinition(kind).signedWebhook === undefined) continue
    const lastWebhookAt = await store.lastWebhookAt(getWebhookEventPrefix(kind))
    const silence = gateway.countConfirmedWithoutWebhook(kind, lastWebhookAt, at)
    const { label } = GATEWAY_CAPABILITIES[kind]
    if (silence !== null)
      sentences.push(
        `${silence.payments} payments through ${label} since ${formatInstant(silence.since)}, and no webhook. Check the address, the secret and the state of the webhook in ${label}'s dashboard.`,
      )
  }
  return sentences
}
