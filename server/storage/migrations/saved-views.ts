/** Adds each user's list settings: added columns and named views. */
export const savedViews = `
CREATE TABLE admin_lists (
  admin_id INTEGER NOT NULL REFERENCES admins (id) ON DELETE CASCADE,
  -- The ids of an event and a list, separated by a slash.
  list TEXT NOT NULL,
  -- JSON: {columns, views}.
  kept TEXT NOT NULL,
  PRIMARY KEY (admin_id, list)
) STRICT, WITHOUT ROWID;
`
