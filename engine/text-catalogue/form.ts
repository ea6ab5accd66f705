/** Messages of the registration form. */
export const FORM_MESSAGES = {
  choose: 'Choose',
  notOnSale: 'Not on sale',
  /** Shown after an option's label in a list. */
  optionNotOnSale: 'not on sale',
  didYouMean: 'Did you mean {email}?',
  person: 'Person {number}',

  errors: {
    title: 'There is a problem',
    documentTitle: 'Error: {title}',
    withField: '{field}: {error}',
    one: '1 answer needs attention',
    other: '{count} answers need attention',
    contradiction:
      'You chose “{category}”, but your answer to “{question}” is {answer}. <button>Check this answer</button>',
  },

  sections: {
    steps: 'Steps',
    complete: 'Complete:',
    incomplete: 'Needs attention:',
  },

  summary: {
    details: 'Details',
    next: 'Next',
    /** The name of the summary bar if a section has the same title as the summary. */
    bar: '{title}: summary',
    confirmationTo: 'We will send the confirmation to {email}.',
    email: 'Your email address: {email}',
    sameEmail: 'You have already registered with this email address. Register again?',
    emailBlocked:
      'You have already registered with this email address. You cannot use it to register again.',
  },

  fees: {
    title: 'Registration fees',
    notes: 'Information',
    heading: 'Fees',
    until: 'Fees until {day}',
    /** Shown beside a category's price if the dates differ between categories. */
    untilOfCategory: 'until {day}',
  },

  changed: {
    titlePrice: 'The price has changed',
    titlePeriod: 'The price period has changed',
    titleCategory: 'The {word} has changed',
    category: 'Based on your answers, your {word} is now {category}.',
    period: 'A new price period began while you were filling in the form.',
    price: 'The organisers changed the price while you were filling in the form.',
    samePrice: 'The price is the same.',
    notCharged: 'You have not been charged.',
    pay: 'Pay {amount}',
    register: 'Register for {amount}',
    back: 'Back to the form',
    close: 'OK',
  },

  samePerson: {
    title: 'Register and pay again?',
    notCharged: '{reason} You have not been charged again.',
    open: 'Open that registration',
    again: 'Register and pay again',
  },
} as const
