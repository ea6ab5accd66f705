/** Combines the adapters of all gateways into one, which chooses by the event's gateway. */
import {
  assert,
  DEFAULT_GATEWAY,
  err,
  listEventsByAccount,
  getGatewayKind,
  ok,
} from '../../../engine/index.ts'
import type { EventConfig, GatewayKind } from '../../../engine/index.ts'
import type { GatewayAdapter, Gateways, AttributedMessage } from '../../dependencies.ts'

/** Combines the adapters. A gateway that no event uses may be left out. */
export function combineGateways(
  adapters: Readonly<Partial<Record<GatewayKind, GatewayAdapter>>>,
): Gateways {
  const entries = Object.entries(adapters) as [GatewayKind, GatewayAdapter][]
  const getKind = ({ payment }: EventConfig): GatewayKind =>
    payment === null ? DEFAULT_GATEWAY : getGatewayKind(payment.gateway)
  const getAdapter = (event: EventConfig): GatewayAdapter => {
    const adapter = adapters[getKind(event)]
    assert(adapter !== undefined, 'a payment through a gateway that was left out')
    return adapter
  }
  return {
    handOff: (event, ...args) => getAdapter(event).handOff(event, ...args),
    createCheckout: async (event, order, form, ...args) =>
      (await getAdapter(event).createCheckout?.(event, order, form, ...args)) ?? ok(form),
    readReturnOrWebhook: (body) => {
      const messages = entries.flatMap(([sender, { readReturnOrWebhook }]): AttributedMessage[] =>
        readReturnOrWebhook === undefined ? [] : [{ sender, parsed: readReturnOrWebhook(body) }],
      )
      const hasOrderId = ({ parsed }: AttributedMessage): boolean =>
        parsed.ok || parsed.error.code === 'unknown_order'
      return (
        messages.find(({ parsed }) => parsed.ok) ?? messages.find(hasOrderId) ?? UNREADABLE_MESSAGE
      )
    },
    readReturn: async (event, orderId, body) => {
      const messages: AttributedMessage[] = []
      for (const accountEvent of listEventsByAccount(event)) {
        const sender = getKind(accountEvent)
        const parsed = await adapters[sender]?.readReturn?.(accountEvent, orderId, body)
        if (parsed !== undefined) messages.push({ sender, parsed })
      }
      return (
        messages.find(({ parsed }) => parsed.ok && parsed.value.hash === 'right') ??
        messages.find(({ parsed }) => parsed.ok && parsed.value.claimsPayment) ??
        messages[0] ??
          // The event now uses another gateway.
          {
            sender: null,
            parsed: ok({ ...UNKNOWN_RETURN, orderId, claimsPayment: hasFields(body) }),
          }
      )
    },
    readWebhook: async (sender, webhook) =>
      (await adapters[sender]?.readWebhook?.(webhook)) ?? { is: 'unsigned' },
    countConfirmedWithoutWebhook: (sender, ...args) =>
      adapters[sender]?.countConfirmedWithoutWebhook?.(...args) ?? null,
    getMerchantId: (event) => getAdapter(event).getMerchantId(event),
    status: (event, ...args) => getAdapter(event).status(event, ...args),
    refund: (event, ...args) => getAdapter(event).refund(event, ...args),
    dispute: async (event, ...args) =>
      (await getAdapter(event).dispute?.(event, ...args)) ??
      err('this gateway does not support disputes'),
    origins: () => [...new Set(entries.flatMap(([, adapter]) => adapter.origins()))],
  }
}

const UNREADABLE_MESSAGE: AttributedMessage = {
  sender: null,
  parsed: err({ code: 'malformed', orderId: null }),
}
const UNKNOWN_RETURN = { amount: '', code: '', hash: 'unknown' } as const
const hasFields = (body: object): boolean => Object.keys(body).length > 0
