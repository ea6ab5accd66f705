/** Messages of forms that sell more than the registration, or have pages, codes or lists of people. */
export const EXTENDED_FORM_MESSAGES = {
  readWholeText: 'Read the full text<hidden> (opens in a new tab): {label}</hidden>',

  approval: {
    submit: 'Send for approval',
    explanation: {
      one: 'There is nothing to pay now. The organisers will first review your answers ({fields}) and decide within one day.',
      other:
        'There is nothing to pay now. The organisers will first review your answers ({fields}) and decide within {count} days.',
    },
    payToday: 'We will then email you a link to pay at today’s price.',
    payLater: 'We will then email you a link to pay.',
  },

  code: {
    open: 'Have a code?',
    label: 'Code',
    apply: 'Apply code',
    checking: 'Checking…',
    remove: 'Remove code',
    applied: '{code}: {discount}',
    appliedCategory: '{code}: {discount}. You are registering as {category}.',
  },

  people: {
    add: 'Add a person',
    addAnother: 'Add another person',
    remove: 'Remove<hidden> {person}</hidden>',
    most: {
      one: 'You can add only one person.',
      other: 'You can add up to {count} people.',
    },
  },

  pages: {
    checkTitle: 'Check your answers',
    back: 'Back',
    step: '<of>Step {number} of {count}: </of>{title}',
    change: 'Change<hidden> {section}</hidden>',
  },

  price: {
    notOnSale: '{item} is not on sale today',
    each: '{price} each',
    itemPrice: '{item}: {price}',
    perUnit: '{price} per {unit}',
    timesUnit: '{price} × {units}',
    byMethod: '{method}: {total}',
    byMethodWith: '{method}: {total}, including {lines}',
  },

  seats: {
    left: '{count} left',
    tooFew: '{name}: only {left} left, and you asked for {quantity}.',
    leftInAll: { one: '{count} seat left', other: '{count} seats left' },
  },

  /** Shown if the server offers something other than what was submitted. */
  submitAnyway: {
    registeredTitle: 'Already registered?',
    fullTitle: 'No seats left',
    notCharged: '{reason} You have not been charged.',
    notRegistered: '{reason} Nothing has been registered.',
    register: 'Register again',
    pay: 'Pay {amount}',
    registerFor: 'Register for {amount}',
    back: 'Back to the form',
  },
} as const
