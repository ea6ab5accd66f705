/** Mistakes of the second set: texts with placeholders. */
import {
  afpicon,
  insertBelow,
  chirurgia,
  removeLine,
  midzone,
  markUndetectable,
  replaceOne,
  pulmocon,
  combineEdits,
} from './mistake-builders.ts'
import type { Mistake } from './mistake-builders.ts'

export const textMistakes: readonly Mistake[] = [
  afpicon(
    'a placeholder misspelt in the email',
    replaceOne('{full_name},\n\n    Thank you', '{fullname},\n\n    Thank you'),
    'Every confirmation would have begun “Dear {fullname}”.',
  ),
  afpicon(
    'a placeholder from the old page',
    replaceOne('Registration number: {reg_no}', 'Registration number: {regNo}'),
    'Confirmations would not have contained a number.',
  ),
  afpicon(
    'a doubled brace',
    replaceOne('Category: {category}\n    Amount', 'Category: {{category}}\n    Amount'),
    'Confirmations would have shown braces.',
  ),
  afpicon(
    'a brace not closed',
    replaceOne('{event.dates}, {event.venue}.', '{event.dates, {event.venue}.'),
    'Confirmations would have lost the days.',
  ),
  afpicon(
    'a brace not opened',
    replaceOne('Category: {category}\n    Amount', 'Category: category}\n    Amount'),
    'Confirmations would have said “category}”.',
  ),
  afpicon(
    'a space in a placeholder',
    replaceOne('Name: {full_name}', 'Name: {full name}'),
    'Receipts would have had no name.',
  ),
  afpicon(
    'brackets for braces',
    replaceOne('Name: {full_name}', 'Name: [full_name]'),
    'Receipts would have shown “[full_name]”.',
  ),
  afpicon(
    'percent signs for braces',
    replaceOne('Name: {full_name}', 'Name: %full_name%'),
    'Receipts would have said “%full_name%”.',
  ),
  afpicon(
    'a dollar before the brace',
    replaceOne('Name: {full_name}', 'Name: ${full_name}'),
    'Receipts would have had a dollar before the name.',
  ),
  afpicon(
    'the motto is deleted, but the email needs it',
    removeLine('theme: The Spice'),
    'Confirmations would have said “(N/A)”.',
    '{event.theme}',
  ),
  afpicon(
    'the hours of a conference that has none',
    replaceOne('{event.dates}, {event.venue}.', '{event.dates}, {event.hours}, {event.venue}.'),
    'Confirmations would have said “N/A” for the hours.',
  ),
  afpicon(
    'the payment’s day before payment',
    replaceOne(
      '- Fees are exclusive of 18% GST',
      '- Fees are exclusive of 18% GST until {payment_date}',
    ),
    'The form would have shown “{payment_date}”.',
  ),
  afpicon(
    'the receipt’s name without quotes',
    replaceOne('file: "{reg_no}.txt"', 'file: {reg_no}.txt'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'all receipts with the same file name',
    replaceOne('file: "{reg_no}.txt"', 'file: receipt.txt'),
    'Every receipt would have overwritten the previous one.',
  ),
  afpicon(
    'a path in the receipt’s name',
    replaceOne('file: "{reg_no}.txt"', 'file: "receipts/{reg_no}.txt"'),
    'Browsers would have saved it under another name.',
  ),
  afpicon(
    'a smart quote opens a text',
    replaceOne('file: "{reg_no}.txt"', 'file: “{reg_no}.txt”'),
    'The receipt would have been called “AFPI….txt”, quotes and all.',
  ),
  afpicon(
    'a smart apostrophe for a quote',
    replaceOne('colour: "#E0A100"', 'colour: ‘#E0A100’'),
    'The page would have had no colour.',
  ),
  afpicon(
    'the colour without quotes',
    replaceOne('colour: "#E0A100"', 'colour: #E0A100'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colour with a digit lost',
    replaceOne('"#E0A100"', '"#E0A10"'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colon in a text',
    replaceOne('title: Payment Failed', 'title: Payment: Failed'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a hash cuts a text',
    replaceOne(
      'venue: Resort, Changanassery, Kottayam',
      'venue: Resort #12, Changanassery, Kottayam',
    ),
    'Delegates would have been sent to “Resort”.',
  ),
  markUndetectable(
    'In these files, every remark begins with a hash after a blank.',
    afpicon(
      'a hash cuts a note',
      replaceOne(
        '- Please bring a valid ID proof to the venue',
        '- Please bring a valid ID proof to the venue # hall 2',
      ),
      'Delegates would not have found the hall.',
    ),
  ),
  afpicon(
    'a comma cuts a text in braces',
    replaceOne('{label: Venue, show: event.venue}', '{label: Venue, Hall, show: event.venue}'),
    'The row would have lost half its name.',
  ),
  afpicon(
    'a detail row misspelt',
    replaceOne('      - phone_number\n      - {show', '      - phone_no\n      - {show'),
    'Confirmations would have had no phone number.',
  ),
  afpicon(
    'a detail of a removed field',
    removeLine('{id: full_name,'),
    'Confirmations would have had no name.',
    '- full_name',
    '{full_name}',
    'fields:',
  ),
  afpicon(
    'as: word',
    replaceOne('as: words', 'as: word'),
    'The category would have been shown with hyphens.',
  ),
  afpicon(
    'show and text together',
    replaceOne('{label: Status, text: Paid}', '{label: Status, text: Paid, show: payment_status}'),
    'The text would have been ambiguous.',
  ),
  afpicon(
    'the failed page says Paid',
    replaceOne('{label: Status, text: Failed}', '{label: Status, text: Paid}'),
    'Delegates who had not paid would have thought they had.',
    'failed:',
  ),
  afpicon(
    'titles of the two pages swapped',
    combineEdits(
      replaceOne('title: Payment Failed', 'title: A'),
      replaceOne('title: Registration Confirmed', 'title: Payment Failed'),
      replaceOne('title: A', 'title: Registration Confirmed'),
    ),
    'Delegates who had paid would have read “Payment Failed”.',
  ),
  afpicon(
    'split-total misspelt',
    replaceOne('amounts: split-total', 'amounts: split_total'),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'split-total under one page',
    combineEdits(
      removeLine('amounts: split-total'),
      insertBelow('title: Registration Confirmed', '    amounts: split-total'),
    ),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'the receipt’s percent',
    replaceOne('GST (18%): {gst}', 'GST (12%): {gst}'),
    'Accounts departments would have refused the receipt.',
  ),
  markUndetectable(
    'The staff decide who gets the copies.',
    afpicon(
      'the email has a stranger as copy recipient',
      replaceOne('copy_to: office', 'copy_to: support'),
      'Staff would have got no copy.',
    ),
  ),
  afpicon(
    'the subject left empty',
    replaceOne('subject: "{event.title} – registration {reg_no} confirmed"', 'subject:'),
    'Confirmations would have gone to the junk folder.',
  ),
  afpicon(
    'the block’s bar forgotten',
    replaceOne('  text: |\n    Dear', '  text:\n    Dear'),
    'The email would have arrived in one line, if at all.',
    'Dear {full_name}',
  ),
  afpicon(
    'a line of the block moved left',
    replaceOne('    Category: {category}\n    Amount', 'Category: {category}\n    Amount'),
    'The file could not have been read at all.',
    'Amount paid: {total}',
  ),
  chirurgia(
    'the number in a note misspelt',
    replaceOne('registration number {reg_no} for', 'registration number {reg_on} for'),
    'Delegates would have been told to keep “{reg_on}”.',
  ),
  chirurgia(
    'the email names another conference',
    replaceOne(
      'Thank you for registering for {event.title}',
      'Thank you for registering for AFPICON 2026',
    ),
    'Surgeons would have been thanked by the physicians.',
  ),
  markUndetectable(
    'Only a reader can check a sentence about payments.',
    chirurgia(
      'the email says GST excluded',
      replaceOne('Amount paid: {total} (GST included)', 'Amount paid: {total} + 18% GST'),
      'Delegates would have thought that they had to pay more.',
    ),
  ),
  chirurgia(
    'the support draft with the failed order’s wrong name',
    replaceOne('order {order_id}"', 'order {orderid}"'),
    'Support would have been asked about “{orderid}”.',
  ),
  chirurgia(
    'a number on a page that looks up nothing',
    replaceOne(
      '    title: Payment Failed\n    details:\n',
      '    title: Payment Failed\n    details:\n      - reg_no\n',
    ),
    'The failed page would have shown “N/A” for the number.',
  ),
  midzone(
    'the hours are deleted, but the email needs them',
    removeLine('hours: 9 AM'),
    'Confirmations would have said “N/A” for the hours.',
    '{event.hours}',
    'event.hours',
    'event:',
  ),
  midzone(
    'a row for members depends on the wrong field',
    replaceOne('when: {afpi_member: true}}', 'when: {is_member: true}}'),
    'Members would not have seen their number.',
  ),
  midzone(
    'a row without its condition',
    replaceOne(
      '- {show: afpi_membership_number, when: {afpi_member: true}}',
      '- afpi_membership_number',
    ),
    'Non-members would have seen “N/A” for a number.',
  ),
  pulmocon(
    'the lookup removed',
    removeLine('lookup: if-found'),
    'The failed page would have shown “N/A” for the number.',
    '- reg_no',
  ),
  pulmocon(
    'lookup misspelt',
    replaceOne('lookup: if-found', 'lookup: if found'),
    'The failed page could not have been rendered.',
  ),
  pulmocon(
    'the notice names last year',
    replaceOne('for PULMOCON 2025 is currently', 'for PULMOCON 2024 is currently'),
    'Delegates would have wondered whether this year’s is open.',
  ),
  markUndetectable(
    'A sentence about lunch cannot be checked.',
    afpicon(
      'the panel promises something that does not exist',
      replaceOne('certificate and lunch', 'certificate and dinner'),
      'Delegates would have gone without lunch.',
      'certificate',
    ),
  ),
  markUndetectable(
    'Both are plausible causes.',
    afpicon(
      'a reason that cannot be the cause',
      replaceOne('- Payment gateway timeout', '- Registration is not yet open'),
      'Delegates would have waited instead of trying again.',
    ),
  ),
  markUndetectable(
    'A text may say anything about an amount already deducted.',
    afpicon(
      'the note says the reverse',
      replaceOne('No amount has been deducted', 'The amount has been deducted'),
      'Delegates would have called their banks.',
    ),
  ),
]
