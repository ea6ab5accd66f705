/** Stores what gateways send, as it came. */
import type { Kysely } from 'kysely'
import { assert } from '../../../engine/index.ts'
import type { Instant, OrderId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { StoredBytes } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { NewGatewayMessage, StoredGatewayMessage } from '../index.ts'

type NewMessage = {
  gateway: string
  kind: string
  orderId: OrderId | null
  body: StoredBytes
  contentType: string
  at: Instant
}
const insertMessage = (builder: Kysely<Tables>, message: NewMessage) =>
  builder.insertInto('gateway_notices').values({
    gateway: message.gateway,
    kind: message.kind,
    order_id: message.orderId,
    body: message.body,
    content_type: message.contentType,
    at: message.at,
  })
const addMessage = statement(insertMessage)
const addMessageForId = statement((builder, message: NewMessage) =>
  insertMessage(builder, message).returning('id'),
)
/** Returns the message's id. */
export async function recordNotice(sql: Sql, notice: NewGatewayMessage): Promise<number> {
  const added = await addMessageForId.get(
    sql,
    messageValues(sql, notice.orderId as OrderId | null, notice),
  )
  assert(added !== undefined, 'a gateway message was not stored')
  return added.id
}

export function storeMessage(
  sql: Sql,
  orderId: OrderId,
  message: Omit<StoredGatewayMessage, 'id'>,
): void {
  addMessage.run(sql, messageValues(sql, orderId, message))
}

const messageValues = (
  sql: Sql,
  orderId: OrderId | null,
  message: Omit<StoredGatewayMessage, 'id'>,
): NewMessage => ({
  gateway: message.gateway,
  kind: message.kind,
  orderId,
  body: sql.dialect.storedBytes(message.body),
  contentType: message.contentType,
  at: message.at,
})
