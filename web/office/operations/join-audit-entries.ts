/** Joins the audit-log entries of one action on several events. */
import type { WireAuditEntry } from '../../../engine/api.ts'

/** The maximum number of event titles listed. */
const MAX_TITLES = 3

function joinTitles(titles: readonly string[]): string {
  const otherCount = titles.length - MAX_TITLES
  return otherCount > 1
    ? `${titles.slice(0, MAX_TITLES).join(', ')} and ${otherCount} other events`
    : titles.join(', ')
}

/**
 * Joins the entries of an action on several events. The log has one entry for each event, so that the owners of each
 * event see it; the page shows one entry with the titles.
 */
export function mergeEventEntries(rows: readonly WireAuditEntry[]): readonly WireAuditEntry[] {
  const joinedEntries: {
    readonly entry: WireAuditEntry
    readonly titles: readonly string[]
    readonly eventIds: readonly (string | null)[]
  }[] = []
  for (const row of rows) {
    const lastEntry = joinedEntries.at(-1)
    const isSameAction =
      lastEntry !== undefined &&
      row.event_id !== null &&
      !lastEntry.eventIds.some((id) => id === null || id === row.event_id) &&
      row.reg_no === null &&
      lastEntry.entry.reg_no === null &&
      (['at', 'who', 'what'] as const).every((name) => row[name] === lastEntry.entry[name])
    if (!isSameAction)
      joinedEntries.push({ entry: row, titles: [row.event], eventIds: [row.event_id] })
    else
      joinedEntries.splice(-1, 1, {
        ...lastEntry,
        titles: [row.event, ...lastEntry.titles],
        eventIds: [...lastEntry.eventIds, row.event_id],
      })
  }
  return joinedEntries.map(({ entry, titles }) => ({ ...entry, event: joinTitles(titles) }))
}
