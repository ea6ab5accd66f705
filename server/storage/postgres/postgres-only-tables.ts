/**
 * Defines tables that only PostgreSQL has, for data shared by several servers.
 * Each is listed by the schema version that adds it.
 */
import { appendedCounters } from './appended-counters.ts'
import { commitKeysTable } from './commit-keys.ts'
import { SLOTS } from '../database/row-locks.ts'

/** Counts one try after the other, whichever servers they come to. Returns how long to wait; 0: it was counted. */
const takeTry = `CREATE OR REPLACE FUNCTION take_try(wanted text, at bigint, span bigint, most integer, always boolean) RETURNS bigint
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

export const ONLY_HERE: Readonly<Record<number, readonly string[]>> = {
  25: [
    `CREATE TABLE proof_files (sha256 text COLLATE "C" PRIMARY KEY, bytes bigint NOT NULL, kept_at bigint NOT NULL)`,
    `CREATE TABLE proof_pieces (
      sha256 text COLLATE "C" NOT NULL REFERENCES proof_files (sha256) ON DELETE CASCADE,
      place integer NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (sha256, place)
    )`,
    // Pictures and papers are packed already.
    'ALTER TABLE proof_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL',
    'CREATE TABLE tries (key text COLLATE "C" PRIMARY KEY, times bigint[] NOT NULL, until bigint NOT NULL)',
    'CREATE INDEX tries_until ON tries (until)',
  ],
  27: [takeTry],
  // Since when a file lies aside that no record refers to.
  40: ['ALTER TABLE proof_files ADD COLUMN aside_at bigint'],
  48: [
    'DROP TABLE IF EXISTS writer_turn',
    // What operations lock that has no row of its own: a subject, and slots for unique answers.
    'CREATE TABLE row_locks (kind text COLLATE "C" NOT NULL, slot integer NOT NULL, PRIMARY KEY (kind, slot))',
    `INSERT INTO row_locks SELECT kind, 0 FROM unnest(ARRAY['recovery', 'settlements', 'staff', 'versions']) AS kind`,
    `INSERT INTO row_locks SELECT kind, slot FROM unnest(ARRAY['answer', 'person']) AS kind, generate_series(0, ${SLOTS - 1}) AS slot`,
    ...appendedCounters,
    // Each check of this reference would lock the row that every seat of its kind changes.
    'ALTER TABLE places_taken DROP CONSTRAINT places_taken_place_id_fkey',
    // The words of each row are added with it.
    'UPDATE search_progress SET last_id = 9007199254740991',
  ],
  49: [commitKeysTable],
  // It was unlogged: standbys do not have such a table, and distributed engines do not know it.
  50: [
    `DO $body$ BEGIN
      IF (SELECT relpersistence = 'u' FROM pg_class WHERE oid = 'tries'::regclass) THEN ALTER TABLE tries SET LOGGED; END IF;
    END $body$`,
    takeTry,
  ],
}

/** Returns the tables added after that version, up to and including the other. */
export const onlyHereBetween = (after: number, upTo: number): readonly string[] =>
  Object.entries(ONLY_HERE).flatMap(([version, texts]) =>
    Number(version) > after && Number(version) <= upTo ? texts : [],
  )
