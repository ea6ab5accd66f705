/** Combines the adapters of all gateways into one, which chooses by the gateway of the event. */
import { DEFAULT_GATEWAY, err, gatewayAccounts, kindOfGateway, ok } from '../../../engine/index.ts'
import type { EventConfig, GatewayKind } from '../../../engine/index.ts'
import type { GatewayAdapter, Gateways, SentMessage } from '../../dependencies.ts'

export function combineGateways(adapters: Readonly<Record<GatewayKind, GatewayAdapter>>): Gateways {
  const entries = Object.entries(adapters) as [GatewayKind, GatewayAdapter][]
  const adapterOf = ({ payment }: EventConfig): GatewayAdapter =>
    adapters[payment === null ? DEFAULT_GATEWAY : kindOfGateway(payment.gateway)]
  return {
    handOff: (event, ...rest) => adapterOf(event).handOff(event, ...rest),
    createCheckout: async (event, order, form, ...rest) =>
      (await adapterOf(event).createCheckout?.(event, order, form, ...rest)) ?? ok(form),
    readNotice: (body) => {
      const messages = entries.flatMap(([sender, { readNotice }]): SentMessage[] =>
        readNotice === undefined ? [] : [{ sender, parsed: readNotice(body) }],
      )
      const named = ({ parsed }: SentMessage): boolean =>
        parsed.ok || parsed.error.code === 'unknown_order'
      return messages.find(({ parsed }) => parsed.ok) ?? messages.find(named) ?? UNREADABLE
    },
    readReturn: async (event, orderId, body) => {
      const messages: SentMessage[] = []
      for (const [sender, { readReturn }] of entries)
        if (readReturn !== undefined)
          messages.push({ sender, parsed: await readReturn(event, orderId, body) })
      const kinds = gatewayAccounts(event).map(({ gateway }) => kindOfGateway(gateway))
      const isOfEvent = ({ sender }: SentMessage): boolean =>
        sender !== null && kinds.includes(sender)
      return (
        messages.find(({ parsed }) => parsed.ok && parsed.value.hash === 'right') ??
        messages.find(({ parsed }) => parsed.ok && parsed.value.claimsMoney) ??
        messages.find(isOfEvent) ??
        messages[0] ??
        UNREADABLE
      )
    },
    readWebhook: async (sender, webhook) =>
      (await adapters[sender].readWebhook?.(webhook)) ?? { is: 'unsigned' },
    confirmedWithoutWebhook: (sender, ...rest) =>
      adapters[sender].confirmedWithoutWebhook?.(...rest) ?? null,
    merchantOf: (event) => adapterOf(event).merchantOf(event),
    status: (event, ...rest) => adapterOf(event).status(event, ...rest),
    refund: (event, ...rest) => adapterOf(event).refund(event, ...rest),
    dispute: async (event, ...rest) =>
      (await adapterOf(event).dispute?.(event, ...rest)) ?? err('the gateway has no disputes'),
    origins: () => [...new Set(entries.flatMap(([, adapter]) => adapter.origins()))],
  }
}

const UNREADABLE: SentMessage = { sender: null, parsed: err({ code: 'malformed', orderId: null }) }
