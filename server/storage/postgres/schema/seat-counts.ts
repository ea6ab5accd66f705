/** The PostgreSQL triggers that count the taken seats in each quota. */

const functions = [
  `FUNCTION places_counted() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.state <> 'free' THEN
  UPDATE places SET taken = taken + NEW.quantity WHERE id = NEW.place_id;
  END IF;
  RETURN NEW;
END $body$`,
  `FUNCTION places_recounted() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF (CASE OLD.state WHEN 'free' THEN 0 ELSE OLD.quantity END) <> (CASE NEW.state WHEN 'free' THEN 0 ELSE NEW.quantity END) THEN
  UPDATE places SET taken = taken - (CASE OLD.state WHEN 'free' THEN 0 ELSE OLD.quantity END) + (CASE NEW.state WHEN 'free' THEN 0 ELSE NEW.quantity END)
  WHERE id = NEW.place_id;
  END IF;
  RETURN NEW;
END $body$`,
  `FUNCTION places_uncounted() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF OLD.state <> 'free' THEN
  UPDATE places SET taken = taken - OLD.quantity WHERE id = OLD.place_id;
  END IF;
  RETURN OLD;
END $body$`,
]
const recountTrigger =
  'CREATE TRIGGER places_recounted AFTER UPDATE OF state, quantity ON places_taken FOR EACH ROW EXECUTE FUNCTION places_recounted()'

export const seatCountTriggers: readonly string[] = [
  ...functions.map((text) => `CREATE ${text}`),
  'CREATE TRIGGER places_counted AFTER INSERT ON places_taken FOR EACH ROW EXECUTE FUNCTION places_counted()',
  recountTrigger,
  'CREATE TRIGGER places_uncounted AFTER DELETE ON places_taken FOR EACH ROW EXECUTE FUNCTION places_uncounted()',
]

/** The step that adds the number of seats. Before this step, a registration took one seat in each of its quotas. */
export const seatQuantities: readonly string[] = [
  'ALTER TABLE places_taken ADD COLUMN quantity bigint NOT NULL DEFAULT 1',
  ...functions.map((text) => `CREATE OR REPLACE ${text}`),
  'DROP TRIGGER places_recounted ON places_taken',
  recountTrigger,
]
