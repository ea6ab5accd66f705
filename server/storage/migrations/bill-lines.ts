/** Adds bill lines: the price of a registration as it was quoted, line by line. */
export const billLines = `
-- The bill number of a registration or payment attempt. Null if there is no bill (rows from older versions, imported
-- rows).
ALTER TABLE registrations ADD COLUMN bill INTEGER;
ALTER TABLE payments ADD COLUMN bill INTEGER;
-- A bill has the number of the attempt for which its price was computed. Further attempts at the same price use the
-- same bill.
CREATE TABLE bill_lines (
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  bill INTEGER NOT NULL,
  line INTEGER NOT NULL,
  -- 'registration', or the id of an item or adjustment.
  item TEXT NOT NULL,
  option TEXT,
  label TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  unit INTEGER NOT NULL,
  base INTEGER NOT NULL,
  gst INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (registration_id, bill, line),
  CHECK (base + gst = total)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER bill_lines_frozen BEFORE UPDATE ON bill_lines BEGIN SELECT RAISE(ABORT, 'a bill is frozen'); END;
`
