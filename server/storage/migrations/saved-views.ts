/** How each person of the office has their lists: the columns they added, the views they named. */
export const myLists = `
CREATE TABLE admin_lists (
  admin_id INTEGER NOT NULL REFERENCES admins (id) ON DELETE CASCADE,
  -- An event's id and a list's, with a slash between them.
  list TEXT NOT NULL,
  -- JSON: {columns, views}.
  kept TEXT NOT NULL,
  PRIMARY KEY (admin_id, list)
) STRICT, WITHOUT ROWID;
`
