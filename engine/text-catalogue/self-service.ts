/** Messages of the self-service page, which opens from the link in emails. */
export const SELF_SERVICE_MESSAGES = {
  title: 'Your registration',
  cancel: 'Cancel',

  /** For a delegate who requests the link again. */
  lostLink: {
    title: 'Lost your link?',
    explanation:
      'Your registration has its own page, with your ticket, your receipt and anything you still need to do. We will email the link to the address you registered with.',
    label: 'The email address you registered with',
    submit: 'Send me my link',
  },

  unknownLink: {
    title: 'We do not recognise this link',
    explanation:
      'Part of it may be missing. Try opening the full link from your email, or request a new one below. You can also go to your event’s page.',
  },

  expiredLink: {
    title: 'This link no longer works',
    notLost: 'If you have already paid, your registration is safe.',
    contact: 'You can write to the organisers at {support}.',
    tryAgain: 'Try again',
    form: 'Go to the registration form',
  },

  secondPayment: {
    title: 'You have paid twice',
    explanation:
      'This is the second payment for this name and email address: {amount}. You had already paid {first} for registration {number}. If you paid twice by mistake, request a refund of the second payment.',
    refunding:
      'The organisers have started the refund of this second payment. You had already paid {first} for registration {number}.',
    requested:
      'You requested a refund of {amount} on {day}. The organisers will decide and email you.',
    request: 'Request a refund',
    withdraw: 'Withdraw the request',
  },

  edit: {
    title: 'Change your answers',
    fields: 'You can change: {fields}. For anything else, write to the organisers.',
    fieldsUntil:
      'Until the end of {day}, you can change: {fields}. For anything else, write to the organisers.',
    otherPerson: 'If someone else is attending in your place, enter their name under “{label}”.',
    open: 'Change answers',
    save: 'Save changes',
  },

  files: {
    title: 'Files',
    missing: '{label}: not uploaded yet',
    uploaded: '{label}: {name}',
    sending: 'Uploading: {percent}%',
    limit: 'Up to {limit}',
    limitAndTypes: '{types}, up to {limit}',
  },

  documents: {
    title: 'Documents',
    issued: '{day}, {amount}',
  },

  offer: {
    refusalTitle: 'Message from the organisers',
    title: 'You can still take part',
    explanation:
      'The organisers are offering you the {word} “{category}” for {amount}. This is the price on the day you registered. Your answers are saved.',
    accept: 'Register as {category} for {amount}',
  },

  cancellation: {
    title: 'If you cannot attend',
    request: 'Request cancellation',
    /** Closes the dialog. “Cancel” would be ambiguous beside “Request cancellation”. */
    keep: 'Keep registration',
    requested: 'You requested cancellation on {day}. The organisers will decide and email you.',
    confirmTitle: 'Request cancellation?',
    confirm:
      'Your request does not cancel the registration yet. The organisers will decide and email you.',
    reason: 'Reason (optional)',
    paymentNotFound:
      'The organisers have not found your payment yet. They will decide whether you get a refund.',
    paymentInReview:
      'The organisers are checking your payment. They will decide whether you get a refund.',
    nothingPaid: 'You have not paid anything, so there is nothing to refund.',
    organisersDecide: 'You have paid {paid}. The organisers will decide whether you get a refund.',
    noRefund: 'You have paid {paid}. If you cancel today, you will not get a refund.',
    refund: 'You have paid {paid}. If you cancel today, your refund will be {refund}.',
    /** How the refund is calculated. */
    withoutTax: 'The refund is {percent}% of {amount}, the amount paid without {tax}.',
    lessCharge: 'The refund is {percent}% of {amount}, less a charge of {charge}.',
    withoutTaxLessCharge:
      'The refund is {percent}% of {amount}, the amount paid without {tax}, less a charge of {charge}.',
  },

  /** The form in which a delegate reports a payment. */
  paymentClaim: {
    submit: 'I have paid',
    resubmit: 'Made a mistake? Submit the form again',
    reported: 'You reported a payment with the reference {reference}.',
    reportedWithDay: 'You reported a payment made on {day} with the reference {reference}.',
    rejected:
      'The organisers could not find payment {reference}: {reason} Please check the details and submit them again.',
    rejectedWithDay:
      'The organisers could not find payment {reference}, paid on {day}: {reason} Please check the details and submit them again.',
    amount: 'Amount',
    remark: 'Remarks',
    qrCode: 'QR code for UPI apps',
    scan: 'Scan this with your UPI app, or <link>open the app on this device</link>.',
    priceUntil:
      'This amount applies if your payment arrives by {day}. After that, the price on the day it arrives applies.',
    payUntil: 'Your seat is reserved until {day}. Please pay and report your payment by then.',
    copy: 'Copy',
    copied: 'Copied',
    copyLabel: 'Copy {label}',
    copiedLabel: 'Copied {label}',
    checkFields: 'Please check the fields marked below.',
    choose: 'Please choose',
    fileNotSent: 'We could not upload this file. Please try again later, or submit without it.',
    fileSent: '{name}: uploaded',
    fileSending: '{name}: uploading, {percent}%',
    wrongFileType: 'Please choose a file of one of these types: {types}.',
  },
} as const
