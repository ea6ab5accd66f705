/** Messages about answers and about closed registration, used if the event file has none. */
export const VALIDATION_MESSAGES = {
  check: 'Please check this answer',
  format: 'This answer does not have the required format. Please check it.',
  numberBetween: 'Please enter a number from {min} to {max}',
  numberFrom: 'Please enter a number of at least {min}',
  numberTo: 'Please enter a number of at most {max}',
  tooLong: 'Please enter {max} characters or fewer',
  emailForGateway:
    'This address has {count} characters. The payment gateway accepts {min} to {max} characters. Please use another address.',
  utr: 'Please enter the UTR: 12 digits for UPI and IMPS, or 16 or 22 letters and digits for NEFT and RTGS',
  gstin:
    'The last character of this GSTIN does not match the others. Please check every character.',
  gstinState: 'No state has the code {code}, with which this GSTIN starts. Please check it.',
  amount: 'Please enter an amount with up to two decimal places',
  amountWithThreeDecimals: 'Please enter an amount with up to three decimal places',
  wholeAmount: 'Please enter a whole amount, without decimal places',

  closed: {
    heading: 'Registration Closed',
    text: 'Registration is closed.',
    on: 'Registration closed on {day}.',
    desk: 'Online registration closed on {day}. You can register at the registration desk on {days}.',
    earlyHeading: 'Registration is not open yet',
    opens: 'Registration opens on {day}.',
    again: 'Registration is closed today. It opens again on {day}.',
  },

  tax: {
    included: '{tax} included',
    exclusive: 'exclusive of {tax}',
    or: '{first} or {second}',
  },
} as const
