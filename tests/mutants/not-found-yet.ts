/**
 * Mistakes of the second set that the checker does not find, each with the contradiction that would reveal it. The
 * test requires exactly these names: a mistake that the checker now finds must be removed, and another undetected one
 * fails.
 */
export const undetectedMistakes: Readonly<Record<string, string>> = {
  'the CSV is saved under last year’s name':
    'two events save files with one name; only lists of the same event are compared',
  'the early bird in the panel is last year’s':
    'EV604 is allowed for this file as a whole, so the accepted day hides another wrong one',
  'an extension forgotten, also in `promises`': 'jpg without jpeg: two extensions of one file type',
  'success and failed swapped, promises too':
    'the address of the success page says failed, and vice versa',
  'the failed page says Paid': 'a fixed text on the failed page says Paid',
  'titles of the two pages swapped': 'the title of the success page says Failed',
}

/** The maximum number of mistakes that are reported at a line where an author would not look. */
export const MISPLACED_MAX = 15
