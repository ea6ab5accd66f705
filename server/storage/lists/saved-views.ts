/** Stores each user's list settings. */
import type { MyList } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

/** By list: event id and list id, separated by a slash. */
export async function myLists(
  sql: Sql,
  adminId: number,
): Promise<Readonly<Record<string, MyList>>> {
  return Object.fromEntries(
    (
      await sql<{ list: string; kept: string }>(
        'SELECT list, kept FROM admin_lists WHERE admin_id = ?',
      ).all(adminId)
    ).map(({ list, kept }) => [list, JSON.parse(kept) as MyList]),
  )
}

export function keepMyList(sql: Sql, adminId: number, list: string, kept: MyList): void {
  sql(
    'INSERT INTO admin_lists (admin_id, list, kept) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET kept = excluded.kept',
  ).run(adminId, list, JSON.stringify(kept))
}
