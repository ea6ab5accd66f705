/**
 * Tables that PostgreSQL alone has, because they are for what several servers share: by the version of the schema from
 * which on they are there.
 */
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
    // What is lost with it at a crash is how often somebody tried in the last minutes.
    'CREATE UNLOGGED TABLE tries (key text COLLATE "C" PRIMARY KEY, times bigint[] NOT NULL, until bigint NOT NULL)',
    'CREATE INDEX tries_until ON tries (until)',
  ],
}

/** What comes after that version, up to and with the other. */
export const onlyHereBetween = (after: number, upTo: number): readonly string[] =>
  Object.entries(ONLY_HERE).flatMap(([version, texts]) =>
    Number(version) > after && Number(version) <= upTo ? texts : [],
  )
