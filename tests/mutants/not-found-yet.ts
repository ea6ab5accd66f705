/**
 * Mistakes of the second set that the checker does not find, each with the contradiction that would reveal it. The
 * test requires exactly these names: it fails if the checker finds one of them, or misses another mistake.
 */
export const undetectedMistakes: Readonly<Record<string, string>> = {
  'the CSV is saved under last year’s name':
    'two events save files under the same name; only lists of the same event are compared',
  'the early bird day in the panel is last year’s':
    'EV604 is allowed for the whole file, so the accepted day hides another wrong day',
  'a file extension is missing, in `promises` too':
    'jpg without jpeg: two extensions for one file type',
  'success and failed swapped, in `promises` too':
    'the address of the success page contains failed, and vice versa',
  'the failed page shows Paid': 'a fixed text on the failed page says Paid',
  'titles of the two pages swapped': 'the title of the success page says Failed',
}

/** The maximum number of mistakes that are reported at a line where an author would not look. */
export const MAX_MISPLACED = 15
