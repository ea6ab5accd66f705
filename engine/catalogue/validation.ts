/** Messages about answers, and about closed registration, where the event file has none. */
export const VALIDATION_MESSAGES = {
  check: 'Please check this answer',
  tooLong: 'Please use at most {max} characters',
  emailForGateway:
    'This address has {count} characters. The payment gateway accepts {min} to {max} characters. Please use another address.',
  utr: 'Please enter the UTR: 12 digits for UPI and IMPS, or 16 or 22 letters and digits for NEFT and RTGS',
  gstin: 'This GSTIN has a wrong character. Please check it.',
  amount: 'Please enter an amount with at most two decimals',
  invoiceAddress: 'An invoice of ₹ 50,000 or more needs this. Please enter it, or enter a GSTIN.',

  closed: {
    heading: 'Registration Closed',
    text: 'Registration is closed.',
    on: 'Registration closed on {day}.',
    earlyHeading: 'Registration is not open yet',
    opens: 'Registration opens on {day}.',
  },

  tax: {
    included: '{tax} included',
    exclusive: 'exclusive of {tax}',
  },

  paymentMethod: {
    section: 'Payment',
    /** Numbers to copy into a banking app. */
    upiId: 'UPI ID',
    account: 'Account',
    ifsc: 'IFSC',
    label: 'How would you like to pay?',
    missing: 'Please choose how you would like to pay.',
    until: '{method} (until {day})',
    closed: 'You can no longer pay here.',
    noCard: 'You can no longer pay by card.',
    ended: '{method} was possible until {day}.',
    choose: 'Please choose {methods}.',
  },
} as const
