/** Mistakes of the second set: texts with placeholders. */
import {
  afpicon,
  insertBelow,
  chirurgia,
  drop,
  midzone,
  asUnfindable,
  one,
  pulmocon,
  steps,
} from './making.ts'
import type { Mistake } from './making.ts'

export const texts: readonly Mistake[] = [
  afpicon(
    'a placeholder misspelt in the email',
    one('{full_name},\n\n    Thank you', '{fullname},\n\n    Thank you'),
    'Every confirmation would have begun “Dear {fullname}”.',
  ),
  afpicon(
    'a placeholder from the old page',
    one('Registration number: {reg_no}', 'Registration number: {regNo}'),
    'Confirmations would have had no number in them.',
  ),
  afpicon(
    'a doubled brace',
    one('Category: {category}\n    Amount', 'Category: {{category}}\n    Amount'),
    'Confirmations would have shown braces.',
  ),
  afpicon(
    'a brace not closed',
    one('{event.dates}, {event.venue}.', '{event.dates, {event.venue}.'),
    'Confirmations would have lost the days.',
  ),
  afpicon(
    'a brace not opened',
    one('Category: {category}\n    Amount', 'Category: category}\n    Amount'),
    'Confirmations would have said “category}”.',
  ),
  afpicon(
    'a space in a placeholder',
    one('Name: {full_name}', 'Name: {full name}'),
    'Receipts would have had no name.',
  ),
  afpicon(
    'brackets for braces',
    one('Name: {full_name}', 'Name: [full_name]'),
    'Receipts would have said “[full_name]”.',
  ),
  afpicon(
    'percent signs for braces',
    one('Name: {full_name}', 'Name: %full_name%'),
    'Receipts would have said “%full_name%”.',
  ),
  afpicon(
    'a dollar before the brace',
    one('Name: {full_name}', 'Name: ${full_name}'),
    'Receipts would have had a dollar before the name.',
  ),
  afpicon(
    'the motto is gone, the email needs it',
    drop('theme: The Spice'),
    'Confirmations would have said “(N/A)”.',
    '{event.theme}',
  ),
  afpicon(
    'the hours of a conference that has none',
    one('{event.dates}, {event.venue}.', '{event.dates}, {event.hours}, {event.venue}.'),
    'Confirmations would have said “N/A” for the hours.',
  ),
  afpicon(
    'the payment’s day before payment',
    one('- Fees are exclusive of 18% GST', '- Fees are exclusive of 18% GST until {payment_date}'),
    'The form would have shown “{payment_date}”.',
  ),
  afpicon(
    'the receipt’s name without quotes',
    one('file: "{reg_no}.txt"', 'file: {reg_no}.txt'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'the receipt’s name the same for all',
    one('file: "{reg_no}.txt"', 'file: receipt.txt'),
    'Every receipt would have overwritten the one before.',
  ),
  afpicon(
    'a path in the receipt’s name',
    one('file: "{reg_no}.txt"', 'file: "receipts/{reg_no}.txt"'),
    'Browsers would have saved it under some other name.',
  ),
  afpicon(
    'a smart quote opens a text',
    one('file: "{reg_no}.txt"', 'file: “{reg_no}.txt”'),
    'The receipt would have been called “AFPI….txt”, quotes and all.',
  ),
  afpicon(
    'a smart apostrophe for a quote',
    one('colour: "#E0A100"', 'colour: ‘#E0A100’'),
    'The page would have had no colour.',
  ),
  afpicon(
    'the colour without quotes',
    one('colour: "#E0A100"', 'colour: #E0A100'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colour with a digit lost',
    one('"#E0A100"', '"#E0A10"'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colon in a text',
    one('title: Payment Failed', 'title: Payment: Failed'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a hash cuts a text',
    one('venue: Resort, Changanassery, Kottayam', 'venue: Resort #12, Changanassery, Kottayam'),
    'Delegates would have been sent to “Resort”.',
  ),
  asUnfindable(
    'A hash after a blank is how these files write every remark.',
    afpicon(
      'a hash cuts a note',
      one(
        '- Please bring a valid ID proof to the venue',
        '- Please bring a valid ID proof to the venue # hall 2',
      ),
      'Delegates would not have found the hall.',
    ),
  ),
  afpicon(
    'a comma cuts a text in braces',
    one('{label: Venue, show: event.venue}', '{label: Venue, Hall, show: event.venue}'),
    'The row would have lost half its name.',
  ),
  afpicon(
    'a detail row misspelt',
    one('      - phone_number\n      - {show', '      - phone_no\n      - {show'),
    'Confirmations would have had no phone number.',
  ),
  afpicon(
    'a detail of a removed field',
    drop('{id: full_name,'),
    'Confirmations would have had no name.',
    '- full_name',
    '{full_name}',
    'fields:',
  ),
  afpicon(
    'as: word',
    one('as: words', 'as: word'),
    'The category would have been shown with hyphens.',
  ),
  afpicon(
    'show and text together',
    one('{label: Status, text: Paid}', '{label: Status, text: Paid, show: payment_status}'),
    'The text would have been ambiguous.',
  ),
  afpicon(
    'failed says Paid',
    one('{label: Status, text: Failed}', '{label: Status, text: Paid}'),
    'Delegates who had not paid would have thought they had.',
    'failed:',
  ),
  afpicon(
    'titles of the two pages swapped',
    steps(
      one('title: Payment Failed', 'title: A'),
      one('title: Registration Confirmed', 'title: Payment Failed'),
      one('title: A', 'title: Registration Confirmed'),
    ),
    'Delegates who had paid would have read “Payment Failed”.',
  ),
  afpicon(
    'split-total misspelt',
    one('amounts: split-total', 'amounts: split_total'),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'split-total under one page',
    steps(
      drop('amounts: split-total'),
      insertBelow('title: Registration Confirmed', '    amounts: split-total'),
    ),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'the receipt’s percent',
    one('GST (18%): {gst}', 'GST (12%): {gst}'),
    'Accounts departments would have refused the receipt.',
  ),
  asUnfindable(
    'Who wants the copies is for the staff to decide.',
    afpicon(
      'the email has a stranger as copy recipient',
      one('copy_to: office', 'copy_to: support'),
      'Staff would have got no copy.',
    ),
  ),
  afpicon(
    'the subject left empty',
    one('subject: "{event.title} – registration {reg_no} confirmed"', 'subject:'),
    'Confirmations would have gone to the junk folder.',
  ),
  afpicon(
    'the block’s bar forgotten',
    one('  text: |\n    Dear', '  text:\n    Dear'),
    'The email would have arrived in one line, if at all.',
    'Dear {full_name}',
  ),
  afpicon(
    'a line of the block moved left',
    one('    Category: {category}\n    Amount', 'Category: {category}\n    Amount'),
    'The file could not have been read at all.',
    'Amount paid: {total}',
  ),
  chirurgia(
    'the number in a note misspelt',
    one('registration number {reg_no} for', 'registration number {reg_on} for'),
    'Delegates would have been told to keep “{reg_on}”.',
  ),
  chirurgia(
    'the email names another conference',
    one(
      'Thank you for registering for {event.title}',
      'Thank you for registering for AFPICON 2026',
    ),
    'Surgeons would have been thanked by the physicians.',
  ),
  asUnfindable(
    'Only a reader can check a sentence about payments.',
    chirurgia(
      'the email says GST excluded',
      one('Amount paid: {total} (GST included)', 'Amount paid: {total} + 18% GST'),
      'Delegates would have thought that they had to pay more.',
    ),
  ),
  chirurgia(
    'the support draft with the failed order’s wrong name',
    one('order {order_id}"', 'order {orderid}"'),
    'Support would have been asked about “{orderid}”.',
  ),
  chirurgia(
    'a number shown where nothing is looked up',
    one(
      '    title: Payment Failed\n    details:\n',
      '    title: Payment Failed\n    details:\n      - reg_no\n',
    ),
    'The failed page would have shown “N/A” for the number.',
  ),
  midzone(
    'the hours deleted, the email needs them',
    drop('hours: 9 AM'),
    'Confirmations would have said “N/A” for the hours.',
    '{event.hours}',
    'event.hours',
    'event:',
  ),
  midzone(
    'a row for members depends on the wrong field',
    one('when: {afpi_member: true}}', 'when: {is_member: true}}'),
    'Members would not have seen their number.',
  ),
  midzone(
    'a row without its condition',
    one('- {show: afpi_membership_number, when: {afpi_member: true}}', '- afpi_membership_number'),
    'Non-members would have seen “N/A” for a number.',
  ),
  pulmocon(
    'the lookup removed',
    drop('lookup: if-found'),
    'The failed page would have shown “N/A” for the number.',
    '- reg_no',
  ),
  pulmocon(
    'lookup misspelt',
    one('lookup: if-found', 'lookup: if found'),
    'The failed page could not have been rendered.',
  ),
  pulmocon(
    'the notice names last year',
    one('for PULMOCON 2025 is currently', 'for PULMOCON 2024 is currently'),
    'Delegates would have wondered whether this year’s is open.',
  ),
  asUnfindable(
    'A sentence about lunch cannot be checked.',
    afpicon(
      'the panel promises something that does not exist',
      one('certificate and lunch', 'certificate and dinner'),
      'Delegates would have gone without lunch.',
      'certificate',
    ),
  ),
  asUnfindable(
    'Both are plausible causes.',
    afpicon(
      'a reason that is not one',
      one('- Payment gateway timeout', '- Registration is not yet open'),
      'Delegates would have waited instead of trying again.',
    ),
  ),
  asUnfindable(
    'A text may say anything about an amount already deducted.',
    afpicon(
      'the note says the reverse',
      one('No amount has been deducted', 'The amount has been deducted'),
      'Delegates would have called their banks.',
    ),
  ),
]
