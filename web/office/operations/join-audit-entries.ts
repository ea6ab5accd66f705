/** Joins the audit-log entries of one action on several events. */
import type { WireActivity } from '../../../engine/api.ts'

/**
 * An action on several events has an entry for each of them, so that the owners of each event see it. The page shows
 * one entry with all their titles.
 */
export function joinEvents(rows: readonly WireActivity[]): readonly WireActivity[] {
  const joined: { readonly entry: WireActivity; readonly eventIds: readonly (string | null)[] }[] =
    []
  for (const row of rows) {
    const last = joined.at(-1)
    const isSame =
      last !== undefined &&
      row.event_id !== null &&
      !last.eventIds.some((id) => id === null || id === row.event_id) &&
      row.reg_no === null &&
      last.entry.reg_no === null &&
      (['at', 'who', 'what'] as const).every((name) => row[name] === last.entry[name])
    if (!isSame) joined.push({ entry: row, eventIds: [row.event_id] })
    else
      joined.splice(-1, 1, {
        entry: { ...last.entry, event: `${row.event}, ${last.entry.event}` },
        eventIds: [...last.eventIds, row.event_id],
      })
  }
  return joined.map(({ entry }) => entry)
}
