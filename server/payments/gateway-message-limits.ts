/** Limits how many gateway messages are stored: any client can send messages to the return and webhook URLs. */
import { listGatewayAccounts, getGatewayKind } from '../../engine/index.ts'
import type { EventConfig, GatewayKind } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { openLimit } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'

/** A genuine message has a few hundred bytes, most of it text from a bank. */
const MAX_GENUINE_BYTES = 8 * 1024
/** The number of bytes stored from a rejected message, which is enough to identify it. */
const MAX_REJECTED_BYTES = 1024
/** The limit for all rejected messages together, from any sender: at most 86 MB a day. */
const REJECTED_MESSAGES: Allowance = { maxAttempts: 60, windowMs: 60_000 }
/**
 * Gateways repeat messages about an order, sometimes several times an hour. Any client that knows the order id could
 * send messages all day.
 */
const MESSAGES_PER_ORDER: Allowance = { maxAttempts: 60, windowMs: 60_000 }

/** A parsed message. `orderId` is the order id sent, null or "" if there is none. */
export type Message = {
  readonly kind: 'return' | 'notice'
  readonly orderId: string | null
  readonly body: string
  readonly contentType: string
  /** The gateway that sent the message. Null if unknown. */
  readonly sender: GatewayKind | null
}
export type MessageStore = {
  /** Stores a message about a known payment. Returns false if it could not be stored. */
  storeGenuine(message: Message): Promise<boolean>
  /** Stores a message about an unknown order, or in a format that the gateway does not use. */
  storeRejected(message: Message): Promise<void>
}

/** Stores the beginning of each message verbatim; stored messages are never edited. */
export function openMessageStore(
  deps: Pick<Deps, 'store' | 'events' | 'clock' | 'log' | 'environment'>,
): MessageStore {
  const rejectedLimit = openLimit(deps, REJECTED_MESSAGES)
  const orderLimit = openLimit(deps, MESSAGES_PER_ORDER)
  const storeMessage = async (message: Message, maxBytes: number): Promise<boolean> => {
    const { kind, contentType } = message
    const orderId = message.orderId?.slice(0, MAX_ORDER_CHARACTERS) ?? null
    const event = orderId === null ? undefined : deps.events.findByOrderId(orderId)?.config
    try {
      await deps.store.recordGatewayMessage({
        gateway: event === undefined ? 'unknown' : getGatewayName(event, message.sender),
        kind,
        orderId: orderId === '' ? null : orderId,
        body: truncate(message.body, maxBytes),
        contentType: truncate(contentType, MAX_TYPE_BYTES),
        at: deps.clock(),
      })
      return true
    } catch (error) {
      deps.log.error({ kind, error: String(error) }, 'a gateway message could not be stored')
      return false
    }
  }
  /** Counts one more message. Returns true if it is within the limit. */
  const isWithinLimit = async (limit: typeof orderLimit, key: string): Promise<boolean> =>
    (await limit.take(key, deps.clock())) === 0
  return {
    storeGenuine: async (message) =>
      isEmpty(message) ||
      !(await isWithinLimit(orderLimit, message.orderId ?? '')) ||
      storeMessage(message, MAX_GENUINE_BYTES),
    storeRejected: async (message) => {
      if (isEmpty(message)) return
      if (await isWithinLimit(rejectedLimit, '')) await storeMessage(message, MAX_REJECTED_BYTES)
    },
  }
}

/** A plain link to a return URL, such as a gateway's "Cancel" link, carries no data to store. */
const isEmpty = ({ kind, body }: Message): boolean => kind === 'return' && body === ''

/** Our order ids are never longer, but an order id in a message may be. */
const MAX_ORDER_CHARACTERS = 64
const MAX_TYPE_BYTES = 100

function truncate(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text : bytes.toString('utf8', 0, maxBytes)
}

/** Returns the name that the gateways file gives to the gateway that sent a message. */
function getGatewayName(event: EventConfig, sender: GatewayKind | null): string {
  const gateways = listGatewayAccounts(event).map(({ gateway }) => gateway)
  return (
    (gateways.find((gateway) => getGatewayKind(gateway) === sender) ?? gateways[0])?.name ??
    'unknown'
  )
}
