/** Adds the number of seats that a registration uses in each quota, for quotas that count people or tickets. */
export const seatQuantities = `
ALTER TABLE places_taken ADD COLUMN quantity INTEGER NOT NULL DEFAULT 1;
DROP TRIGGER places_counted;
DROP TRIGGER places_recounted;
DROP TRIGGER places_uncounted;
CREATE TRIGGER places_counted AFTER INSERT ON places_taken WHEN NEW.state <> 'free'
BEGIN UPDATE places SET taken = taken + NEW.quantity WHERE id = NEW.place_id; END;
CREATE TRIGGER places_recounted AFTER UPDATE OF state, quantity ON places_taken
WHEN iif(OLD.state = 'free', 0, OLD.quantity) <> iif(NEW.state = 'free', 0, NEW.quantity)
BEGIN UPDATE places SET taken = taken - iif(OLD.state = 'free', 0, OLD.quantity) + iif(NEW.state = 'free', 0, NEW.quantity)
WHERE id = NEW.place_id; END;
CREATE TRIGGER places_uncounted AFTER DELETE ON places_taken WHEN OLD.state <> 'free'
BEGIN UPDATE places SET taken = taken - OLD.quantity WHERE id = OLD.place_id; END;
`
