/** Translates the SQL of the simulator's invariants, which is written for SQLite, to PostgreSQL. */

const REWRITINGS: readonly (readonly [what: RegExp, by: string])[] = [
  [/json_extract\(body, '\$\.total'\)/g, "CAST(json_extract(body, '$.total') AS bigint)"],
  [/(\w+(?:\.\w+)?) ->> ('\$\.[\w.]+')/g, 'json_extract($1, $2)'],
]

/** Returns the statement with numbered parameters. */
export function inPostgres(text: string): string {
  const earlier = translated.get(text)
  if (earlier !== undefined) return earlier
  const translation = withNumbers(
    REWRITINGS.reduce((so, [what, by]) => so.replaceAll(what, by), text),
  )
  translated.set(text, translation)
  return translation
}
/** The invariants repeat a fixed set of statements after every write. */
const translated = new Map<string, string>()

/** `?` becomes `$1` and so on, but not in quotes. */
function withNumbers(text: string): string {
  let count = 0
  return text.replaceAll(/'(?:[^']|'')*'|"[^"]*"|\?/g, (found) => {
    if (found !== '?') return found
    count += 1
    return `$${count}`
  })
}

/** Functions of SQLite that the invariants use. A database of an older version has them. */
export const sqliteFunctions: readonly string[] = [
  `CREATE OR REPLACE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$`,
  `CREATE OR REPLACE FUNCTION iif(boolean, integer, boolean) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 THEN $2 ELSE $3::integer END $$`,
  `CREATE OR REPLACE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE greatest($1, $2) END $$`,
  `CREATE OR REPLACE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE least($1, $2) END $$`,
]
