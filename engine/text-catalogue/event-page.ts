/** Messages of an event page other than the form: closed registration, earlier registrations. */
export const EVENT_PAGE_MESSAGES = {
  tookPlace: 'This event took place on {days}.',

  sent: {
    title: 'Your registration',
    explanation: 'You have already submitted this form. Your registration number is {number}.',
    edited:
      'If you change your answers and submit the form again, you will create a new registration.',
    open: 'Check the payment status or pay now',
  },

  registeredBefore: {
    title: 'Already registered',
    explanation:
      'You registered on {day}. Your registration number ends in {ending}. Do you want to register someone else?',
    sameEmail:
      'You registered on {day} with this email address. Your registration number ends in {ending}. Do you want to register someone else?',
    /** Without a link to the registration itself, because another person may use the browser next. */
    emailBlocked:
      'You registered on {day} with this email address. Your registration number ends in {ending}. To open that registration, <link>request its link by email</link>. You cannot use this address to register again.',
  },

  answersKept: 'We saved your answers. <button>Clear form</button>',
  formCleared: 'Form cleared. <button>Undo</button>',
} as const
