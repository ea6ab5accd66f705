/** Mistakes of the second set: names, addresses and endpoints. */
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
    'the file’s id is misspelt',
    replaceOne('id: afpicon2026', 'id: afpicon2062'),
    'The event would have been stored under an unknown name.',
  ),
  afpicon(
    'the id with a capital',
    replaceOne('id: afpicon2026', 'id: Afpicon2026'),
    'The event would have been stored under another name.',
  ),
  afpicon(
    'support without its top-level domain',
    replaceOne('support: support@afpicon.example', 'support: support@afpicon'),
    'No email to support would have arrived.',
  ),
  afpicon(
    'support with a comma',
    replaceOne('support: support@afpicon.example', 'support: support@afpicon,example'),
    'No email to support would have arrived.',
  ),
  afpicon(
    'support with a space',
    replaceOne('support: support@afpicon.example', 'support: support @afpicon.example'),
    'No email to support would have arrived.',
  ),
  afpicon(
    'support with letters swapped',
    replaceOne('support: support@afpicon.example', 'support: suport@afpicon.example'),
    'No email to support would have arrived.',
  ),
  afpicon(
    'two addresses in one',
    replaceOne(
      'support: support@afpicon.example',
      'support: support@afpicon.example, desk@afpicon.example',
    ),
    'No email to support would have arrived.',
  ),
  afpicon(
    'the office address missing, its copy required',
    removeLine('office: registrations@'),
    'Staff would have got no copy of a confirmation.',
    'copy_to',
  ),
  afpicon(
    'the venue is missing',
    removeLine('venue: Resort'),
    'Delegates would not have known where to go.',
    'event:',
  ),
  afpicon(
    'the venue’s key misspelt',
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
    'a route without its slash',
    replaceOne('form: /afpicon2026', 'form: afpicon2026'),
    'The link in the brochure would have led nowhere.',
  ),
  afpicon(
    'a route with a slash at the end',
    replaceOne('form: /afpicon2026', 'form: /afpicon2026/'),
    'The link in the brochure would have led nowhere.',
  ),
  afpicon(
    'a route with the whole address',
    replaceOne('success: /afpicon/', 'success: https://conference.example/afpicon/'),
    'Delegates who had paid would have seen “not found”.',
  ),
  afpicon(
    'success and failed swapped, promises too',
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
    'success and failed the same',
    replaceOne('failed: /afpicon/payment/failed', 'failed: /afpicon/payment/success'),
    'Delegates who had paid would have been told that it failed.',
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
    'The promise would have named a missing address.',
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
    'A delegate whose card failed would have seen “not found”.',
  ),
  afpicon(
    'the extra route removed',
    removeLine('also: [/afpicon/register]'),
    'A delegate whose card failed would have seen “not found”.',
    'go: /afpicon/register',
    'routes:',
  ),
  afpicon(
    'a button with an unknown action',
    replaceOne('do: receipt', 'do: download'),
    'No delegate could have got a receipt.',
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
    'the receipt’s block deleted',
    (text) =>
      assertChanged(text, text.replace(/ {2}receipt:\n(?: {4}.*\n|\n| {6}.*\n)+/, ''), 'receipt'),
    'Download Receipt would have downloaded nothing.',
    'do: receipt',
  ),
  afpicon(
    'an account in capitals',
    replaceOne('account: afpi ', 'account: AFPI '),
    'The credentials would not have been found, and no one could have paid.',
  ),
  afpicon(
    'an unknown gateway',
    replaceOne('gateway: airpay', 'gateway: airpays'),
    'No one could have paid.',
  ),
  afpicon(
    'the prefix in small letters',
    replaceOne('prefix: AFPI', 'prefix: afpi'),
    'The gateway’s answers would have matched no order.',
  ),
  afpicon(
    'the prefix with a hyphen',
    replaceOne('prefix: AFPI', 'prefix: AFPI-'),
    'The gateway would have refused the order ids.',
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
    'The gateway would have refused a second attempt.',
    'prefix: AFPICON2026',
  ),
  afpicon(
    'followed by a misspelt word',
    replaceOne('followed_by: digits', 'followed_by: digit'),
    'No order would have been recognised.',
  ),
  afpicon(
    'the read call lost its placeholder',
    replaceOne(
      'registration: /api/afpicon/registrations/{reg_no}/',
      'registration: /api/afpicon/registrations/',
    ),
    'Every result page would have failed to find its delegate.',
  ),
  afpicon(
    'the placeholder’s name wrong',
    replaceOne(
      'registration: /api/afpicon/registrations/{reg_no}/',
      'registration: /api/afpicon/registrations/{regno}/',
    ),
    'Every result page would have failed to find its delegate.',
  ),
  afpicon(
    'sent as the wrong value',
    replaceOne('gst_amount: gst\n', 'gst_amount: base\n'),
    'The reader of the API would have booked the base as tax.',
  ),
  afpicon(
    'sent under a field’s name',
    replaceOne('base_amount: base\n', 'ticket_type: base\n'),
    'The category would have been overwritten by rupees.',
  ),
  afpicon(
    'sends an unknown value',
    replaceOne('total_amount: total\n', 'total_amount: totals\n'),
    'The amount would have been missing from the call.',
  ),
  afpicon(
    'gateway key of the API misspelt',
    replaceOne('gateway_return:', 'gateway_returns:'),
    'The gateway’s return would have reached no route.',
  ),
  chirurgia(
    'tariff and read call collide',
    replaceAll('/api/chirurgia/tariff-info/', '/api/chirurgia/registrations/tariff/'),
    'The price list would have been taken for a delegate.',
    'tariff:',
  ),
  chirurgia(
    'register and tariff at one address',
    replaceAll('/api/chirurgia/tariff-info/', '/api/chirurgia/register/'),
    'The prices could not have been read.',
    'tariff:',
  ),
  midzone(
    'the read call of another event',
    replaceAll('/api/midzone/registrations/', '/api/chirurgia/registrations/'),
    'Result pages would have looked for Mid Zone’s delegates in Chirurgia.',
    'registration:',
  ),
  midzone(
    'the prefix is Chirurgia’s',
    replaceAll('MIDZ', 'CHIR'),
    'Orders would have opened the other conference’s page.',
    'prefix:',
  ),
  midzone(
    'the prefix is PULMO and digits',
    replaceAll('MIDZ', 'PULMO2'),
    'Orders would have opened the other conference’s page.',
    'prefix:',
  ),
  pulmocon(
    'the prefix is cut to a letter',
    replaceAll('[PULMO,', '[P,'),
    'The promise would have named missing ids.',
    'prefix: PULMO',
  ),
  pulmocon(
    'the notice is missing',
    (text) => assertChanged(text, text.replace(/closed:\n {2}heading[^#]*?\n\n/, ''), 'closed'),
    'The page would have been empty.',
    'status: closed',
  ),
  pulmocon(
    'opened again for a test',
    replaceOne('status: closed', 'status: open'),
    'Delegates would have filled in a form without a price.',
    'closed:',
  ),
  markUndetectable(
    'Both are valid addresses.',
    afpicon(
      'support is a private address, also in `promises`',
      replaceAll('support@afpicon.example', 'secretary@mail.example'),
      'Emails would have gone to a user on leave.',
      'support:',
    ),
  ),
  markUndetectable(
    'Only the bank knows which account a name refers to.',
    midzone(
      'the account of the surgeons',
      replaceAll('account: afpi', 'account: chirurgia'),
      'The fees would have reached the surgeons’ bank.',
      'account:',
    ),
  ),
]
