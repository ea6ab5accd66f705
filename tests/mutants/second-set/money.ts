/** Mistakes of the second set: prices and tax. */
import {
  afpicon,
  replaceAll,
  insertBelow,
  chirurgia,
  removeLine,
  midzone,
  markUndetectable,
  replaceOne,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

export const moneyMistakes: readonly Mistake[] = [
  afpicon(
    'one zero too many',
    replaceOne('[5000, 6000, 8000, 10000]', '[5000, 6000, 80000, 10000]'),
    'A member would have been charged ₹94,400.',
  ),
  afpicon(
    'one zero too few',
    replaceOne('[6000, 7000, 9000, 10000]', '[6000, 7000, 900, 10000]'),
    'The conference would have lost ₹8,100 per delegate.',
  ),
  afpicon(
    'two digits swapped',
    replaceOne('[4250, 5250, 7250, 10000]', '[4250, 5520, 7250, 10000]'),
    'Every postgraduate would have paid ₹270 too much.',
  ),
  afpicon(
    'two columns swapped in the heading',
    replaceOne('[july-1-aug-31, sep-1-dec-31,', '[sep-1-dec-31, july-1-aug-31,'),
    'Early delegates would have paid the autumn price.',
  ),
  afpicon(
    'two cells swapped',
    replaceOne('[6000, 7000, 9000, 10000]', '[6000, 9000, 7000, 10000]'),
    'Autumn would have been more expensive than January.',
  ),
  afpicon(
    'the prices of members and non-members swapped',
    combineEdits(
      replaceOne('    afpi-pg:                  [', '    non-afpi-pg:              {{'),
      replaceOne('    non-afpi-pg:              [', '    afpi-pg:                  ['),
      replaceOne('{{', '['),
    ),
    'Members would have paid more than non-members.',
    'afpi-pg:   ',
  ),
  afpicon(
    'a row is missing',
    removeLine('    non-afpi-pg:   '),
    'Postgraduates would have had no price.',
    'id: non-afpi-pg',
    '  prices:',
  ),
  afpicon(
    'a cell is missing',
    replaceOne('[3000, 3000, 3000,  4000]', '[3000, 3000, 4000]'),
    'The last week would have had no price for interns.',
  ),
  afpicon(
    'a cell too many',
    replaceOne('[5000, 6000, 8000, 10000]', '[5000, 6000, 8000, 10000, 10000]'),
    'The columns would have been ambiguous.',
  ),
  afpicon(
    'a thousands separator',
    replaceOne('[5000, 6000, 8000, 10000]', '[5000, 6000, 8000, 10,000]'),
    'Delegates in the last week would have paid ten rupees.',
  ),
  afpicon(
    'a price with a thousands separator, in quotes',
    replaceOne('[5000, 6000, 8000, 10000]', '[5000, 6000, 8000, "10,000"]'),
    'The last week would have had no price.',
  ),
  afpicon(
    'a price with the rupee sign',
    replaceOne('[3000, 3000, 3000,  4000]', '[₹3000, ₹3000, ₹3000, ₹4000]'),
    'Interns would have had no price.',
  ),
  afpicon(
    'a price with /- at the end',
    replaceOne('[4250, 5250, 7250, 10000]', '[4250/-, 5250/-, 7250/-, 10000/-]'),
    'Postgraduates would have had no price.',
  ),
  afpicon(
    'a letter O instead of a zero',
    replaceOne('[4250, 5250, 7250, 10000]', '[4250, 525O, 7250, 10000]'),
    'Postgraduates would have had no price in autumn.',
  ),
  afpicon(
    'a decimal point as a thousands separator',
    replaceOne('[6000, 7000, 9000, 10000]', '[6.000, 7.000, 9.000, 10.000]'),
    'Delegates would have registered for six rupees.',
  ),
  afpicon(
    'three decimals',
    replaceOne('[4250, 5250', '[4250.505, 5250'),
    'The gateway would have rejected the amount.',
  ),
  afpicon(
    'a negative price',
    replaceOne('[3000, 3000, 3000,  4000]', '[-3000, 3000, 3000, 4000]'),
    'Interns would have had a negative price.',
  ),
  afpicon(
    'a zero instead of `free`',
    replaceOne('[3000, 3000, 3000,  4000]', '[0, 3000, 3000, 4000]'),
    'The button would have been disabled for interns.',
  ),
  afpicon(
    'a row for a removed category',
    replaceOne('    intern-mbbs-accompanying: [', '    intern-mbbs: ['),
    'Interns would have had no price.',
  ),
  afpicon(
    'a row listed twice',
    insertBelow('    afpi-pg:          ', '    afpi-pg:                  [4000, 5000, 7000, 9000]'),
    'It would have been unclear which of two prices applies.',
  ),
  afpicon(
    'a misspelt period in the heading',
    replaceOne('sep-1-dec-31, jan-1-jan-25, jan-25', 'sep-1-dec-30, jan-1-jan-25, jan-25'),
    'Autumn would have had no price.',
    'period:  ',
  ),
  afpicon(
    'a period listed twice in the heading',
    replaceOne('jan-1-jan-25, jan-25-jan-31]', 'jan-1-jan-25, jan-1-jan-25]'),
    'The last week would have had no price.',
    'period:  ',
  ),
  afpicon(
    '`none` misspelt in a price row',
    replaceOne('[3000, 3000, 3000,  4000]', '[3000, 3000, 3000, nil]'),
    'The last week would have had no price for interns.',
  ),
  afpicon(
    'GST of 12%',
    replaceOne('percent: 18', 'percent: 12'),
    'The organisers would have owed the tax office the difference.',
    'Fees are exclusive of 18%',
  ),
  afpicon(
    'GST with a percent sign',
    replaceOne('percent: 18,', 'percent: 18%,'),
    'No total could have been calculated.',
  ),
  afpicon(
    'GST as a fraction',
    replaceOne('percent: 18', 'percent: 0.18'),
    'GST of nine rupees would have been charged instead of nine hundred.',
  ),
  afpicon(
    'prices declared to include GST',
    replaceOne('prices: exclusive', 'prices: inclusive'),
    'The organisers would have paid the GST of every delegate themselves.',
  ),
  afpicon(
    'the panel states that prices include GST',
    replaceOne('exclusive of 18% GST', 'inclusive of 18% GST'),
    'Delegates would have demanded ₹900 back.',
    'inclusive of',
  ),
  afpicon(
    'the panel states an old rate',
    replaceOne('exclusive of 18%', 'exclusive of 12%'),
    'Delegates would have complained about the higher rate.',
  ),
  chirurgia(
    'prices declared to exclude GST',
    replaceOne('prices: inclusive', 'prices: exclusive'),
    'Surgeons would have paid 18% more than the brochure says.',
  ),
  chirurgia(
    '`inclusive` misspelt',
    replaceOne('prices: inclusive', 'prices: included'),
    'It would have been unclear whether GST was included.',
  ),
  chirurgia(
    'the rounding rule misspelt',
    replaceOne('round: rupee}', 'round: rupees}'),
    'Receipts would have shown paise, which the office does not book.',
  ),
  chirurgia(
    'the rounding rule is missing',
    replaceOne(', round: rupee}', '}'),
    'Receipts would have shown ₹4,237.29.',
  ),
  chirurgia(
    'early and regular columns swapped',
    replaceOne('[early-bird, regular]', '[regular, early-bird]'),
    'Late delegates would have received the discount.',
  ),
  chirurgia(
    'the prices of one row in reverse order',
    replaceOne('[3540, 4720]', '[4720, 3540]'),
    'An early postgraduate would have paid more.',
  ),
  chirurgia(
    'the prices of one row in reverse order, with regenerated examples',
    combineEdits(
      replaceOne('[3540, 4720]', '[4720, 3540]'),
      replaceAll(
        'base: 3000, gst: 540, total: 3540}}\n    - {name: pg-asi in',
        'base: 4000, gst: 720, total: 4720}}\n    - {name: pg-asi in',
      ),
      replaceAll(
        'on: 2025-12-01, category: pg-asi, expect: {period: regular, base: 4000, gst: 720, total: 4720}',
        'on: 2025-12-01, category: pg-asi, expect: {period: regular, base: 3000, gst: 540, total: 3540}',
      ),
      replaceOne(
        'category: pg-asi, period: regular, base: 4000, gst: 720, total: 4720',
        'category: pg-asi, period: regular, base: 3000, gst: 540, total: 3540',
      ),
    ),
    'An early postgraduate would have paid more.',
    '[4720, 3540]',
  ),
  chirurgia(
    'the prices of members and other delegates swapped',
    combineEdits(
      replaceOne('[5900, 7080]', '[A]'),
      replaceOne('[7080, 8260]', '[5900, 7080]'),
      replaceOne('[A]', '[7080, 8260]'),
    ),
    'Members would have paid more than other delegates.',
    'asi-member:  ',
  ),
  chirurgia(
    'a price with a space in it',
    replaceOne('[5900, 7080]', '[5 900, 7080]'),
    'Members would have had no price.',
  ),
  chirurgia(
    'a full stop between two prices',
    replaceOne('[7080, 8260]', '[7080. 8260]'),
    'Non-members would have had one price for two periods.',
  ),
  chirurgia(
    'a missing closing bracket',
    replaceOne('[2360, 2950]', '[2360, 2950'),
    'The file could not have been read at all.',
    'accompanying-asi:     [',
  ),
  chirurgia(
    'a bracket of the wrong kind',
    replaceOne('[2950, 3540]', '[2950, 3540}'),
    'The file could not have been read at all.',
  ),
  midzone(
    'two prices for one period',
    replaceOne('[1250]', '[1250, 1500]'),
    'It would have been unclear which price applies.',
  ),
  midzone(
    'a number instead of a list',
    replaceOne('afpi-pg:           [750]', 'afpi-pg:           750'),
    'Postgraduates would have had no price.',
  ),
  midzone(
    'an additional digit',
    replaceOne('[1000]', '[10000]'),
    'A member would have been charged ₹11,800.',
  ),
  midzone(
    'the id of a period changed in only one place',
    replaceOne('- {id: standard}', '- {id: regular}'),
    'No category would have had a price.',
    'period:   ',
  ),
  midzone(
    'a period and its column added, but not in every row',
    combineEdits(
      insertBelow('- {id: standard}', '    - {id: spot, from: 2025-11-23}'),
      replaceOne('[standard]', '[standard, spot]'),
      replaceOne('[1000]', '[1000, 1200]'),
      replaceOne('[1250]', '[1250, 1500]'),
      replaceOne('[750]', '[750, 900]'),
    ),
    'Non-member postgraduates would have had no price at the desk.',
    'non-afpi-pg:   ',
  ),
  markUndetectable(
    'A tool cannot know that a higher price is a mistake, and the examples were generated from the table.',
    midzone(
      'the member price is wrong, in the examples too',
      combineEdits(
        replaceOne('[1000]', '[1100]'),
        replaceOne('base: 1000, gst: 180, total: 1180', 'base: 1100, gst: 198, total: 1298'),
      ),
      'Members would have paid ₹118 more than the committee decided.',
      '[1100]',
    ),
  ),
]
