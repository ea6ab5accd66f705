/** The second set's mistakes in dates and periods. */
import {
  afpicon,
  replaceAll,
  chirurgia,
  removeLine,
  swapLines,
  midzone,
  markUndetectable,
  replaceOne,
  pulmocon,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

export const dateMistakes: readonly Mistake[] = [
  afpicon(
    'the event’s days swapped',
    combineEdits(
      replaceOne('from: 2026-01-31', 'from: 2026-02-01'),
      replaceOne('  to: 2026-02-01', '  to: 2026-01-31'),
    ),
    'The page would have shown an end before the beginning.',
  ),
  afpicon(
    'day and month swapped',
    replaceOne('to: 2026-02-01', 'to: 2026-01-02'),
    'The page would have shown a conference that ends before it begins.',
  ),
  afpicon(
    'a date as written in the brochure',
    replaceOne('from: 2026-01-31', 'from: 31-01-2026'),
    'No page could have shown the date.',
  ),
  afpicon(
    'a date with slashes',
    replaceOne('to: 2025-08-31', 'to: 31/08/2025'),
    'The end of the first price would have been unclear.',
  ),
  afpicon(
    'a day that does not exist',
    replaceOne('to: 2025-08-31', 'to: 2025-08-32'),
    'The end of the first price would have been unclear.',
  ),
  afpicon(
    '31 September, which does not exist',
    replaceOne('from: 2025-09-01, to: 2025-12-31', 'from: 2025-09-31, to: 2025-12-31'),
    'September would not have had its own price.',
  ),
  afpicon(
    'the year of the January period is unchanged',
    replaceOne('from: 2026-01-01', 'from: 2025-01-01'),
    'The January price would have applied to the whole previous year.',
  ),
  afpicon(
    'a gap of a month',
    replaceOne('from: 2025-09-01', 'from: 2025-10-01'),
    'Delegates in September would have paid the wrong price.',
  ),
  afpicon(
    'the December period ends in January',
    replaceOne('to: 2025-12-31', 'to: 2026-01-31'),
    'Delegates would have paid the December price throughout January.',
  ),
  afpicon(
    'the overlap line deleted',
    removeLine('overlap: first'),
    'Two prices would have applied on 25 January.',
    'jan-25-jan-31',
  ),
  afpicon(
    'periods in the wrong order',
    swapLines('{id: july-1', '{id: sep-1'),
    'The price list would have been in reverse order.',
  ),
  afpicon(
    'the last two periods swapped',
    swapLines('{id: jan-1-', '{id: jan-25'),
    'The higher price would have been charged on 25 January.',
  ),
  afpicon(
    'from and to swapped in a period',
    replaceOne('from: 2025-07-01, to: 2025-08-31', 'from: 2025-08-31, to: 2025-07-01'),
    'The first price would never have applied.',
  ),
  afpicon(
    'a year with three digits',
    replaceOne('from: 2025-09-01', 'from: 205-09-01'),
    'The period would have begun 1,800 years ago.',
  ),
  afpicon(
    'other dates closed by mistake',
    replaceOne('other_dates: july-1-aug-31', 'other_dates: close'),
    'Late delegates would have been rejected or charged a random price.',
  ),
  afpicon(
    'other dates have the most expensive price',
    replaceOne('other_dates: july-1-aug-31', 'other_dates: jan-25-jan-31'),
    'Delegates in June would have paid double.',
  ),
  afpicon(
    'other dates missing',
    removeLine('other_dates:'),
    'The desk could not have registered anyone on the second day of the conference.',
    '  periods',
  ),
  chirurgia(
    'the early bird period is a month longer',
    replaceOne('to: 2025-11-30}', 'to: 2025-12-30}'),
    'Two prices would have applied in December.',
    'id: regular',
  ),
  chirurgia(
    'the early bird period ends a day early',
    replaceOne('to: 2025-11-30}', 'to: 2025-11-29}'),
    'Registration would have been closed on the last advertised day.',
    'id: regular',
  ),
  chirurgia(
    'both periods moved, but not the panel and the examples',
    combineEdits(
      replaceOne('to: 2025-11-30}', 'to: 2025-10-31}'),
      replaceOne('from: 2025-12-01}', 'from: 2025-11-01}'),
    ),
    'The page would have promised a discount that no longer exists.',
    '30 November 2025',
  ),
  chirurgia(
    'periods and examples moved, but not the panel',
    combineEdits(
      replaceOne('to: 2025-11-30}', 'to: 2025-10-31}'),
      replaceOne('from: 2025-12-01}', 'from: 2025-11-01}'),
      replaceAll('on: 2025-11-01', 'on: 2025-10-01'),
      replaceAll('on: 2025-11-30', 'on: 2025-10-31'),
      replaceAll('on: 2025-12-01', 'on: 2025-11-01'),
    ),
    'The page would have promised a discount that ended a month ago.',
    'Early bird discounts',
  ),
  chirurgia(
    'the regular period begins a year late',
    replaceOne('from: 2025-12-01}', 'from: 2026-12-01}'),
    'Registration would have been closed all winter.',
  ),
  chirurgia(
    'the end of the early bird period written as `from`',
    replaceOne('{id: early-bird, to: 2025-11-30}', '{id: early-bird, from: 2025-11-30}'),
    'The early bird period would have begun on the day on which it should end.',
  ),
  chirurgia(
    'conference dates a year early, in `promises` too',
    combineEdits(
      replaceOne('from: 2026-02-21', 'from: 2025-02-21'),
      replaceOne('to: 2026-02-22', 'to: 2025-02-22'),
      replaceOne('21–22 February 2026', '21–22 February 2025'),
    ),
    'Delegates would have seen a past conference.',
    'from: 2025-02-21',
    'to: 2025-02-22',
  ),
  chirurgia(
    'the panel’s year is wrong',
    replaceOne('30 November 2025', '30 November 2026'),
    'Delegates would have counted on a discount until the next year.',
  ),
  chirurgia(
    'the panel’s month is wrong',
    replaceOne('30 November 2025', '30 October 2025'),
    'Delegates would have believed that the discount ends a month earlier.',
  ),
  pulmocon(
    'the second tier starts before the first ends',
    replaceOne('from: 2025-08-01', 'from: 2025-07-01'),
    'It would have been unclear which tier applies in July.',
  ),
  pulmocon(
    'a tier’s end in the wrong year',
    replaceOne('to: 2025-09-05', 'to: 2026-09-05'),
    'The last tier would never have applied.',
  ),
  pulmocon(
    'the event’s end before its beginning',
    replaceOne('to: 2025-09-14', 'to: 2025-09-04'),
    'The notice would have shown impossible dates.',
  ),
  midzone(
    'the first day and the promise changed, but not the last day',
    combineEdits(
      replaceOne('from: 2025-11-23', 'from: 2025-11-30'),
      replaceOne('dates: 23 November', 'dates: 30 November'),
    ),
    'The event would have ended before it began.',
  ),
  markUndetectable(
    'The hours and the promise are free text.',
    midzone(
      'the hours are in the evening',
      replaceAll('9 AM to 3 PM', '9 PM to 3 AM'),
      'Delegates would have arrived in the evening.',
      'hours:',
    ),
  ),
  markUndetectable(
    'Any Sunday is plausible.',
    midzone(
      'the wrong Sunday, in `promises` too',
      combineEdits(
        replaceOne('from: 2025-11-23', 'from: 2025-11-30'),
        replaceOne('to: 2025-11-23', 'to: 2025-11-30'),
        replaceOne('dates: 23 November', 'dates: 30 November'),
      ),
      'Delegates would have arrived a week late.',
      'from:',
      'to:',
    ),
  ),
]
