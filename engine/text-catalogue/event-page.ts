/** Messages of an event page other than the form: closed registration, earlier registrations. */
export const EVENT_PAGE_MESSAGES = {
  tookPlace: 'This event took place on {days}.',

  sent: {
    title: 'Your registration',
    explanation: 'You have already sent this form. Your registration is {number}.',
    edited: 'If you change your answers, you create a new registration.',
    open: 'Check the payment or pay now',
  },

  registeredBefore: {
    title: 'Already registered',
    explanation:
      'You registered on {day}. Your registration number ends in {ending}. Do you want to register someone else?',
    sameEmail:
      'You registered on {day} with this email address. Your registration number ends in {ending}. Do you want to register someone else?',
  },

  answersKept: 'We kept your answers. <button>Clear form</button>',
  formCleared: 'The form is empty again. <button>Undo</button>',
} as const
