/** Translates the migrations of SQLite to PostgreSQL. */

/** What says that a row is there already: PostgreSQL wants it named where the row is changed then. */
const KEYS: Readonly<Record<string, string>> = {
  activation: 'only',
  admin_lists: 'admin_id, list',
  clock_seen: 'only',
  counters: 'event_id, day, category, period, status',
  document_series: 'account, year, pattern',
  event_issuers: 'event_id',
  event_limits: 'event_id',
  pings: 'only',
  places: 'event_id, place',
  revenue: 'event_id, day',
  roll_rows: 'event_id, roll, key',
  event_files: 'hash',
  uploads: 'registration_id, field',
}

type Rewriting = readonly [what: RegExp, by: string]
const REWRITINGS: readonly Rewriting[] = [
  // `abs` of an unknown type is a double, and no index of whole numbers finds a double: the table would be scanned.
  [/\babs\((\?|:\w+)\)/g, 'CAST($1 AS bigint)'],
  // Ids are compared as numbers, and found by their index.
  [
    /\b((?:\w\.)?(?:id|registration_id)) IN \(SELECT value FROM json_each\(\?\)\)/g,
    "$1 = ANY (CAST(translate(?, '[]', '{}') AS bigint[]))",
  ],
  [
    /json_each\(\?\) k CROSS JOIN registrations r ON r\.id = k\.value/g,
    'json_each(?) k JOIN registrations r ON r.id = CAST(k.value AS bigint)',
  ],
  [/SELECT value FROM json_each\(\?\)/g, 'SELECT jsonb_array_elements_text(as_jsonb(?)) AS value'],
  [/SELECT o\.key FROM json_each\(\?\) o/g, 'SELECT CAST(o.key AS bigint) FROM json_each(?) o'],
  // The same, or both unknown.
  [/ IS NOT (\?|\()/g, ' IS DISTINCT FROM $1'],
  [/ IS \?/g, ' IS NOT DISTINCT FROM ?'],
  [/\? IS NULL/g, 'CAST(? AS bigint) IS NULL'],
  [/\(SELECT \?\)/g, '?'],
  // Beside a small number it would be one.
  [/(\?|:\w+) - (\d)/g, 'CAST($1 AS bigint) - $2'],
  // Letters alike.
  [/(\w+(?:\.\w+)?) = \? COLLATE NOCASE/g, 'lower($1) = lower(?)'],
  [/(\w+(?:\.\w+)?) COLLATE NOCASE/g, 'lower($1)'],
  // A number is no condition, and a condition no number.
  [/\b(AND|OR|WHEN|WHERE) ((?:r\.|OLD\.)?in_review)\b(?! =)/g, '$1 $2 = 1'],
  [/\(claimed_at IS NOT NULL\)/g, 'iif(claimed_at IS NOT NULL, 1, 0)'],
  [/json_extract\(((?:d\.)?body), '\$\.total'\)/g, "CAST(json_extract($1, '$.total') AS bigint)"],
  [/(\w+(?:\.\w+)?) ->> ('\$\.[\w.]+')/g, 'json_extract($1, $2)'],
  // What is not known stands first, and last where it is turned round.
  [/(ORDER BY r\.total|= r\.category\)) ASC/g, '$1 ASC NULLS FIRST'],
  [/(ORDER BY r\.total|= r\.category\)) DESC/g, '$1 DESC NULLS LAST'],
  [/CROSS JOIN registrations r ON/g, 'JOIN registrations r ON'],
  [/(INSERT INTO search_index \(rowid, words\)) VALUES \(\?, \?\)/g, '$1 VALUES (?, lower(?))'],
  [/(?<!")\bonly\b(?!")/g, '"only"'],
  // Names as they are written; without quotes they would be small letters.
  [/\bAS ([a-z]+[A-Z]\w*)/g, 'AS "$1"'],
]

/** Translates one statement; parameters stay unchanged. */
export function rewritten(text: string): string {
  const said = REWRITINGS.reduce((so, [what, by]) => so.replaceAll(what, by), text)
  const [, table = ''] = /INSERT INTO (\w+)/.exec(text) ?? []
  const [head, changes] = said.split(/\bON CONFLICT (?:\([^)]*\) )?DO UPDATE SET\b/)
  if (head === undefined || changes === undefined) return said
  const key = (KEYS[table] ?? '').replace(/^only$/, '"only"')
  // Beside the row that was to be added its column has two meanings.
  const own = changes
    .replaceAll(/(\w+) = \1 \+/g, `$1 = ${table}.$1 +`)
    .replaceAll(/(\w+) = max\(\1,/g, `$1 = max(${table}.$1,`)
    .replaceAll(/WHERE (\w+) <> excluded/g, `WHERE ${table}.$1 <> excluded`)
  return `${head}ON CONFLICT (${key}) DO UPDATE SET${own}`
}
