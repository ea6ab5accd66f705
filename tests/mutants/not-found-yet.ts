/**
 * Mistakes of the second set that the checker does not find, each with the contradiction that would reveal it. The
 * test requires exactly these names: it fails if the checker finds one of them, or misses another mistake.
 */
export const undetectedMistakes: Readonly<Record<string, string>> = {
  'the CSV is saved under last year’s name':
    'two events save files with one name; only lists of the same event are compared',
  'the early bird day in the panel is last year’s':
    'EV604 is allowed for the whole file, so the accepted day hides another wrong day',
  'a file extension is missing, also in `promises`':
    'jpg without jpeg: two extensions of one file type',
  'success and failed swapped, also in `promises`':
    'the address of the success page contains failed, and vice versa',
  'the failed page shows Paid': 'a fixed text on the failed page states Paid',
  'titles of the two pages swapped': 'the title of the success page states Failed',
}

/** The maximum number of mistakes that are reported at a line where an author would not look. */
export const MAX_MISPLACED = 15
