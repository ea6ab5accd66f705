/** Builds the SQL for the triggers that prevent rows of a table from being changed or deleted. */
export const createAppendOnlyTrigger = (table: string): string => `
  CREATE TRIGGER ${table}_never_edited BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;
  CREATE TRIGGER ${table}_never_deleted BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`
