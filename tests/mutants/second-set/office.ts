/** The second set's mistakes in staff lists. */
import {
  afpicon,
  replaceAll,
  insertBelow,
  assertChanged,
  chirurgia,
  removeLine,
  midzone,
  markUndetectable,
  replaceOne,
  pulmocon,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

export const officeMistakes: readonly Mistake[] = [
  afpicon(
    'a filter misspelt',
    replaceOne('filters: [search, payment_status,', 'filters: [search, payment_state,'),
    'Staff could not have filtered by payment.',
  ),
  afpicon(
    'a column misspelt',
    replaceOne(
      'afpi_membership_number, base, gst, total, payment_status, created_at]',
      'afpi_membership_number, base, gst, totals, payment_status, created_at]',
    ),
    'The treasurer’s column would have been empty.',
  ),
  afpicon(
    'a column listed twice',
    replaceOne(
      'columns: [reg_no, full_name, email, phone_number, ticket_type, afpi_member,',
      'columns: [reg_no, full_name, email, email, phone_number, ticket_type, afpi_member,',
    ),
    'The CSV would have had two columns with the same name.',
  ),
  afpicon(
    'a default page size that is not one of the sizes',
    replaceOne(
      'page_size: 20\n      page_sizes: [10, 20,',
      'page_size: 25\n      page_sizes: [10, 20,',
    ),
    'The staff list would have shown an empty choice.',
    'page_sizes',
  ),
  afpicon(
    'a page size of zero',
    replaceOne('page_sizes: [10, 20', 'page_sizes: [0, 20'),
    'The list would have shown no registrations.',
  ),
  afpicon(
    'two lists with the same id',
    replaceOne('- id: afpicon2026  ', '- id: afpicon  '),
    'One of the two lists could not have been opened.',
  ),
  afpicon(
    'two exports with the same name',
    replaceAll('afpicon_2026_registrations_{date}.csv', 'afpicon_registrations.csv'),
    'The second download would have overwritten the first.',
    'file: "afpicon_reg',
  ),
  afpicon(
    'two lists with the same API path',
    replaceAll('/afpicon/admin/registrations/', '/admin/afpicon/registrations/'),
    'One list would have shown the other’s columns.',
    'api: /admin',
  ),
  afpicon(
    '{date} misspelt in the file name',
    replaceAll('registrations_{date}.csv', 'registrations_{day}.csv'),
    'The CSV would have been called “{day}”.',
    'export:',
  ),
  afpicon(
    'the export’s message uses an unknown value',
    replaceAll('Failed to export CSV: {message}', 'Failed to export CSV: {error}'),
    'Staff would have seen “{error}”.',
    'export: "Failed',
  ),
  afpicon(
    'an unknown card on the dashboard',
    replaceOne('cards: [total]', 'cards: [totals]'),
    'A figure would have been missing from the dashboard.',
  ),
  afpicon(
    'the CSV without a file extension',
    replaceAll('afpicon_registrations.csv', 'afpicon_registrations'),
    'Excel would not have opened it.',
    'file:',
  ),
  pulmocon(
    'a filter with the parameter name of another filter',
    replaceAll('sent_as: category', 'sent_as: payment_status'),
    'Two filters would have used the same parameter.',
    'sent_as',
  ),
  pulmocon(
    'a filter on a text field',
    combineEdits(
      replaceOne('date_from, date_to]', 'date_from, date_to, organization]'),
      replaceOne(
        'search, date_from, date_to]\n    pulmocon.columns',
        'search, date_from, date_to, organization]\n    pulmocon.columns',
      ),
    ),
    'Staff would have had a filter with nothing to choose.',
    'filters: [',
  ),
  pulmocon(
    'the list’s route is AFPICON’s',
    replaceAll('/admin/pulmocon,', '/admin/afpicon,'),
    'The promise would have referred to another event’s list.',
    'route: /admin/pulmocon',
  ),
  pulmocon(
    'the list’s route is AFPICON’s, in `promises` too',
    combineEdits(
      replaceOne('route: /admin/pulmocon\n', 'route: /admin/afpicon\n'),
      replaceAll('/admin/pulmocon,', '/admin/afpicon,'),
    ),
    'One of two lists could not have been opened.',
    'route: /admin',
  ),
  pulmocon(
    'the dashboard key is AFPICON’s',
    combineEdits(
      replaceOne('key: pulmocon', 'key: afpicon'),
      replaceOne('dashboard: [pulmocon', 'dashboard: [afpicon'),
    ),
    'The figures for two conferences would have been added together.',
    'key:',
  ),
  afpicon(
    'a demo path that moved',
    replaceOne('  - order_id.prefix\n', '  - order.prefix\n'),
    'A placeholder would have been published without a mark.',
  ),
  afpicon(
    'a demo path for a removed list',
    replaceOne('  - event.office\n', '  - event.secretariat\n'),
    'A placeholder would have been published without a mark.',
  ),
  chirurgia(
    'demo: fees.price',
    replaceOne('- fees.prices', '- fees.price'),
    'Invented prices would have been published without a mark.',
  ),
  afpicon(
    'an allow entry for a finding that no longer exists',
    replaceOne('code: EV604', 'code: EV605'),
    'The next real contradiction would not have been reported.',
  ),
  afpicon(
    'a removed allow entry',
    (text) => assertChanged(text, text.replace(/ {2}- code: EV409\n.*\n/, ''), 'EV409'),
    'The price on 1 February would have been unclear.',
    'other_dates',
  ),
  afpicon(
    'an allow entry for an error',
    insertBelow('allow:', '  - {code: EV401, because: The price follows next week.}'),
    'The organiser would have believed that the missing price was intended.',
  ),
  afpicon(
    'an allow entry without a reason',
    removeLine('because: The panel names'),
    'Next year’s organiser would not have known why.',
    'code: EV604',
  ),
  afpicon(
    'an example expects last year’s price',
    replaceOne('base: 5000, gst: 900, total: 5900', 'base: 4500, gst: 810, total: 5310'),
    'None for users, but the file would have contradicted itself.',
  ),
  afpicon(
    'an example for a removed category',
    replaceOne('given: {ticket_type: intern-mbbs-accompanying}', 'given: {ticket_type: intern}'),
    'The example would have checked nothing.',
  ),
  afpicon(
    'an example with a misspelt field',
    replaceOne('given: {afpi_member: true}', 'given: {afpi_membr: true}'),
    'The example would have checked nothing.',
  ),
  afpicon(
    'an example without a day',
    replaceOne('      on: 2025-07-01\n', ''),
    'The example would have checked nothing.',
    'name: first day of the first period',
  ),
  afpicon(
    'a time without a UTC offset',
    replaceOne('2025-08-31T23:59:59+05:30', '2025-08-31T23:59:59'),
    'The example would have meant different times in different time zones.',
  ),
  chirurgia(
    'the required message changed only in the form',
    replaceOne('required: Required for ASI members', 'required: ASI number is required'),
    'None for users, but the file would have contradicted itself.',
    'errors: {asi_membership_number',
  ),
  midzone(
    'an answer of an example given as text',
    replaceOne('given: {is_pg: true}', 'given: {is_pg: "yes"}'),
    'The example would have checked another category.',
  ),
  markUndetectable(
    'Staff decide which columns the office needs.',
    pulmocon(
      'a column that the caterers need is missing, in `promises` too',
      combineEdits(
        replaceOne('                food_preference, total,', '                total,'),
        replaceOne('      food_preference, total,', '      total,'),
      ),
      'The caterers would have had no list of meals.',
      'columns:',
    ),
  ),
  markUndetectable(
    'Any order of columns is valid.',
    pulmocon(
      'two columns swapped, in `promises` too',
      replaceAll('ksmc_reg_no, email,', 'email, ksmc_reg_no,'),
      'The staff’s spreadsheet macro would have read the wrong column.',
      'columns:',
    ),
  ),
]
