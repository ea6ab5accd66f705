/**
 * Turns admins into users with roles, events, a second factor and sessions.
 * Existing admins keep full permissions.
 */
export const staffTables = `
ALTER TABLE admins ADD COLUMN role TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('viewer', 'desk', 'treasurer', 'owner'));
-- A JSON list of event ids; null: all events.
ALTER TABLE admins ADD COLUMN events TEXT;
-- Base32. Null if there is no second factor. totp_wanted is a secret that is being set up. It is not used until it is
-- confirmed.
ALTER TABLE admins ADD COLUMN totp_secret TEXT;
ALTER TABLE admins ADD COLUMN totp_wanted TEXT;
-- The latest 30-second step whose code was accepted, so that no code is accepted twice.
ALTER TABLE admins ADD COLUMN totp_step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE admins ADD COLUMN signed_in_at INTEGER;

CREATE TABLE recovery_codes (
  admin_id INTEGER NOT NULL REFERENCES admins (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (admin_id, code_hash)
) STRICT, WITHOUT ROWID;

-- A link with which a user can set a password once.
CREATE TABLE password_links (
  token_hash TEXT PRIMARY KEY,
  admin_id INTEGER NOT NULL REFERENCES admins (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX password_links_of ON password_links (admin_id);

-- Shown to users in the list of their sessions; '' if unknown.
ALTER TABLE sessions ADD COLUMN network TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN browser TEXT NOT NULL DEFAULT '';

CREATE TABLE office_settings (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  second_factor_required INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO office_settings (only) VALUES (1);

-- The key of a page view: user, page and hour. Null if the entry is not a page view. Further views in the same hour are
-- not stored.
ALTER TABLE audit_log ADD COLUMN look TEXT;
CREATE UNIQUE INDEX audit_log_looks ON audit_log (look) WHERE look IS NOT NULL;
-- Actions by users of the office. Most rows are about delegates and imports, which have separate lists.
CREATE INDEX audit_log_people ON audit_log (id, who) WHERE who NOT IN ('delegate', 'import');
`
