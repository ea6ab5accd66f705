/** The second set's mistakes in categories and their rules. */
import {
  afpicon,
  insertBelow,
  chirurgia,
  removeLine,
  swapLines,
  midzone,
  markUndetectable,
  replaceOne,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

export const ruleMistakes: readonly Mistake[] = [
  chirurgia(
    '`otherwise` is missing',
    removeLine('- {otherwise:'),
    'Most surgeons would have seen no price and a disabled button.',
    '  rules:',
    'id: non-asi-member',
  ),
  chirurgia(
    '`otherwise` is the first rule',
    combineEdits(
      removeLine('- {otherwise:'),
      insertBelow('  rules:', '    - {otherwise: non-asi-member}'),
    ),
    'All delegates would have paid the non-member price.',
  ),
  chirurgia(
    'the general rule above the specific rules',
    swapLines('{when: {designation: pg, asi_member: true}', '{when: {asi_member: true}, '),
    'Postgraduates who are members would have paid the full price.',
    '{when: {designation: pg, asi_member: true}',
  ),
  chirurgia(
    'a misspelt option',
    replaceOne('{designation: pg, asi_member: true}', '{designation: gp, asi_member: true}'),
    'Postgraduates would have paid the full price.',
  ),
  chirurgia(
    'the label instead of the id',
    replaceOne(
      '{designation: pg, asi_member: false}',
      '{designation: Post Graduate, asi_member: false}',
    ),
    'Postgraduates would have paid the full price.',
  ),
  chirurgia(
    'an option in capitals',
    replaceOne('{designation: pg, asi_member: true}', '{designation: PG, asi_member: true}'),
    'The rule would not have matched the stored value.',
  ),
  chirurgia(
    '`yes` instead of `true`',
    replaceOne('{when: {asi_member: true}, ', '{when: {asi_member: yes}, '),
    'Members would have paid the non-member price.',
  ),
  chirurgia(
    '`true` in quotes',
    replaceOne('{when: {asi_member: true}, ', '{when: {asi_member: "true"}, '),
    'Members would have paid the non-member price.',
  ),
  chirurgia(
    'a field of another conference',
    replaceOne('{when: {asi_member: true}, ', '{when: {afpi_member: true}, '),
    'Members would have paid the non-member price.',
  ),
  chirurgia(
    '`then` with the label instead of the id',
    replaceOne('then: asi-member}', 'then: ASI Member}'),
    'Members would have had no price.',
  ),
  chirurgia(
    '`then` with an underscore in the category',
    replaceOne('then: pg-asi}', 'then: pg_asi}'),
    'Postgraduates would have had no price.',
  ),
  chirurgia(
    'the same result twice',
    replaceOne('then: pg-non-asi}', 'then: pg-asi}'),
    'Postgraduates who are not members would have paid the members’ price.',
  ),
  chirurgia(
    'results of two rules swapped',
    combineEdits(
      replaceOne('then: pg-asi}', 'then: A}'),
      replaceOne('then: pg-non-asi}', 'then: pg-asi}'),
      replaceOne('then: A}', 'then: pg-non-asi}'),
    ),
    'Members would have paid the non-member price.',
  ),
  chirurgia(
    '`true` and `false` swapped',
    replaceOne('{designation: pg, asi_member: true}', '{designation: pg, asi_member: false}'),
    'Postgraduates who are members would have paid the full price.',
  ),
  chirurgia(
    'the general rule is missing',
    removeLine('{when: {asi_member: true}, '),
    'Members would have paid ₹1,180 too much.',
    'id: asi-member',
  ),
  chirurgia(
    'a rule after `otherwise`',
    insertBelow('- {otherwise:', '    - {when: {designation: senior-resident}, then: pg-asi}'),
    'Senior residents would have paid the full price.',
  ),
  chirurgia(
    'a rule listed twice',
    insertBelow(
      '{when: {asi_member: true}, ',
      '    - {when: {asi_member: true}, then: asi-member}',
    ),
    'None at first, but a change to one of the two rules would have had no effect.',
  ),
  chirurgia(
    '`or` written as `and`',
    replaceOne(
      '{designation: pg, asi_member: true}',
      '{designation: pg, designation: senior-resident, asi_member: true}',
    ),
    'The rule would have tested only one of the two designations.',
  ),
  chirurgia(
    'an operator from a spreadsheet',
    replaceOne('{when: {asi_member: true}, ', '{when: {asi_member: "= true"}, '),
    'Members would have paid the non-member price.',
  ),
  chirurgia(
    'the option is renamed only in the form',
    replaceOne('{id: pg, label: PG}', '{id: post-graduate, label: PG}'),
    'No postgraduate would have paid the postgraduates’ price.',
    'designation: pg',
  ),
  chirurgia(
    'the option is removed from the form',
    replaceOne(', {id: pg, label: PG}', ''),
    'Postgraduates could not have chosen their designation.',
    'designation: pg',
    'senior-resident',
  ),
  chirurgia(
    'a category renamed only in the list',
    replaceOne('{id: pg-asi,', '{id: pg-asi-member,'),
    'Postgraduates would have had no price.',
    'then: pg-asi',
    '    pg-asi:',
  ),
  chirurgia(
    'a category without a rule or price',
    insertBelow('{id: pg-non-asi,', '  - {id: trainee, label: Trainee}'),
    'Trainees would have paid another category’s price.',
  ),
  chirurgia(
    '`listed_only` on a category that rules assign',
    replaceOne('label: Post Graduate (ASI)}', 'label: Post Graduate (ASI), listed_only: true}'),
    'None, until an organiser relies on the key.',
  ),
  chirurgia(
    '`listed_only` is missing',
    replaceOne(', listed_only: true}', '}'),
    'Delegates would have been offered “Companion” as a category.',
  ),
  chirurgia(
    'two categories with the same id',
    replaceOne('{id: non-asi-member,', '{id: asi-member,'),
    'Non-members would have been registered as members.',
  ),
  chirurgia(
    'two categories with the same label',
    replaceOne('label: Non-ASI Member', 'label: ASI Member'),
    'Staff could not have distinguished the categories.',
  ),
  midzone(
    'the yes-no field of the form is renamed',
    replaceOne('{id: is_pg,', '{id: post_graduate,'),
    'Postgraduates would have paid the full price.',
    'is_pg: true',
  ),
  midzone(
    '`when` misspelt',
    replaceOne('- {when: {afpi_member: true}, ', '- {if: {afpi_member: true}, '),
    'Members would have paid the non-member price.',
  ),
  midzone(
    '`then` is missing',
    replaceOne('afpi_member: false}, then: non-afpi-pg}', 'afpi_member: false}}'),
    'Postgraduates would have had no category.',
  ),
  midzone(
    '`no` instead of `yes`',
    replaceOne('{is_pg: true, afpi_member: false}', '{is_pg: false, afpi_member: false}'),
    'Delegates who are not postgraduates would have paid the postgraduates’ price.',
  ),
  midzone(
    '`otherwise` with the cheapest category',
    replaceOne('otherwise: non-afpi-delegate', 'otherwise: non-afpi-pg'),
    'Every non-member would have paid the postgraduates’ price.',
  ),
  midzone(
    '`otherwise` with a capital letter',
    replaceOne('{otherwise:', '{Otherwise:'),
    'Non-members would have had no category.',
  ),
  midzone(
    '`otherwise` with a condition',
    replaceOne(
      '{otherwise: non-afpi-delegate}',
      '{when: {afpi_member: false}, otherwise: non-afpi-delegate}',
    ),
    'It would have been unclear when the rule applied.',
  ),
  afpicon(
    '`chosen_in` refers to a removed field',
    replaceOne('chosen_in: ticket_type', 'chosen_in: registration_category'),
    'No delegate would have had a price.',
  ),
  afpicon(
    '`chosen_in` refers to a text field',
    replaceOne('chosen_in: ticket_type', 'chosen_in: designation'),
    'A delegate who typed “Professor” would have had no price.',
  ),
  afpicon(
    '`chosen_in` misspelt',
    replaceOne('chosen_in:', 'choosen_in:'),
    'No delegate would have had a price.',
  ),
  afpicon(
    'the options are not the categories',
    replaceOne('options: categories ', 'options: category '),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'proof for the wrong category',
    replaceOne('[afpi-pg, non-afpi-pg]}\n', '[afpi-pg, non-afpi-gp-specialist]}\n'),
    'Specialists would have been asked for a student document.',
  ),
  afpicon(
    'proof for only one of two categories',
    replaceOne('show_when: {category: [afpi-pg, non-afpi-pg]}', 'show_when: {category: [afpi-pg]}'),
    'Non-members would have got the discount without a document.',
  ),
  afpicon(
    'proof for a misspelt category',
    replaceOne(
      'show_when: {category: [afpi-pg, non-afpi-pg]}',
      'show_when: {category: [afpi-pg, nonafpi-pg]}',
    ),
    'Non-members would have got the discount without a document.',
  ),
  afpicon(
    'a condition that always hides the section',
    replaceOne('show_when: {category: [afpi-pg, non-afpi-pg]}', 'show_when: {ticket_type: pg}'),
    'No delegate would have been asked for a document.',
  ),
  afpicon(
    'the condition is reversed',
    replaceOne('show_when: {afpi_member: true}', 'show_when: {afpi_member: false}'),
    'Non-members would have been asked for a number they do not have.',
  ),
  afpicon(
    'a condition on a removed field',
    removeLine('{id: afpi_member, type'),
    'No delegate could have given a membership number.',
    'show_when: {afpi_member',
  ),
  afpicon(
    'a field that depends on itself',
    replaceOne(
      'show_when: {afpi_member: true}',
      'show_when: {afpi_membership_number: {answered: true}}',
    ),
    'No delegate could have given a membership number.',
  ),
  afpicon(
    '`answered` misspelt',
    replaceOne('show_when: {afpi_member: true}', 'show_when: {afpi_member: {answerd: true}}'),
    'No delegate could have given a membership number.',
  ),
  afpicon(
    'the condition is a phrase',
    replaceOne('show_when: {afpi_member: true}', 'show_when: afpi_member is true'),
    'No delegate could have given a membership number.',
  ),
  afpicon(
    'a field that depends on free text',
    insertBelow(
      'label: Present Institute}',
      '        - {id: ward, label: Ward, show_when: {present_institute: AIIMS}}',
    ),
    'A delegate who wrote “A.I.I.M.S.” would not have been asked.',
  ),
  markUndetectable(
    'The committee decides who must upload a document, and the examples were changed too.',
    afpicon(
      'interns are missing from the proof section',
      replaceOne(
        'about: Interns, MBBS students and accompanying persons',
        'about: Interns and MBBS students (proof required)',
      ),
      'Any delegate could have registered as an intern.',
      'show_when: {category',
    ),
  ),
]
