/** Texts of the emails to delegates. The link is on its own line: `{link}`. */
export const EMAIL_MESSAGES = {
  greeting: 'Dear {name},',
  questions: 'If you have questions, write to {support}.',
  keepLink: 'Keep this link private. Anyone who has it can see your registration.',
  /** Shown below the text, in small print. */
  reason: 'You are receiving this email because of a registration for {event}. Questions? Email',
  reasonForOffice:
    'You are receiving this email because this is the organisers’ email address for {event}.',
  openRegistration: 'Open your registration',
  /** The button that opens the lost-link page. */
  requestLinks: 'Request your links',
  viewRegistration: 'View your registration:\n{link}',
  payHere: 'Pay here:\n{link}',

  cancelled: {
    subject: 'Your registration for {event} has been cancelled',
    text: 'The organisers have cancelled your registration {number} for {event}.',
    nothingToRefund: 'There is nothing to refund.',
    refund: 'We will refund {amount} to you. You do not need to do anything.',
  },

  refunded: {
    subject: 'Your refund for {event}: {amount}',
    text: 'We refunded {amount} on {day} for registration {number} ({event}).',
    textWithReference:
      'We refunded {amount} on {day} for registration {number} ({event}). The refund reference is {reference}.',
    dispute:
      'You disputed your payment for registration {number} ({event}) with your bank, and the bank reversed {amount} of it. We recorded this on {day}. The dispute number is {reference}.',
    disputeSubject: 'Your disputed payment for {event}: {amount}',
    disputeBeforeTransfer:
      'A bank reversed {amount} of a payment for registration {number} ({event}) that was made before the registration was transferred to you. We recorded this on {day}.',
    disputeBeforeTransferSubject: 'A disputed payment for {event}: {amount}',
    time: 'The refund can take a few working days to appear on your statement.',
    cancelled: 'Your registration is cancelled.',
    stillComplete: 'Your registration is still complete and fully paid.',
  },

  /** Sent with an invoice in another currency, once its exchange rate is known. */
  invoiceIssued: {
    subject: 'Your invoice for {event}',
    text: 'The invoice for your registration {number} for {event} is attached.',
  },

  /** Sent to the new delegate. */
  transferredToYou: {
    subject: 'A registration for {event} has been transferred to you',
    text: 'Registration {number} for {event} is now in your name. It is paid and complete. You do not need to do anything.',
  },
  /** Sent to the former delegate. */
  transferred: {
    subject: 'Your registration for {event} has been transferred',
    text: 'The organisers have transferred your registration {number} for {event} to someone else. It is no longer yours.',
  },

  correctedMoreToPay: {
    subject: '{event}: {amount} more to pay',
    text: 'The organisers have corrected your registration {number} for {event}. There is {amount} more to pay.',
    pay: 'Pay the difference here:\n{link}',
  },
  correctedRefund: {
    subject: 'You will get a refund of {amount} for {event}',
    text: 'The organisers have corrected your registration {number} for {event}. We will refund {amount} to you. You do not need to do anything.',
  },
  correctedNothingToPay: {
    subject: 'Nothing more to pay for {event}',
    text: 'The organisers have corrected your registration {number} for {event}. There is nothing more to pay and nothing to refund.',
  },

  /** The payment link that staff send. */
  paymentLink: {
    subject: 'Finish your registration for {event}',
    text: 'Your registration {number} for {event} will be complete once {amount} is paid.',
    partlyPaidSubject: '{event}: {amount} more to pay',
    partlyPaid:
      'Your registration {number} for {event} costs {total}, of which {amount} is still to pay.',
    alreadyPaid: 'If you have already paid, you can ignore this email.',
  },

  /** For a delegate who has registered but not paid. */
  unpaid: {
    subject: 'Finish your registration for {event}',
    text: 'We have received your registration {number} for {event}, but not your payment. Your registration will be complete once {amount} is paid.',
    finish: 'Finish your registration here:\n{link}',
    priceValid: 'The price is valid until {day}. After that, a new price may apply.',
    priceWasValid:
      'The price was valid until {day}. If the price has changed by the day you pay, we will ask you to confirm the new price before we charge you.',
    alreadyPaid:
      'If you have already paid, you can ignore this email. We will send the confirmation by email.',
  },

  /** For an unpaid registration if another registration with this address is paid. */
  unpaidSecond: {
    subject: 'You are registered for {event}; a second registration is unpaid',
    text: 'There are two registrations for {event} with this email address: {paid} is complete and paid, and {unpaid} is unpaid.',
    samePerson:
      'If you registered the same person again, you do not need to do anything. You were not charged for the second registration.',
    otherPerson:
      'If the second one is for someone else, complete it and pay {amount} here:\n{link}',
  },

  /**
   * Sent to the registered address, because someone else may have submitted a form with this name
   * and address.
   */
  samePerson: {
    subject: 'A second registration for {event} has been started',
    paid: 'You are already registered for {event} (registration {number}). A second registration with your name and email address has been started.',
    unpaid:
      'You have already registered for {event} (registration {number}), and its payment may be in progress. A second registration with your name and email address has been started.',
    open: 'If this was you, you do not need to pay again. Open your registration:\n{link}',
    continueSecond: 'If you want a second registration, complete it and pay for it.',
  },

  /** Sent if someone registers again with the same answers. */
  alreadyRegistered: {
    subject: 'You are already registered for {event}',
    text: 'Someone (probably you) tried to register for {event} again. You are already registered (registration {number}). Nothing was changed or charged.',
    complete: 'Your registration is complete. View it here:\n{link}',
    incomplete: 'Your registration is not complete yet. See what you still need to do:\n{link}',
    notYou: 'If it was not you, you do not need to do anything.',
  },

  secondPayment: {
    subject: '{subject} (second payment)',
    text: 'This is the second payment for this name and email address. You had already paid for registration {first}. If you paid twice by mistake, open the link below and choose “{button}”.',
    link: 'Your registration:\n{link}',
  },

  waitingForApproval: {
    subject: 'Your registration for {event} is waiting for approval',
    text: 'We have received your registration {number} for {event}, and your seat is reserved. The organisers will review your answers ({fields}) before you pay. They will decide by {day}.',
    free: 'You do not need to do anything. We will email you when they have decided.',
    pay: 'Once your registration is approved, we will email you a link to pay {amount}. There is nothing to pay yet.',
  },
  approved: {
    subject: 'Approved: please pay for {event}',
    text: 'Your registration {number} for {event} has been approved. It will be complete once {amount} is paid. This is the price on the day you registered.',
  },
  notApproved: {
    subject: 'Your registration for {event} was not approved',
    text: 'The organisers reviewed your registration {number} for {event} and did not approve it: {reason}',
    nothingToDo: 'You were not charged. You do not need to do anything.',
    offer:
      'You can switch to the {word} “{category}” instead, for {amount}. Your answers are saved. Accept the offer and pay here:\n{link}',
  },
  offerAccepted: {
    subject: 'Please pay for {event}',
    text: 'Your registration {number} for {event} is now in the {word} “{category}”. It will be complete once {amount} is paid.',
  },
  payUntil: 'Please pay by {day}. After that, your seat may go to someone else. Pay here:\n{link}',

  /** Explains how to pay by bank transfer. */
  manualPayment: {
    subject: 'How to pay for {event}',
    text: 'We have received your registration {number} for {event}. Please pay {amount} by {day}:',
    remark: 'Enter {number} in the “Remarks” field of the transfer.',
    claim: 'Then report your payment here:\n{link}',
  },
  claimReceived: {
    subject: 'You reported a payment for {event}',
    text: 'You reported a payment for registration {number}, with the reference {reference}. The organisers will check their bank account and email you when they find the payment.',
  },
  claimRejected: {
    subject: 'We could not find your payment for {event}',
    text: 'The organisers could not find payment {reference} for your registration {number}:',
    resubmit: 'Please check the details and submit them again:\n{link}',
    resubmitBy: 'Please check the details and submit them again by {day}:\n{link}',
  },
  expired: {
    subject: 'Your registration for {event} has expired',
    text: 'We did not receive a payment for your registration {number} for {event} in time. It has expired, and its seats have been released.',
    claim: 'If you have paid, report your payment here:\n{link}',
  },
  reopened: {
    subject: 'Your registration for {event} is open again',
    text: 'You can pay for your registration {number} for {event} again. The amount is {amount}. Please pay by {day}.',
    how: 'See how to pay:\n{link}',
  },

  /** Sent when a delegate requests the link again. It has a line for each registration. */
  lostLink: {
    one: {
      subject: 'Your link for {event}',
      text: 'Someone (probably you) asked for the link to your registration for {event}.',
    },
    other: {
      subject: 'Your links for {event}',
      text: 'Someone (probably you) asked for the links to your registrations for {event}.',
    },
    registration: '{name}, {number} ({state}):\n{link}',
    keepLinks: 'Keep this email private. Anyone who has a link can see the registration.',
    notYou: 'If you did not ask for this email, you do not need to do anything.',
  },

  /** Sent after too many emails to one address. */
  paused: {
    subject: 'We have paused emails to this address',
    text: {
      one: 'We have sent {count} email to this address in the past hour. To protect your mailbox, we have paused emails until {time}.',
      other:
        'We have sent {count} emails to this address in the past hour. To protect your mailbox, we have paused emails until {time}.',
    },
    nothingLost:
      'This does not affect any registration or payment. If you pay, you will still get your confirmation.',
    links: 'After the pause, you can request the links to your registrations here:\n{page}',
    notYou: 'If you did not ask for these emails, you do not need to do anything.',
  },

  /** The state of a registration, in a list of links. The keys are the stored states. */
  states: {
    complete: 'paid and complete',
    cancelled: 'cancelled',
    refused: 'not approved',
    lapsed: 'expired: not paid in time',
    told: 'payment reported, not confirmed yet',
    to_pay: 'not paid yet',
    to_approve: 'waiting for approval',
  },
} as const

/**
 * The paragraph below the event's own confirmation. Separate from the other emails, because the
 * organisers' preview in the browser needs only this one.
 */
export const CONFIRMATION_EMAIL_MESSAGES = {
  link: 'See your ticket, your receipt and anything you still need to do:\n{link}\n\nKeep this link private. Anyone who has it can see your registration.',
} as const
