/**
 * Mistakes of the second set that the checker lets pass, each with what would tell. The test asserts
 * exactly these names, so that the list can only shrink: what is found must leave it, what is new fails.
 */
export const notFoundYet: Readonly<Record<string, string>> = {
  'the CSV is saved under last year’s name':
    'two events save one file name; only lists of one event are compared',
  'the early bird in the panel is last year’s':
    'EV604 is allowed for this file as a whole, so another wrong day hides behind the accepted one',
  'an ending forgotten, promise too': 'jpg without jpeg: two endings of one kind of file',
  'success and failed exchanged, promises too':
    'the address of the success page says failed, and the other way round',
  'failed says Paid': 'a fixed text on the failed page says Paid',
  'titles of the two pages exchanged': 'the title of the success page says Failed',
}

/** Findable mistakes that are found, but at none of the lines an author would look at: never more than these. */
export const astrayAtMost = 15
