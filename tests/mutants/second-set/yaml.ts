/** The second set's mistakes in YAML syntax. */
import {
  afpicon,
  replaceAll,
  insertBelow,
  assertChanged,
  chirurgia,
  removeLine,
  midzone,
  replaceOne,
  pulmocon,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

const NBSP = '\u00A0'
export const yamlMistakes: readonly Mistake[] = [
  afpicon(
    'a tab instead of spaces',
    replaceOne('  id: afpicon2026', '\tid: afpicon2026'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a tab before a list',
    replaceOne('    - id: afpicon  ', '\t- id: afpicon  '),
    'The file could not have been read at all.',
  ),
  afpicon(
    'one space too many',
    replaceOne('  venue: Resort', '   venue: Resort'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'one space too few',
    replaceOne('  venue: Resort', ' venue: Resort'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'no space after the colon',
    replaceOne('  venue: Resort', '  venue:Resort'),
    'The venue would have been missing.',
  ),
  afpicon(
    'a full-width colon',
    replaceOne('  venue: Resort', '  venue： Resort'),
    'The venue would have been missing.',
  ),
  afpicon(
    'an equals sign',
    replaceOne('percent: 18', 'percent= 18'),
    'No total could have been calculated.',
  ),
  afpicon(
    'a no-break space in an option',
    replaceOne('options: indian-states', `options:${NBSP}indian-states`),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'a no-break space as indentation',
    replaceOne('  venue: Resort', `${NBSP} venue: Resort`),
    'The venue would have been missing.',
  ),
  afpicon(
    'a zero-width space in an id',
    replaceOne('chosen_in: ticket_type', 'chosen_in: ticket_\u200Btype'),
    'No delegate would have had a price.',
  ),
  afpicon(
    'a zero-width joiner in an address',
    replaceOne('support: support@afpicon', 'support: support\u200D@afpicon'),
    'Emails to support would not have arrived.',
  ),
  afpicon(
    'a direction mark in a route',
    replaceOne('form: /afpicon2026', 'form: /afpicon2026\u200E'),
    'The link in the brochure would not have worked.',
  ),
  afpicon(
    'a soft hyphen in the venue',
    replaceAll('Changanassery', 'Changa\u00ADnassery'),
    'Searches for the venue would have found nothing.',
    'venue:',
  ),
  afpicon(
    'a Cyrillic letter in a category',
    replaceOne('    afpi-pg:   ', '    \u0430fpi-pg:   '),
    'Postgraduates would have had no price.',
  ),
  afpicon(
    'a Cyrillic letter in an address',
    replaceAll('support@afpicon', 'supp\u043Ert@afpicon'),
    'Emails to support would not have arrived.',
    'support:',
  ),
  afpicon(
    'a dash instead of a hyphen in a date',
    replaceOne('from: 2026-01-31', 'from: 2026–01–31'),
    'No page could have shown the date.',
  ),
  afpicon(
    'a dash instead of the hyphen of a list',
    replaceOne('      - Fees are', '      – Fees are'),
    'The lines of the panel would have become one line.',
  ),
  afpicon(
    'Malayalam digits',
    replaceOne('[5000, 6000, 8000, 10000]', '[൫൦൦൦, 6000, 8000, 10000]'),
    'Members would have had no price.',
  ),
  afpicon(
    'a missing closing quote',
    replaceOne('file: "{reg_no}.txt"', 'file: "{reg_no}.txt'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a block pasted twice',
    insertBelow('title: AFPICON 2026', '  venue: Kochi'),
    'It would have been unclear which of the two venues applied.',
    'venue: Resort',
  ),
  afpicon(
    'a YAML anchor',
    combineEdits(
      replaceOne('label: Full Name,', 'label: &name Full Name,'),
      replaceOne('label: City}', 'label: *name}'),
    ),
    'The city field would have had the label of the name field.',
  ),
  afpicon(
    'a YAML merge key',
    replaceOne('  steps: [Personal', '  <<: *steps\n    steps: [Personal'),
    'The file would not have been read as intended.',
  ),
  afpicon(
    'a second YAML document',
    insertBelow('format: 1', '---'),
    'Only the first line would have been read.',
  ),
  afpicon(
    'merge conflict markers',
    replaceOne(
      '  status: open\n',
      '<<<<<<< HEAD\n  status: open\n=======\n  status: closed\n>>>>>>> theirs\n',
    ),
    'The file could not have been read at all.',
  ),
  afpicon(
    'the format number changed with the year',
    replaceOne('format: 1', 'format: 2'),
    'The file would have been read under the rules of an unknown version.',
  ),
  afpicon(
    'the format line is missing',
    removeLine('format: 1'),
    'The format version would have been unknown.',
    'demo:',
    'event:',
  ),
  afpicon(
    'a pasted block with wrong indentation',
    replaceOne('\nlook:\n  colour', '\n  look:\n    colour'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a comment without its hash',
    replaceOne(
      '  digits: 13                      # random',
      '  digits: 13                      random',
    ),
    'No number could have been assigned.',
  ),
  afpicon(
    'a comment that includes the next line',
    replaceOne('  status: open\n', '  # status: open\n'),
    'It would have been unclear whether the form is open.',
    'event:',
  ),
  afpicon(
    'a price row commented out',
    replaceOne('    afpi-pg:     ', '    # afpi-pg:   '),
    'Postgraduates would have had no price.',
    'id: afpi-pg',
    'prices:',
  ),
  chirurgia(
    '`yes` for a list-only category',
    replaceOne('listed_only: true', 'listed_only: yes'),
    'Delegates would have been offered a companion’s price.',
  ),
  chirurgia(
    '`True` with a quote',
    replaceOne('listed_only: true', 'listed_only: "true"'),
    'Delegates would have been offered a companion’s price.',
  ),
  midzone(
    'a file cut off by an email program',
    (text) => assertChanged(text, text.slice(0, text.indexOf('results:\n')), 'cut'),
    'There would have been no page after payment.',
    'tariff:',
    'total_amount:',
    'format:',
    'event:',
  ),
  midzone(
    'an HTML entity',
    replaceOne('A family-physicians event', 'A family&#45;physicians event'),
    'Search engines would have shown “&#45;”.',
  ),
  midzone(
    'bold text from a word processor',
    replaceOne('venue: Kochi', 'venue: **Kochi**'),
    'The page would have shown asterisks or no text.',
  ),
  pulmocon(
    'a text that begins with a percent sign',
    replaceOne('venue: Kottayam', 'venue: %Kottayam'),
    'The file could not have been read at all.',
  ),
]
