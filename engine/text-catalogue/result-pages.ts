/** Messages of the result pages, which show the state of a registration and its payment. */
export const RESULT_MESSAGES = {
  loading: 'Loading your registration',
  /** The title of the browser tab while the registration loads. */
  loadingTitle: 'Payment',
  questions: 'If you have questions, write to {support}.',
  help: 'If you need help, write to {support}.',
  supportSubject: '{event}: payment {order}',
  tryAgain: 'Try again',
  payAmountNow: 'Pay {amount} now',
  payNow: 'Pay now',

  /** Shown if the registration could not be loaded. */
  notLoaded: {
    contact: 'If you have already paid, your registration is safe. Write to {support}.',
    contactWithOrder:
      'If you have already paid, your registration is safe. Write to {support} and quote {order}.',
  },

  /**
   * With only the registration number, the page shows part of the registration and asks for the
   * email address.
   */
  verifyEmail: {
    title: 'Your email address',
    titleOfError: 'Error: Your email address',
    reason: 'We use it to check that this registration is yours.',
    forgotten: 'If you do not remember it, write to {support}.',
    partlyShown:
      'This page shows only part of the registration. To see everything, open the link in your email, or enter the email address you registered with.',
    label: 'Email address',
    missing: 'Enter your email address.',
    submit: 'Show my registration',
  },

  number: {
    copy: 'Copy number',
    copied: 'Copied',
    copiedStatus: 'Number copied',
  },

  confirming: {
    title: 'We are confirming your payment',
    notConfirmed: 'Your payment of {amount} is not confirmed yet. Please do not pay again.',
    notConfirmedUnknownAmount: 'Your payment is not confirmed yet. Please do not pay again.',
    checking:
      'This page checks for your payment automatically. You can close the page: we will send the confirmation by email.',
    waitForEmail:
      'We will send the confirmation by email. If it does not arrive within a day, write to {support}.',
    progress: 'Checking with your bank',
    checkAgain: 'Check again',
  },

  underReview: {
    title: 'The organisers are checking your payment',
    received: 'We received {amounts}.',
    /** Shown if the received amount differs from the price. */
    receivedAndPrice: 'We received {amounts}. Your registration costs {price}.',
    explanation:
      'The organisers need to check your payment before we can confirm it. Your registration is saved. Please do not pay again.',
    next: 'They will compare the payment with your registration and email you. If you have questions, write to {support} and quote the number below.',
    status: 'Under review',
    since: 'Since',
  },

  refunded: {
    title: 'Payment refunded',
    explanation: 'Your payment was refunded and this registration is cancelled.',
  },

  cancelled: {
    title: 'This registration is cancelled',
    explanation: 'The organisers cancelled it. You can no longer pay for it.',
    refunded: '{amount} has been refunded to you.',
    refundByEmail: 'If you are due a refund, the organisers have emailed you about it.',
  },

  waitingForApproval: {
    title: 'Waiting for approval',
    explanation:
      'Your registration is saved and your seat is reserved. The organisers will review your documents before you pay.',
    explanationWithDay:
      'Your registration is saved and your seat is reserved. The organisers will review your documents before you pay. They will decide by {day}.',
    next: 'Once your registration is approved, we will email you a link to pay. There is nothing to pay yet.',
    nextAtSamePrice:
      'Once your registration is approved, we will email you a link to pay at the price on the day you registered. There is nothing to pay yet.',
  },

  notApproved: {
    title: 'This registration was not approved',
    explanation:
      'The organisers reviewed your registration and did not approve it. Their email explains why and what you can do now. You were not charged.',
  },

  ticket: {
    titleWithBalance: 'Your registration',
    statusWithBalance: 'Partly paid',
    payment: 'Payment',
    notes: 'Before you arrive',
    refundedPart: '{amount} of your payment has been refunded.',
    secondPayment:
      'We also received a second payment. The organisers will check it and refund any overpayment. Your registration is complete.',
    emailedTo: 'We will send the confirmation to {email}.',
    emailsGoTo: 'Emails about this registration go to {email}.',
    emailed: 'We will send the confirmation by email.',
    paidTwice:
      'If you paid twice by mistake, use the link in your confirmation email to request a refund.',
    resend: 'Send the email again',
    resent: 'Sent again to {email}.',
    qrCode: 'QR code of the registration number, for check-in',
    calendar: 'Add to calendar',
    map: 'Open map',
    mapLabel: 'Open map of {venue} in a new tab',
    share: 'Share this event',
    linkCopied: 'Link copied',
    link: 'The link to share: {link}',
  },

  balance: {
    title: '{amount} still to pay',
    partlyPaid: 'Your registration costs {total}, of which {amount} is still to pay.',
    notPaid: 'Your registration now costs {amount}.',
    contact: 'Write to {support} to find out how to pay.',
  },

  failed: {
    expired: 'We did not receive a payment for this order in time.',
    refunded:
      'We received a payment for this registration and refunded it, so the registration is unpaid. The refund can take a few working days to appear on your statement.',
    unconfirmed: 'We could not confirm this payment.',
    notFound: 'We could not find this payment.',
    checkFirst:
      'Before you pay again, check that no money was taken from your account. If it was, contact the organisers instead.',
    checkDeducted:
      'Check whether money was taken from your account. If it was, contact the organisers.',
    pay: 'Try paying again',
    payAmount: 'Try paying {amount} again',
    saved: 'Your answers are saved, so you do not have to fill in the form again.',
    causes: 'Possible causes',
  },

  manualPayment: {
    waiting: {
      title: 'Waiting for your payment',
      explanation:
        'Your registration is saved and your seat is reserved. Your registration will be complete when the organisers have received your payment.',
      howHere: 'Payment details and the form to report your payment are below.',
      howInEmail:
        'To see the payment details and report your payment, open the link in your email.',
    },
    claimed: {
      title: 'We are checking for your payment',
      explanation:
        'You reported that you have paid. The organisers will check their bank account and email you when they find the payment. You do not need to do anything.',
    },
    expired: {
      title: 'This registration has expired',
      explanation: 'We did not receive your payment in time. Your seat may no longer be available.',
      claimHere: 'If you have paid, report your payment below.',
      claimInEmail: 'If you have paid, open the link in your email and report your payment.',
    },
    /**
     * Shown if a delegate chose this method, switched to a card, and the card payment failed. The keys are those of the
     * API.
     */
    cardFailed: {
      declined: {
        title: 'Your card payment was declined',
        explanation: 'The bank declined your card payment. You were not charged.',
      },
      expired: {
        title: 'Your card payment was not completed',
        explanation:
          'We did not receive your card payment in time. Before you pay again, check that no money was taken from your account.',
      },
      'given-back': {
        title: 'Your card payment was refunded',
        explanation:
          'We received your card payment and refunded it. The refund can take a few working days to appear on your statement.',
      },
      unclear: {
        title: 'We could not confirm your card payment',
        explanation: 'Before you pay again, check that no money was taken from your account.',
      },
      due: 'Your registration is saved and your seat is reserved. Please pay {amount} with the payment method you originally chose, or try the card again.',
      dueUnknownAmount:
        'Your registration is saved and your seat is reserved. Please pay with the payment method you originally chose, or try the card again.',
      detailsBelow:
        'Payment details are below. To report your payment, open the link in your email.',
      tryAgain: 'Try the card again',
      tryAmountAgain: 'Try the card again ({amount})',
    },
    payWith: '{method}: pay {amount}',
    payByCard: 'Pay by card instead',
    payAmountByCard: 'Pay {amount} by card instead',
  },

  unpaid: {
    title: 'Not paid yet',
    explanation:
      'Your registration is saved, but we have not received a payment. The registration will be complete once you have paid.',
    justPaid:
      'If you have just paid, please wait. This page checks for your payment automatically.',
    notReceived: 'We have not received a payment for this registration.',
    closed: 'You can no longer pay here.',
    contact: 'If you have paid or have questions, write to {support}.',
  },

  /** The last day on which the price is valid, as the form showed it. */
  priceUntil: {
    valid: 'The price is valid until {day}. After that, a new price may apply.',
    held: 'The price was valid until {day}. You can still pay this price today.',
    expired:
      'The price was valid until {day}. If today’s price is different, we will ask you to confirm it before we charge you.',
  },

  priceChanged: {
    title: 'The price has changed',
    notValid: 'The price of your registration is no longer valid. You have not been charged.',
    validUntil: 'The price of your registration was valid until {day}. You have not been charged.',
    titleByCard: 'The card price is different',
    byCard:
      'The card price differs from the price for the payment method you chose. You have not been charged.',
    pay: 'Pay {amount}',
    cancel: 'Cancel',
  },

  /** Shown after the server's message if other delegates took the seats of an unpaid registration. */
  seatTaken:
    'Other delegates have taken the last seats, so you cannot pay for this registration. To attend, <link>register again with another choice</link>.',

  serverUnreachable: 'We could not reach our server. You have not been charged. Please try again.',
} as const
