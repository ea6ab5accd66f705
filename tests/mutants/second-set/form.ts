/** The second set's mistakes in fields and their labels. */
import {
  afpicon,
  replaceAll,
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

export const formMistakes: readonly Mistake[] = [
  afpicon(
    'the `required` message on the wrong field',
    combineEdits(
      replaceOne(
        'label: Full Name, required: Full name is required',
        'label: Full Name, required: Phone number is required',
      ),
      replaceOne(
        'required: Phone number is required}\n        - {id: ticket_no',
        'required: Full name is required}\n        - {id: ticket_no',
      ),
    ),
    'Delegates who forgot their name would have been asked for a phone number.',
  ),
  afpicon(
    '`required` removed while copying',
    replaceOne('label: Full Name, required: Full name is required}', 'label: Full Name}'),
    'The gateway would have rejected a payment without a name.',
  ),
  afpicon(
    'required: no',
    replaceOne('required: Please select a registration category', 'required: no'),
    'The button would have been disabled without an explanation.',
  ),
  afpicon(
    'the email field is missing',
    combineEdits(
      removeLine('- id: email'),
      removeLine('          type: email'),
      removeLine('label: Email Address'),
      removeLine('required: Email address is required'),
    ),
    'No confirmation could have been sent.',
    'fields:',
    '- email',
  ),
  afpicon(
    'the email field is plain text',
    removeLine('          type: email'),
    'asha.example.org would have been accepted, and the confirmation lost.',
    '- id: email',
  ),
  afpicon(
    'the phone field renamed',
    replaceOne('{id: phone_number,', '{id: mobile,'),
    'The list, the page and the gateway would have had no phone number.',
    '- phone_number',
  ),
  afpicon(
    'a field renamed in the form, but not in the lists',
    replaceOne('{id: present_institute,', '{id: institute,'),
    'The column of the staff list would have been empty.',
    'present_institute, medical',
  ),
  afpicon(
    'a field id in camelCase, as in the old page',
    replaceOne('{id: present_institute,', '{id: presentInstitute,'),
    'The column of the staff list would have been empty.',
  ),
  afpicon(
    'a field id with a hyphen',
    replaceOne('{id: ticket_no,', '{id: ticket-no,'),
    'The column of the staff list would have been empty.',
  ),
  afpicon(
    'a field pasted twice',
    insertBelow('{id: city, label: City}', '        - {id: city, label: City}'),
    'One of the two answers would have been lost.',
  ),
  afpicon(
    'a field pasted without changing its id',
    insertBelow('{id: city, label: City}', '        - {id: city, label: District}'),
    'The district would have been stored as the city.',
  ),
  afpicon(
    'a field pasted without changing its label',
    insertBelow('{id: city, label: City}', '        - {id: district, label: City}'),
    'Delegates would have been asked for their city twice.',
  ),
  afpicon(
    'a field with a reserved name',
    replaceOne('{id: ticket_no, label: Ticket Number', '{id: reg_no, label: Ticket Number'),
    'The registration number would have been the delegate’s input.',
  ),
  afpicon(
    'a type that does not exist',
    replaceOne('type: phone, label: Phone Number', 'type: tel, label: Phone Number'),
    'The form could not have been rendered.',
  ),
  afpicon(
    'a type with an underscore',
    replaceOne('type: yes-no, as: switch', 'type: yes_no, as: switch'),
    'The form could not have been rendered.',
  ),
  afpicon(
    'options on a text field',
    replaceOne('{id: city, label: City}', '{id: city, label: City, options: [Kochi, Kottayam]}'),
    'Delegates could have entered any text.',
  ),
  afpicon(
    'a drop-down without a type',
    replaceOne('{id: state, type: select, label', '{id: state, label'),
    'Delegates would have entered their state in forty spellings.',
  ),
  afpicon(
    'a shared list misspelt',
    replaceOne('options: indian-states', 'options: indian-state'),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'a shared list with an underscore',
    replaceOne('options: indian-states', 'options: indian_states'),
    'The drop-down would have been empty.',
  ),
  afpicon(
    'file extensions with dots',
    replaceOne('[pdf, doc, docx, jpg, jpeg, png]', '[.pdf, .doc, .docx, .jpg, .jpeg, .png]'),
    'Every document would have been rejected.',
  ),
  afpicon(
    'no file extensions',
    removeLine('accept: ['),
    'Any file could have been uploaded.',
    'id: pg_proof',
  ),
  afpicon(
    'a dangerous extension allowed',
    replaceAll('docx, jpg, jpeg, png]', 'docx, jpg, jpeg, png, html]'),
    'Staff would have opened a stranger’s page.',
    'accept:',
  ),
  afpicon(
    'a file extension is missing, in `promises` too',
    replaceAll('jpg, jpeg, png]', 'jpg, png]'),
    'Photos from half of all phones would have been rejected.',
    'accept:',
  ),
  afpicon(
    'a step that does not exist',
    replaceOne('stays_on: 1', 'stays_on: 5'),
    'The stepper would have highlighted no step.',
  ),
  afpicon(
    'steps counted from zero',
    replaceOne('stays_on: 1', 'stays_on: 0'),
    'The stepper would have highlighted no step.',
  ),
  afpicon(
    'a summary line misspelt',
    replaceOne('lines: [base, gst, total]', 'lines: [base, tax, total]'),
    'The GST would not have been shown before payment.',
  ),
  afpicon(
    'a summary without the total',
    replaceAll('[base, gst, total]', '[base, gst]'),
    'Delegates would have paid an amount that they never saw.',
    'lines: [base',
  ),
  afpicon(
    'notices misspelt',
    replaceOne('notices: snackbar', 'notices: snack bar'),
    'A rejected submission would have shown no message.',
  ),
  afpicon(
    'an error message for a field that is not checked',
    replaceOne(
      'type: phone, label: Phone Number, check: false',
      'type: phone, label: Phone Number, check: false, invalid: Please enter ten digits',
    ),
    'Staff would have assumed that numbers are checked.',
  ),
  afpicon(
    'a section without fields',
    replaceOne(
      '    - title: Registration Category\n      fields:',
      '    - title: Registration Category\n      field:',
    ),
    'The category could not have been chosen.',
  ),
  afpicon(
    'a section title replaced by another title',
    replaceOne('- title: Registration Category', '- title: Documentation'),
    'Delegates would have looked for their category under Documentation.',
  ),
  chirurgia(
    'a default that is not an option',
    replaceOne('default: vegetarian', 'default: veg'),
    'The kitchen would have counted a meal that no delegate had chosen.',
  ),
  chirurgia(
    'a default with a capital letter',
    replaceOne('default: vegetarian', 'default: Vegetarian'),
    'The kitchen would have counted two kinds of vegetarian.',
  ),
  chirurgia(
    'default: no',
    replaceOne(
      '{id: paper_presentation, type: yes-no, label: Paper Presentation, default: false}',
      '{id: paper_presentation, type: yes-no, label: Paper Presentation, default: no}',
    ),
    'All delegates would have been listed with a paper presentation.',
  ),
  chirurgia(
    'the default is yes instead of no',
    replaceOne(
      'label: Poster Presentation, default: false',
      'label: Poster Presentation, default: true',
    ),
    'All delegates would have been listed with a poster.',
  ),
  chirurgia(
    'an option misspelt, but not in `promises`',
    replaceOne(
      'professor, associate-professor, assistant-professor,\n                    senior',
      'professor, associate-professor, asistant-professor,\n                    senior',
    ),
    'Assistant professors would have been stored under a misspelling.',
    'asistant',
  ),
  markUndetectable(
    'The organiser chooses the ids, and the promise was changed too.',
    chirurgia(
      'an option misspelt, in `promises` too',
      replaceAll('assistant-professor', 'asistant-professor'),
      'Assistant professors would have seen a misspelling.',
      'asistant',
    ),
  ),
  chirurgia(
    'an option listed twice',
    replaceOne('[consultant, professor,', '[consultant, consultant, professor,'),
    'The drop-down would have offered one option twice.',
  ),
  markUndetectable(
    'A message is a sentence, and its example was changed too.',
    chirurgia(
      'ASI and AFPI mixed up in the message',
      replaceAll('Required for ASI members', 'Required for AFPI members'),
      'Surgeons would have been asked for a physicians’ number.',
      'required: Required for AFPI',
    ),
  ),
  chirurgia(
    'the membership number is always required',
    removeLine('show_when: {asi_member: true}'),
    'Non-members could not have registered.',
    'id: asi_membership_number',
  ),
  chirurgia(
    'the membership field after its number',
    combineEdits(
      removeLine('{id: asi_member, type'),
      insertBelow(
        'required: Required for ASI members',
        '        - {id: asi_member, type: yes-no, label: ASI Member}',
      ),
    ),
    'The question would have come after the field that depends on it.',
  ),
  chirurgia(
    'a missing label',
    replaceOne('{id: hospital, label: Hospital / Institution}', '{id: hospital}'),
    'Delegates would have seen an empty field without a label.',
  ),
  chirurgia(
    'a key written in the plural',
    replaceOne('label: Hospital / Institution', 'labels: Hospital / Institution'),
    'Delegates would have seen an empty field without a label.',
  ),
  midzone(
    'a key with a space',
    replaceOne('show_when: {afpi_member', 'show when: {afpi_member'),
    'All delegates would have been asked for a membership number.',
  ),
  midzone(
    'a label with only one quotation mark',
    replaceOne('label: Are you a post graduate?,', 'label: "Are you a post graduate?,'),
    'The file could not have been read at all.',
  ),
  midzone(
    'the alert `none` misspelt',
    replaceOne('{alert: none}', '{alert: non}'),
    'Delegates would have seen a dialog that says “non”.',
  ),
  midzone(
    'two fields with the same label',
    replaceOne('label: Institution', 'label: Designation'),
    'Delegates would not have known what to enter in which field.',
  ),
  pulmocon(
    'the prefix without its quotes',
    replaceOne('default: "+91"', 'default: +91'),
    'The number would have begun with 91.',
  ),
  pulmocon(
    'a stored column of an unknown kind',
    replaceOne('type: money, label: Registration Fee', 'type: currency, label: Registration Fee'),
    'The staff list could not have been rendered.',
  ),
  pulmocon(
    'a stored column named like a field',
    replaceOne('{id: registration_fee, type', '{id: registration_category, type'),
    'The category column would have shown rupees.',
  ),
  pulmocon(
    'a stored column renamed, but not in the list',
    replaceOne('{id: accompanying_persons_count,', '{id: accompanying_count,'),
    'The column would have been empty.',
    'accompanying_persons_count, payment',
  ),
  markUndetectable(
    'A label can be in any language.',
    chirurgia(
      'a word misspelt in a label',
      replaceOne('label: Hospital / Institution', 'label: Hosptial / Institution'),
      'Delegates would have noticed the typo.',
    ),
  ),
  markUndetectable(
    'TCMC and TNMC are both councils.',
    chirurgia(
      'the wrong council',
      replaceOne('label: TCMC Registration', 'label: TNMC Registration'),
      'Delegates would have given the wrong number.',
    ),
  ),
]
