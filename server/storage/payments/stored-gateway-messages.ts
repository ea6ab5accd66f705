/** Stores messages and responses from gateways verbatim. */
import type { Instant, OrderId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { StoredBytes } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import type { NewGatewayMessage, StoredGatewayMessage } from '../index.ts'

type NewMessage = {
  gateway: string
  kind: string
  orderId: OrderId | null
  body: StoredBytes
  contentType: string
  at: Instant
}
const addMessage = statement((builder, message: NewMessage) =>
  builder.insertInto('gateway_notices').values({
    gateway: message.gateway,
    kind: message.kind,
    order_id: message.orderId,
    body: message.body,
    content_type: message.contentType,
    at: message.at,
  }),
)
const MESSAGE_COLUMNS = [
  'id',
  'gateway',
  'kind',
  'body',
  'content_type as contentType',
  'at',
] as const
const messagesOfOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder
    .selectFrom('gateway_notices')
    .select(MESSAGE_COLUMNS)
    .where('order_id', '=', orderId)
    .orderBy('id'),
)
const messagesWithoutOrder = statement((builder) =>
  builder
    .selectFrom('gateway_notices')
    .select(MESSAGE_COLUMNS)
    .where('order_id', 'is', null)
    .orderBy('id'),
)

export function recordGatewayMessage(sql: Sql, gatewayMessage: NewGatewayMessage): void {
  storeMessage(sql, gatewayMessage.orderId as OrderId | null, gatewayMessage)
}

export function storeMessage(
  sql: Sql,
  orderId: OrderId | null,
  message: Omit<StoredGatewayMessage, 'id'>,
): void {
  addMessage.run(sql, {
    gateway: message.gateway,
    kind: message.kind,
    orderId,
    body: sql.dialect.storedBytes(message.body),
    contentType: message.contentType,
    at: message.at,
  })
}

/** Returns the messages about an order. Null `orderId`: the messages without an order id. */
export async function readGatewayMessages(
  sql: Sql,
  orderId: OrderId | null,
): Promise<readonly StoredGatewayMessage[]> {
  const messages =
    orderId === null
      ? await messagesWithoutOrder.all(sql)
      : await messagesOfOrder.all(sql, { orderId })
  return messages as readonly StoredGatewayMessage[]
}
