/** Limits how many gateway messages are stored: their addresses accept messages from anybody. */
import type { Deps } from '../dependencies.ts'
import { openLimit } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'

/** A genuine message has some hundred bytes, most of it text from a bank. */
const GENUINE_BYTES_MAX = 8 * 1024
/** Bytes stored of a refused message: enough to see what it was. */
const REFUSED_BYTES_MAX = 1024
/** For all refused messages together, from any sender: 86 MB a day at most. */
const REFUSED_KEPT: Allowance = { triesMax: 60, windowMs: 60_000 }
/**
 * Gateways repeat messages about an order, sometimes several an hour; somebody who knows the order id could do so
 * all day.
 */
const KEPT_PER_ORDER: Allowance = { triesMax: 60, windowMs: 60_000 }

/** A message as read; `orderId` as it was sent, null or "" if there is none. */
export type Message = {
  readonly kind: 'return' | 'notice'
  readonly orderId: string | null
  readonly body: string
  readonly contentType: string
}
export type Keeping = {
  /** Stores a message about a known payment. False: it could not be stored. */
  genuine(message: Message): Promise<boolean>
  /** Stores a message about nothing that we know, or in a format that the gateway does not use. */
  refused(message: Message): Promise<void>
}

/** Stores messages verbatim from their beginning; they are never edited. */
export function openKeeping(
  deps: Pick<Deps, 'store' | 'events' | 'clock' | 'log' | 'environment'>,
): Keeping {
  const ofRefused = openLimit(deps, REFUSED_KEPT)
  const ofOrder = openLimit(deps, KEPT_PER_ORDER)
  const keep = async (message: Message, bytesMax: number): Promise<boolean> => {
    const { kind, contentType } = message
    const orderId = message.orderId?.slice(0, ORDER_CHARACTERS_MAX) ?? null
    const event = orderId === null ? undefined : deps.events.byOrderId(orderId)?.config
    try {
      await deps.store.recordNotice({
        gateway: event?.payment?.gateway.name ?? 'unknown',
        kind,
        orderId: orderId === '' ? null : orderId,
        body: beginningOf(message.body, bytesMax),
        contentType: beginningOf(contentType, TYPE_BYTES_MAX),
        at: deps.clock(),
      })
      return true
    } catch (error) {
      deps.log.error({ kind, error: String(error) }, 'a message of the gateway could not be stored')
      return false
    }
  }
  /** Counts one more message and returns whether it is within the limit. */
  const takes = async (limit: typeof ofOrder, key: string): Promise<boolean> =>
    (await limit.take(key, deps.clock())) === 0
  return {
    genuine: async (message) =>
      !(await takes(ofOrder, message.orderId ?? '')) || keep(message, GENUINE_BYTES_MAX),
    refused: async (message) => {
      if (await takes(ofRefused, '')) await keep(message, REFUSED_BYTES_MAX)
    },
  }
}

/** Our order ids are never longer; what claims to be one may be. */
const ORDER_CHARACTERS_MAX = 64
const TYPE_BYTES_MAX = 100

function beginningOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= bytesMax ? text : bytes.toString('utf8', 0, bytesMax)
}
