/** The second set's mistakes in names, addresses and endpoints. */
import {
  afpicon,
  replaceAll,
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

export const nameMistakes: readonly Mistake[] = [
  afpicon(
    'the id of the event is misspelt',
    replaceOne('id: afpicon2026', 'id: afpicon2062'),
    'The event would have been stored under an unknown name.',
  ),
  afpicon(
    'the id with a capital letter',
    replaceOne('id: afpicon2026', 'id: Afpicon2026'),
    'The event would have been stored under another name.',
  ),
  afpicon(
    'the support address without its top-level domain',
    replaceOne('support: support@afpicon.example', 'support: support@afpicon'),
    'Emails to support would not have arrived.',
  ),
  afpicon(
    'the support address with a comma',
    replaceOne('support: support@afpicon.example', 'support: support@afpicon,example'),
    'Emails to support would not have arrived.',
  ),
  afpicon(
    'the support address with a space',
    replaceOne('support: support@afpicon.example', 'support: support @afpicon.example'),
    'Emails to support would not have arrived.',
  ),
  afpicon(
    'the support address with letters swapped',
    replaceOne('support: support@afpicon.example', 'support: suport@afpicon.example'),
    'Emails to support would not have arrived.',
  ),
  afpicon(
    'two addresses in one value',
    replaceOne(
      'support: support@afpicon.example',
      'support: support@afpicon.example, desk@afpicon.example',
    ),
    'Emails to support would not have arrived.',
  ),
  afpicon(
    'the office address is missing, but a copy is sent to it',
    removeLine('office: registrations@'),
    'Staff would have received no copy of a confirmation.',
    'copy_to',
  ),
  afpicon(
    'the venue is missing',
    removeLine('venue: Resort'),
    'Delegates would not have known where to go.',
    'event:',
  ),
  afpicon(
    'the key of the venue misspelt',
    replaceOne('venue: Resort', 'venu: Resort'),
    'Delegates would not have known where to go.',
  ),
  afpicon(
    'status: opened',
    replaceOne('status: open', 'status: opened'),
    'The form would not have been shown.',
  ),
  afpicon(
    'closed by mistake',
    replaceOne('status: open', 'status: closed'),
    'No delegate could have registered.',
  ),
  afpicon(
    'a route without its leading slash',
    replaceOne('form: /afpicon2026', 'form: afpicon2026'),
    'The link in the brochure would not have worked.',
  ),
  afpicon(
    'a route with a trailing slash',
    replaceOne('form: /afpicon2026', 'form: /afpicon2026/'),
    'The link in the brochure would not have worked.',
  ),
  afpicon(
    'a route with a complete URL',
    replaceOne('success: /afpicon/', 'success: https://conference.example/afpicon/'),
    'Delegates who had paid would have seen “not found”.',
  ),
  afpicon(
    'success and failed swapped, in `promises` too',
    combineEdits(
      replaceAll('/afpicon/payment/success', '/A'),
      replaceAll('/afpicon/payment/failed', '/afpicon/payment/success'),
      replaceAll('/A', '/afpicon/payment/failed'),
    ),
    'Delegates who had paid would have been sent to an address called failed.',
    'success:',
    'failed:',
  ),
  afpicon(
    'the same address for success and failed',
    replaceOne('failed: /afpicon/payment/failed', 'failed: /afpicon/payment/success'),
    'Delegates who had paid would have seen that the payment failed.',
  ),
  afpicon(
    'a result page at another event’s address',
    replaceAll('/afpicon/payment/success', '/chirurgia/payment/success'),
    'Two conferences would have used one page address.',
    'success: /chir',
  ),
  afpicon(
    'a form at the address of the staff pages',
    replaceAll('/afpicon2026,', '/admin/dashboard,'),
    'The promised address would have been missing.',
    'form: /afpicon2026',
  ),
  afpicon(
    'a form at the address of the staff sign-in',
    combineEdits(
      replaceOne('form: /afpicon2026', 'form: /admin/login'),
      replaceOne('[/afpicon2026,', '[/admin/login,'),
    ),
    'Staff could not have signed in.',
    'form: /admin',
  ),
  afpicon(
    'Try Again misspelt',
    replaceOne('go: /afpicon/register', 'go: /afpicon/registr'),
    'A delegate whose card payment failed would have seen “not found”.',
  ),
  afpicon(
    'the extra route removed',
    removeLine('also: [/afpicon/register]'),
    'A delegate whose card payment failed would have seen “not found”.',
    'go: /afpicon/register',
    'routes:',
  ),
  afpicon(
    'a button with an unknown action',
    replaceOne('do: receipt', 'do: download'),
    'No delegate could have downloaded a receipt.',
  ),
  afpicon(
    'a button with two targets',
    replaceOne('{label: Go Home, go: /}', '{label: Go Home, go: /, do: print}'),
    'Its effect would have been unclear.',
  ),
  afpicon(
    'a button without a target',
    replaceOne('{label: Go Home, go: /}', '{label: Go Home}'),
    'The button would have done nothing.',
  ),
  afpicon(
    'the receipt block deleted',
    (text) =>
      assertChanged(text, text.replace(/ {2}receipt:\n(?: {4}.*\n|\n| {6}.*\n)+/, ''), 'receipt'),
    'The Download Receipt button would have had no effect.',
    'do: receipt',
  ),
  afpicon(
    'an account in capitals',
    replaceOne('account: afpi ', 'account: AFPI '),
    'The credentials would not have been found, and no delegate could have paid.',
  ),
  afpicon(
    'an unknown gateway',
    replaceOne('gateway: airpay', 'gateway: airpays'),
    'No delegate could have paid.',
  ),
  afpicon(
    'the prefix in lower case',
    replaceOne('prefix: AFPI', 'prefix: afpi'),
    'The gateway’s responses would have matched no order.',
  ),
  afpicon(
    'the prefix with a hyphen',
    replaceOne('prefix: AFPI', 'prefix: AFPI-'),
    'The gateway would have rejected the order ids.',
  ),
  afpicon(
    'too few digits',
    replaceOne('digits: 13', 'digits: 6'),
    'Strangers could have guessed a delegate’s number.',
  ),
  afpicon(
    'a prefix too long for the gateway',
    combineEdits(
      replaceOne('prefix: AFPI', 'prefix: AFPICON2026'),
      replaceOne('[AFPI,', '[AFPICON2026,'),
    ),
    'The gateway would have rejected a second attempt.',
    'prefix: AFPICON2026',
  ),
  afpicon(
    '`followed_by` with a misspelt value',
    replaceOne('followed_by: digits', 'followed_by: digit'),
    'No order would have been recognised.',
  ),
  afpicon(
    'the API path for reading a registration without its placeholder',
    replaceOne(
      'registration: /api/afpicon/registrations/{reg_no}/',
      'registration: /api/afpicon/registrations/',
    ),
    'The result pages would not have found any registration.',
  ),
  afpicon(
    'the placeholder with a wrong name',
    replaceOne(
      'registration: /api/afpicon/registrations/{reg_no}/',
      'registration: /api/afpicon/registrations/{regno}/',
    ),
    'The result pages would not have found any registration.',
  ),
  afpicon(
    'a value sent under the wrong name',
    replaceOne('gst_amount: gst\n', 'gst_amount: base\n'),
    'The API’s client would have booked the base as tax.',
  ),
  afpicon(
    'a value sent under the name of a field',
    replaceOne('base_amount: base\n', 'ticket_type: base\n'),
    'The category would have been overwritten by rupees.',
  ),
  afpicon(
    'an unknown value sent',
    replaceOne('total_amount: total\n', 'total_amount: totals\n'),
    'The amount would have been missing from the response.',
  ),
  afpicon(
    'the gateway key of the API misspelt',
    replaceOne('gateway_return:', 'gateway_returns:'),
    'The gateway’s return would have reached no route.',
  ),
  chirurgia(
    'the API paths of prices and registrations conflict',
    replaceAll('/api/chirurgia/tariff-info/', '/api/chirurgia/registrations/tariff/'),
    'The price list would have been treated as a registration.',
    'tariff:',
  ),
  chirurgia(
    'the same API path for registering and prices',
    replaceAll('/api/chirurgia/tariff-info/', '/api/chirurgia/register/'),
    'The prices could not have been read.',
    'tariff:',
  ),
  midzone(
    'the API path for reading a registration is another event’s',
    replaceAll('/api/midzone/registrations/', '/api/chirurgia/registrations/'),
    'Result pages would have looked for Mid Zone registrations in Chirurgia.',
    'registration:',
  ),
  midzone(
    'the prefix is Chirurgia’s',
    replaceAll('MIDZ', 'CHIR'),
    'Orders would have opened the other conference’s page.',
    'prefix:',
  ),
  midzone(
    'the prefix is PULMO followed by digits',
    replaceAll('MIDZ', 'PULMO2'),
    'Orders would have opened the other conference’s page.',
    'prefix:',
  ),
  pulmocon(
    'the prefix shortened to one letter',
    replaceAll('[PULMO,', '[P,'),
    'The promised order ids would have been missing.',
    'prefix: PULMO',
  ),
  pulmocon(
    'the notice is missing',
    (text) => assertChanged(text, text.replace(/closed:\n {2}heading[^#]*?\n\n/, ''), 'closed'),
    'The page would have been empty.',
    'status: closed',
  ),
  pulmocon(
    'the event reopened for a test',
    replaceOne('status: closed', 'status: open'),
    'Delegates would have filled in a form without a price.',
    'closed:',
  ),
  markUndetectable(
    'Both addresses are valid.',
    afpicon(
      'support is a private address, in `promises` too',
      replaceAll('support@afpicon.example', 'secretary@mail.example'),
      'Emails would have gone to a user on leave.',
      'support:',
    ),
  ),
  markUndetectable(
    'Only the bank knows whose account it is.',
    midzone(
      'the payment account of the surgeons',
      replaceAll('account: afpi', 'account: chirurgia'),
      'The fees would have reached the surgeons’ bank.',
      'account:',
    ),
  ),
]
