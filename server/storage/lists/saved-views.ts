/** Stores each user's list settings. */
import type { MyList } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

const viewsOfUser = statement((builder, { adminId }: { adminId: number }) =>
  builder.selectFrom('admin_lists').select(['list', 'kept']).where('admin_id', '=', adminId),
)
const insertView = statement(
  (builder, { adminId, list, kept }: { adminId: number; list: string; kept: string }) =>
    builder
      .insertInto('admin_lists')
      .values({ admin_id: adminId, list, kept })
      .onConflict((conflict) =>
        conflict
          .columns(['admin_id', 'list'])
          .doUpdateSet((eb) => ({ kept: eb.ref('excluded.kept') })),
      ),
)

/** Returns the settings by list: event id and list id, separated by a slash. */
export async function readMyLists(
  sql: Sql,
  adminId: number,
): Promise<Readonly<Record<string, MyList>>> {
  const views = await viewsOfUser.all(sql, { adminId })
  return Object.fromEntries(views.map(({ list, kept }) => [list, JSON.parse(kept) as MyList]))
}

export function saveView(sql: Sql, adminId: number, list: string, view: MyList): void {
  insertView.run(sql, { adminId, list, kept: JSON.stringify(view) })
}
