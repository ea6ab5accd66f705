/** Defines SQLite functions that PostgreSQL lacks, with the same names and results. */

/** JSON of ours may hold what jsonb refuses: the character that is none, and halves of letters. */
const AS_JSONB = String.raw`CREATE FUNCTION as_jsonb(text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace($1, '(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\1', 'g')::jsonb $$`

export const functions: readonly string[] = [
  AS_JSONB,
  `CREATE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$`,
  `CREATE FUNCTION iif(boolean, integer, boolean) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 THEN $2 ELSE $3::integer END $$`,
  `CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT strpos($1, $2) $$`,
  `CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE greatest($1, $2) END $$`,
  `CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE least($1, $2) END $$`,
  // As text, also a number; yes and no as 1 and 0.
  `CREATE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE jsonb_typeof(found) WHEN 'boolean' THEN CASE WHEN found::boolean THEN '1' ELSE '0' END ELSE found #>> '{}' END
   FROM jsonb_path_query_first(as_jsonb($1), $2::jsonpath) AS found $$`,
  `CREATE FUNCTION json_array_length(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE jsonb_typeof(found) WHEN 'array' THEN jsonb_array_length(found) ELSE 0 END
   FROM jsonb_path_query_first(as_jsonb($1), ('strict ' || $2)::jsonpath, '{}', true) AS found $$`,
  `CREATE FUNCTION json_remove(text, VARIADIC text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT as_jsonb($1) - ARRAY(SELECT substr(path, 3) FROM unnest($2) AS path) $$`,
  // What stands in a list or an object, each with its place or name and its kind.
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
]
