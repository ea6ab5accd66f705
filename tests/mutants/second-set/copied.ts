/** The second set's mistakes in a file that was copied for a new conference. */
import {
  replaceAll,
  newAfpicon,
  newMidzone,
  markUndetectable,
  replaceOne,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

export const copyMistakes: readonly Mistake[] = [
  newAfpicon(
    'the id is still last year’s',
    replaceOne('  id: afpimeet2027', '  id: afpicon2026'),
    'Registrations of the new conference would have been filed under the old one.',
  ),
  newAfpicon(
    'the form has last year’s address',
    replaceAll('/afpimeet2027', '/afpicon2026'),
    'The link in the brochure would have opened last year’s form.',
    'form: /afpicon2026',
  ),
  newAfpicon(
    'the result pages have last year’s addresses',
    replaceAll('/afpimeet/payment/', '/afpicon/payment/'),
    'Delegates who had paid would have seen last year’s confirmation.',
    'success: /afpicon',
  ),
  newAfpicon(
    'the API path for registering is last year’s',
    replaceAll('/api/afpimeet/register/', '/api/afpicon/register/'),
    'The form would have registered people for last year’s conference.',
    'register: /api',
  ),
  newAfpicon(
    'the API path for reading a registration is last year’s',
    replaceAll('/api/afpimeet/registrations/', '/api/afpicon/registrations/'),
    'Result pages would have looked for delegates in the wrong conference.',
    'registration: /api',
  ),
  newAfpicon(
    'the gateway returns to last year’s address',
    replaceAll('/api/afpimeet/airpay-response', '/api/afpicon/airpay-response'),
    'Payments would have been booked to the wrong conference.',
    'gateway_return',
  ),
  newAfpicon(
    'the prefix is still last year’s',
    combineEdits(replaceOne('prefix: AFPM', 'prefix: AFPI'), replaceOne('[AFPM,', '[AFPI,')),
    'No payment could have been assigned to its order.',
    'prefix: AFPI',
  ),
  newAfpicon(
    'the new prefix is last year’s prefix with digits',
    combineEdits(replaceOne('prefix: AFPM', 'prefix: AFPI27'), replaceOne('[AFPM,', '[AFPI27,')),
    'AFPI27… would have been treated as an order of last year’s conference.',
    'prefix: AFPI27',
  ),
  newAfpicon(
    'the staff list has last year’s route',
    replaceAll('/admin/afpimeet2027', '/admin/afpicon2026'),
    'Staff would have seen last year’s delegates.',
    'route: /admin',
  ),
  newAfpicon(
    'both lists have the same route',
    replaceAll('/admin/afpimeet2027', '/admin/afpimeet'),
    'One of the two lists could not have been opened.',
    'route: /admin',
  ),
  newAfpicon(
    'the dashboard key is last year’s',
    combineEdits(
      replaceOne('key: afpimeet', 'key: afpicon'),
      replaceOne('dashboard: [afpimeet', 'dashboard: [afpicon'),
    ),
    'Two conferences would have shared one panel of the dashboard.',
    'key: afpicon',
  ),
  newAfpicon(
    'the API path of the list is last year’s',
    replaceAll('/admin/afpimeet/registrations/', '/admin/afpicon/registrations/'),
    'Staff would have worked on last year’s list.',
    'api: /admin/afpicon',
  ),
  newAfpicon(
    'the API path of the export is last year’s',
    replaceAll('event_type=afpimeet', 'event_type=afpicon'),
    'The CSV would have contained last year’s delegates.',
    'export: {api: /admin',
  ),
  newAfpicon(
    'both exports save the same file',
    combineEdits(
      replaceAll('afpimeet_2027_registrations_{date}.csv', 'afpimeet_registrations.csv'),
    ),
    'The second download would have overwritten the first.',
    'file: "afpimeet_registrations',
  ),
  newAfpicon(
    'the CSV is saved under last year’s name',
    replaceAll('afpimeet_registrations.csv', 'afpicon_registrations.csv'),
    'The treasurer would have mixed up two years of delegates.',
    'file: afpicon_registrations',
  ),
  newAfpicon(
    'the email draft mentions last year',
    replaceAll('AFPICON 2027 – payment', 'AFPICON 2026 – payment'),
    'Support staff would have searched last year’s payments.',
    'AFPICON 2026',
  ),
  newAfpicon(
    'the receipt mentions last year',
    replaceAll('AFPICON 2027 – REG', 'AFPICON 2026 – REG'),
    'Accounts departments would have rejected the receipt.',
    'AFPICON 2026',
  ),
  newAfpicon(
    'the title is last year’s',
    replaceOne('title: AFPICON 2027', 'title: AFPICON 2026'),
    'The page would have announced a past conference.',
  ),
  newAfpicon(
    'Try Again leads to last year’s form',
    replaceAll('/afpimeet/register', '/afpicon/register'),
    'A delegate whose card payment failed would have been sent to last year’s form.',
    '/afpicon/register',
  ),
  newAfpicon(
    'only the button has last year’s address',
    replaceOne('go: /afpimeet/register', 'go: /afpicon/register'),
    'A delegate whose card payment failed would have been sent to last year’s form.',
  ),
  newAfpicon(
    'the event dates are last year’s, in `promises` too',
    combineEdits(
      replaceOne('from: 2027-01-31', 'from: 2026-01-31'),
      replaceOne('to: 2027-02-01', 'to: 2026-02-01'),
      replaceOne('31 January – 1 February 2027', '31 January – 1 February 2026'),
    ),
    'Delegates would have booked trains for the wrong year.',
    'from: 2026-01-31',
    'to: 2026-02-01',
  ),
  newAfpicon(
    'the last period has last year’s dates',
    replaceOne('from: 2027-01-25, to: 2027-01-31', 'from: 2026-01-25, to: 2026-01-31'),
    'Delegates in the last week would have paid the first price.',
  ),
  newAfpicon(
    'the third period has last year’s dates',
    replaceOne('from: 2027-01-01, to: 2027-01-25', 'from: 2026-01-01, to: 2026-01-25'),
    'Delegates in January would have paid the first price.',
  ),
  newAfpicon(
    'the end of one period has last year’s date',
    replaceOne('to: 2026-08-31', 'to: 2025-08-31'),
    'It would have been unclear which price applies in July.',
  ),
  newAfpicon(
    'periods and examples have last year’s dates',
    (text) =>
      combineEdits(
        replaceAll('2026-', '2025-'),
        replaceAll('2027-', '2026-'),
        replaceOne('from: 2026-01-31', 'from: 2027-01-31'),
        replaceOne('to: 2026-02-01', 'to: 2027-02-01'),
      )(text),
    'All delegates would have paid the first price, because every day would have been one of the “other dates”.',
    '- {id: j',
    'other_dates',
  ),
  newAfpicon(
    'the early bird day in the panel is last year’s',
    replaceOne('15 September 2026', '15 September 2025'),
    'The page would have promised a discount that ended a year ago.',
    '15 September 2025',
  ),
  newMidzone(
    'the id is still last year’s',
    replaceOne('id: northzone2026', 'id: midzone2025'),
    'Registrations would have been filed under the old event.',
  ),
  newMidzone(
    'the form has last year’s address',
    replaceAll('/northzone2026', '/midzone2025'),
    'Last year’s form would have received this year’s payments.',
    'form: /midzone2025',
  ),
  newMidzone(
    'Retry leads to last year’s form',
    replaceOne('go: /northzone2026', 'go: /midzone2025'),
    'A second attempt would have registered the delegate for last year’s event.',
  ),
  newMidzone(
    'the success page is last year’s',
    replaceAll('/northzone/payment/success', '/midzone/payment/success'),
    'Two events would have used one address.',
    'success: /midzone',
  ),
  newMidzone(
    'the prefix is last year’s',
    replaceAll('NORZ', 'MIDZ'),
    'Payments would have been booked to either event.',
    'prefix: MIDZ',
  ),
  newMidzone(
    'the prefix is part of the prefix PULMO',
    replaceAll('NORZ', 'PULMO'),
    'Orders would have opened the other conference’s result page.',
    'prefix: PULMO',
  ),
  newMidzone(
    'the API path for prices is last year’s',
    replaceAll('/api/northzone/pricing/', '/api/midzone/pricing/'),
    'The form would have shown last year’s prices.',
    'tariff:',
  ),
  newMidzone(
    'the support draft names last year’s event',
    replaceOne('mail: "Kerala North Zone 2026', 'mail: "Kerala Mid Zone 2025'),
    'Support staff would have searched the wrong event.',
  ),
  newMidzone(
    'the title is new, but the dates are last year’s',
    combineEdits(
      replaceOne('from: 2026-11-23', 'from: 2025-11-23'),
      replaceOne('to: 2026-11-23', 'to: 2025-11-23'),
      replaceOne('23 November 2026', '23 November 2025'),
    ),
    'Delegates would have seen a date in the past.',
    'from: 2025',
    'to: 2025',
  ),
  newMidzone(
    'only the first day is new',
    replaceOne('to: 2026-11-23', 'to: 2025-11-23'),
    'The page would have shown an event that ends before it begins.',
  ),
  markUndetectable(
    'A venue is free text, and the conference can meet there again.',
    newMidzone(
      'the venue is last year’s',
      replaceOne('venue: Kozhikode', 'venue: Kochi'),
      'Delegates would have gone to Kochi.',
    ),
  ),
  markUndetectable(
    'One team may be responsible for two conferences.',
    newMidzone(
      'the support address is another conference’s',
      replaceAll('support@northzone.example', 'support@midzone.example'),
      'Delegates would have written to strangers.',
      'support:',
    ),
  ),
  markUndetectable(
    'Two conferences of one association may share an account.',
    newMidzone(
      'the payment account is another association’s',
      combineEdits(
        replaceOne('account: afpi', 'account: chirurgia'),
        replaceOne('account: afpi', 'account: chirurgia'),
      ),
      'The fees would have reached another association’s bank.',
      'account:',
    ),
  ),
  markUndetectable(
    'A motto can be used twice.',
    newAfpicon(
      'the motto is last year’s',
      replaceOne('The Tea Route', 'The Spice Route'),
      'The page would have shown last year’s motto.',
    ),
  ),
]
