/** The PostgreSQL functions of a new database: those that SQLite has built in, and one that counts attempts. */

/** Stored JSON may contain characters that jsonb refuses: U+0000 and unpaired surrogates. */
const AS_JSONB = String.raw`CREATE FUNCTION as_jsonb(text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace($1, '(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\1', 'g')::jsonb $$`

/** Counts attempts on all servers, one at a time. Returns how long to wait, or 0 if the attempt was counted. */
const takeTry = `CREATE FUNCTION take_try(wanted text, at bigint, span bigint, most integer, always boolean) RETURNS bigint
LANGUAGE plpgsql AS $body$
DECLARE recent bigint[];
BEGIN
  -- Nothing waits for the disk: a crash loses what was counted in the last second.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO tries (key, times, until) VALUES (wanted, '{}', at + span) ON CONFLICT (key) DO NOTHING;
  SELECT ARRAY(SELECT one FROM unnest(times) AS one WHERE one > at - span ORDER BY one) INTO recent
    FROM tries WHERE key = wanted FOR UPDATE;
  recent := coalesce(recent, '{}');
  IF cardinality(recent) >= most THEN
    IF NOT always THEN RETURN recent[cardinality(recent) - most + 1] + span - at; END IF;
    recent := recent[cardinality(recent) - most + 2:];
  END IF;
  UPDATE tries SET times = recent || at, until = at + span WHERE key = wanted;
  RETURN 0;
END $body$`

export const functions: readonly string[] = [
  AS_JSONB,
  // Used by the trigger `places_recounted`.
  `CREATE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$`,
  `CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT strpos($1, $2) $$`,
  // Returns a number as text, and booleans as 1 and 0.
  `CREATE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE jsonb_typeof(found) WHEN 'boolean' THEN CASE WHEN found::boolean THEN '1' ELSE '0' END ELSE found #>> '{}' END
   FROM jsonb_path_query_first(as_jsonb($1), $2::jsonpath) AS found $$`,
  `CREATE FUNCTION json_array_length(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE jsonb_typeof(found) WHEN 'array' THEN jsonb_array_length(found) ELSE 0 END
   FROM jsonb_path_query_first(as_jsonb($1), ('strict ' || $2)::jsonpath, '{}', true) AS found $$`,
  // Returns the elements of an array or an object, each with its index or name and its type.
  `CREATE FUNCTION json_each(text, text DEFAULT '$') RETURNS TABLE (key text, value text, type text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS
$$ WITH found AS MATERIALIZED (
     SELECT jsonb_path_query_first(as_jsonb($1), ('strict ' || $2)::jsonpath, '{}', true) AS one)
   SELECT each.key,
     CASE jsonb_typeof(each.value) WHEN 'boolean' THEN CASE WHEN each.value::boolean THEN '1' ELSE '0' END ELSE each.value #>> '{}' END,
     CASE jsonb_typeof(each.value) WHEN 'boolean' THEN each.value::text WHEN 'string' THEN 'text'
       WHEN 'number' THEN CASE WHEN each.value::text LIKE '%.%' THEN 'real' ELSE 'integer' END ELSE jsonb_typeof(each.value) END
   FROM found, LATERAL (
     SELECT (place - 1)::text AS key, element AS value
       FROM jsonb_array_elements(CASE jsonb_typeof(one) WHEN 'array' THEN one ELSE '[]' END) WITH ORDINALITY AS listed (element, place)
     UNION ALL SELECT pair.key, pair.value FROM jsonb_each(CASE jsonb_typeof(one) WHEN 'object' THEN one ELSE '{}' END) AS pair
     UNION ALL SELECT NULL, one WHERE jsonb_typeof(one) NOT IN ('array', 'object')
   ) AS each $$`,
  takeTry,
]
