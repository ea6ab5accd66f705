/** Stores access links. Only their hashes are stored, because a link gives access to the registration. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { LinkSender, NewLink, StoredLink } from '../payments/payment-types.ts'

const saveLink = statement((builder, link: NewLink) =>
  builder
    .insertInto('links')
    .columns(['token_hash', 'registration_id', 'purpose', 'created_at', 'expires_at'])
    .expression(
      builder
        .selectFrom('registrations')
        .select(({ val }) => [
          val(link.tokenHash).as('token_hash'),
          'id as registration_id',
          val(link.purpose).as('purpose'),
          val(link.at).as('created_at'),
          val(link.expiresAt).as('expires_at'),
        ])
        .where('reg_no', '=', link.regNo),
    ),
)
const markLinkUsed = statement((builder, { tokenHash, at }: { tokenHash: string; at: Instant }) =>
  builder.updateTable('links').set({ used_at: at }).where('token_hash', '=', tokenHash),
)
const linkByHash = statement((builder, { tokenHash }: { tokenHash: string }) =>
  builder
    .selectFrom('links as l')
    .innerJoin('registrations as r', 'r.id', 'l.registration_id')
    .select(['r.reg_no as regNo', 'l.purpose', 'l.expires_at as expiresAt', 'l.used_at as usedAt'])
    .where('l.token_hash', '=', tokenHash),
)

export function addAccessLink(sql: Sql, link: NewLink): void {
  saveLink.run(sql, link)
}

export function recordLinkUse(sql: Sql, tokenHash: string, at: Instant): void {
  markLinkUsed.run(sql, { tokenHash, at })
}

/**
 * Returns true if the link was revoked or deleted after the request resolved it. Compares its expiry, not the time,
 * because the clock of the server that revoked the link may be ahead.
 */
export async function wasLinkRevoked(
  sql: Sql,
  { linkHash, expiresAt }: LinkSender,
): Promise<boolean> {
  return (await readLink(sql, linkHash))?.expiresAt !== expiresAt
}

/** Returns the link with this hash. Null if there is none. Also runs outside the writer's transaction. */
export async function readLink(sql: Sql, tokenHash: string): Promise<StoredLink | null> {
  return (await linkByHash.get(sql, { tokenHash })) ?? null
}
