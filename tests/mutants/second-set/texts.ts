/** The second set's mistakes in texts with placeholders. */
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
    'Confirmations would not have contained the registration number.',
  ),
  afpicon(
    'a doubled brace',
    replaceOne('Category: {category}\n    Amount', 'Category: {{category}}\n    Amount'),
    'Confirmations would have shown braces.',
  ),
  afpicon(
    'a missing closing brace',
    replaceOne('{event.dates}, {event.venue}.', '{event.dates, {event.venue}.'),
    'Confirmations would not have contained the dates.',
  ),
  afpicon(
    'a missing opening brace',
    replaceOne('Category: {category}\n    Amount', 'Category: category}\n    Amount'),
    'Confirmations would have shown “category}”.',
  ),
  afpicon(
    'a space in a placeholder',
    replaceOne('Name: {full_name}', 'Name: {full name}'),
    'Receipts would have had no name.',
  ),
  afpicon(
    'brackets instead of braces',
    replaceOne('Name: {full_name}', 'Name: [full_name]'),
    'Receipts would have shown “[full_name]”.',
  ),
  afpicon(
    'percent signs instead of braces',
    replaceOne('Name: {full_name}', 'Name: %full_name%'),
    'Receipts would have shown “%full_name%”.',
  ),
  afpicon(
    'a dollar before the brace',
    replaceOne('Name: {full_name}', 'Name: ${full_name}'),
    'Receipts would have had a dollar before the name.',
  ),
  afpicon(
    'the motto is deleted, but the email needs it',
    removeLine('theme: The Spice'),
    'Confirmations would have shown “(N/A)”.',
    '{event.theme}',
  ),
  afpicon(
    'a placeholder for the hours of a conference without hours',
    replaceOne('{event.dates}, {event.venue}.', '{event.dates}, {event.hours}, {event.venue}.'),
    'Confirmations would have shown “N/A” for the hours.',
  ),
  afpicon(
    'a placeholder for the payment date in a text before payment',
    replaceOne(
      '- Fees are exclusive of 18% GST',
      '- Fees are exclusive of 18% GST until {payment_date}',
    ),
    'The form would have shown “{payment_date}”.',
  ),
  afpicon(
    'the file name of the receipt without quotes',
    replaceOne('file: "{reg_no}.txt"', 'file: {reg_no}.txt'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'all receipts with the same file name',
    replaceOne('file: "{reg_no}.txt"', 'file: receipt.txt'),
    'Every receipt would have overwritten the previous one.',
  ),
  afpicon(
    'a path in the file name of the receipt',
    replaceOne('file: "{reg_no}.txt"', 'file: "receipts/{reg_no}.txt"'),
    'Browsers would have saved it under another name.',
  ),
  afpicon(
    'a text that begins with a curly quote',
    replaceOne('file: "{reg_no}.txt"', 'file: “{reg_no}.txt”'),
    'The quotes would have been part of the receipt’s file name.',
  ),
  afpicon(
    'a curly apostrophe instead of a quote',
    replaceOne('colour: "#E0A100"', 'colour: ‘#E0A100’'),
    'The page would have had no colour.',
  ),
  afpicon(
    'the colour without quotes',
    replaceOne('colour: "#E0A100"', 'colour: #E0A100'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colour with a digit missing',
    replaceOne('"#E0A100"', '"#E0A10"'),
    'The page would have had no colour.',
  ),
  afpicon(
    'a colon in a text',
    replaceOne('title: Payment Failed', 'title: Payment: Failed'),
    'The file could not have been read at all.',
  ),
  afpicon(
    'a text cut off by a hash',
    replaceOne(
      'venue: Resort, Changanassery, Kottayam',
      'venue: Resort #12, Changanassery, Kottayam',
    ),
    'Delegates would have been sent to “Resort”.',
  ),
  markUndetectable(
    'In these files, every comment begins with a hash after a space.',
    afpicon(
      'a note cut off by a hash',
      replaceOne(
        '- Please bring a valid ID proof to the venue',
        '- Please bring a valid ID proof to the venue # hall 2',
      ),
      'Delegates would not have found the hall.',
    ),
  ),
  afpicon(
    'a text in braces cut off by a comma',
    replaceOne('{label: Venue, show: event.venue}', '{label: Venue, Hall, show: event.venue}'),
    'Half of the row’s label would have been missing.',
  ),
  afpicon(
    'a detail row misspelt',
    replaceOne('      - phone_number\n      - {show', '      - phone_no\n      - {show'),
    'Confirmations would have had no phone number.',
  ),
  afpicon(
    'a detail row for a removed field',
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
    '`show` and `text` together',
    replaceOne('{label: Status, text: Paid}', '{label: Status, text: Paid, show: payment_status}'),
    'The text would have been ambiguous.',
  ),
  afpicon(
    'the failed page shows Paid',
    replaceOne('{label: Status, text: Failed}', '{label: Status, text: Paid}'),
    'Delegates who had not paid would have believed that they had paid.',
    'failed:',
  ),
  afpicon(
    'titles of the two pages swapped',
    combineEdits(
      replaceOne('title: Payment Failed', 'title: A'),
      replaceOne('title: Registration Confirmed', 'title: Payment Failed'),
      replaceOne('title: A', 'title: Registration Confirmed'),
    ),
    'Delegates who had paid would have seen “Payment Failed”.',
  ),
  afpicon(
    '`split-total` misspelt',
    replaceOne('amounts: split-total', 'amounts: split_total'),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    '`split-total` under only one page',
    combineEdits(
      removeLine('amounts: split-total'),
      insertBelow('title: Registration Confirmed', '    amounts: split-total'),
    ),
    'Receipts would have shown other amounts than the page.',
  ),
  afpicon(
    'a wrong tax rate in the receipt',
    replaceOne('GST (18%): {gst}', 'GST (12%): {gst}'),
    'Accounts departments would have rejected the receipt.',
  ),
  markUndetectable(
    'Staff decide who receives the copies.',
    afpicon(
      'a stranger receives copies of the email',
      replaceOne('copy_to: office', 'copy_to: support'),
      'Staff would have received no copy.',
    ),
  ),
  afpicon(
    'an empty subject',
    replaceOne('subject: "{event.title} – registration {reg_no} confirmed"', 'subject:'),
    'Confirmations would have gone to the junk folder.',
  ),
  afpicon(
    'a text block without its vertical bar',
    replaceOne('  text: |\n    Dear', '  text:\n    Dear'),
    'The email would have been one long line.',
    'Dear {full_name}',
  ),
  afpicon(
    'a line of the block moved left',
    replaceOne('    Category: {category}\n    Amount', 'Category: {category}\n    Amount'),
    'The file could not have been read at all.',
    'Amount paid: {total}',
  ),
  chirurgia(
    'a misspelt placeholder for the number in a note',
    replaceOne('registration number {reg_no} for', 'registration number {reg_on} for'),
    'Delegates would have been asked to keep “{reg_on}”.',
  ),
  chirurgia(
    'the email mentions another conference',
    replaceOne(
      'Thank you for registering for {event.title}',
      'Thank you for registering for AFPICON 2026',
    ),
    'Surgeons would have received the physicians’ message.',
  ),
  markUndetectable(
    'Only a reader can check a sentence about payments.',
    chirurgia(
      'the email states that GST is excluded',
      replaceOne('Amount paid: {total} (GST included)', 'Amount paid: {total} + 18% GST'),
      'Delegates would have believed that they had to pay more.',
    ),
  ),
  chirurgia(
    'a misspelt placeholder for the order in the support draft',
    replaceOne('order {order_id}"', 'order {orderid}"'),
    'Support would have been asked about “{orderid}”.',
  ),
  chirurgia(
    'a number on a page without a lookup',
    replaceOne(
      '    title: Payment Failed\n    details:\n',
      '    title: Payment Failed\n    details:\n      - reg_no\n',
    ),
    'The failed page would have shown “N/A” for the number.',
  ),
  midzone(
    'the hours are deleted, but the email needs them',
    removeLine('hours: 9 AM'),
    'Confirmations would have shown “N/A” for the hours.',
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
    '`lookup` misspelt',
    replaceOne('lookup: if-found', 'lookup: if found'),
    'The failed page could not have been rendered.',
  ),
  pulmocon(
    'the notice mentions last year',
    replaceOne('for PULMOCON 2025 is currently', 'for PULMOCON 2024 is currently'),
    'Delegates would not have known whether this year’s registration is open.',
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
    'A text can state anything about an amount already deducted.',
    afpicon(
      'the note states the opposite',
      replaceOne('No amount has been deducted', 'The amount has been deducted'),
      'Delegates would have contacted their banks.',
    ),
  ),
]
