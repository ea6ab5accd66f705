/**
 * Maps paths to lists and exports.
 * The paths are in the event files. Several exports may share a path and differ in a query parameter
 * (`/admin/export/?event_type=…`).
 */
import type { AdminList, EventConfig } from '../../../engine/index.ts'
import type { ServedEvent } from '../../dependencies.ts'
import { stripSlash } from '../../http/event-route-table.ts'

export type OfficeCall = {
  readonly kind: 'list' | 'export'
  readonly event: EventConfig
  readonly list: AdminList
}
type Row = OfficeCall & { readonly query: readonly (readonly [string, string])[] }
/** Routes by path without trailing slash, each path once as written and once under /api. */
export type OfficeTable = ReadonlyMap<string, readonly Row[]>

/** Splits `/a/b/?x=1` into the path `/a/b` and its parameters. */
function parseAddress(api: string): { path: string; query: [string, string][] } {
  const [path = '', query = ''] = api.split('?')
  return { path: stripSlash(path), query: [...new URLSearchParams(query)] }
}

/** Returns the paths of a route in an event file: as written, and under /api. */
export const listRoutePaths = (api: string): readonly string[] => {
  const { path } = parseAddress(api)
  return path.startsWith('/api/') ? [path, path.slice(4)] : [path, `/api${path}`]
}

export function buildOfficeTable(events: readonly ServedEvent[]): OfficeTable {
  const table = new Map<string, Row[]>()
  for (const { config: event } of events) {
    for (const list of event.admin.lists) {
      for (const [kind, api] of [
        ['list', list.api],
        ['export', list.export.api],
      ] as const) {
        const { query } = parseAddress(api)
        for (const key of listRoutePaths(api))
          table.set(key, [...(table.get(key) ?? []), { kind: kind, event, list, query }])
      }
    }
  }
  return table
}

/**
 * Finds the route for a path with its parameters. Null if no list has these parameters, or if a parameter has two
 * values.
 */
export function findOfficeCall(
  table: OfficeTable,
  path: string,
  query: URLSearchParams,
): OfficeCall | null {
  return (
    (table.get(stripSlash(path)) ?? []).find((call) =>
      call.query.every(
        ([name, value]) => query.has(name) && query.getAll(name).every((param) => param === value),
      ),
    ) ?? null
  )
}
