/** Messages from the server that the form, the result pages and the self-service page show. */
export const SERVER_MESSAGES = {
  writeTo: 'Please write to {support}.',
  notFound: 'Registration details not found',
  noSuchEvent: 'There is no event with this name.',

  /** By HTTP status. */
  status: {
    unreadable: 'We could not read the request.',
    unauthorized: 'Unauthorized. Please check your credentials.',
    forbidden: 'Access forbidden.',
    notFound: 'There is nothing at this address.',
    method: 'This address does not accept this kind of request.',
    timeout: 'The request took too long to arrive. Please try again.',
    tooLarge: 'The request is too large for this address.',
    mediaType: 'This address does not accept this content type.',
    busy: 'The server is busy. Please try again in a moment.',
    internal: 'Something went wrong on our side. Please try again later.',
  },
  /** `{things}` is the plural noun: requests, attempts. */
  tooMany: {
    one: 'There were too many {things}. Please wait a minute and try again.',
    other: 'There were too many {things}. Please wait {count} minutes and try again.',
  },

  /** For requests that our pages never send. */
  request: {
    methodName: 'State the payment method in “{field}”, not in “{name}”: {methods}.',
    mediaType: 'Send the answers as multipart/form-data or as application/json.',
    notJson: 'The content type is JSON, but the request is not valid JSON.',
    notMultipart:
      'The content type is multipart/form-data, but the request is not valid multipart/form-data.',
    tooDeep: 'The answers are nested too deeply.',
    notObject: 'The answers must be one JSON object.',
    oneObject: 'Send one JSON object.',
    notText: '“{name}” must be text.',
    cutOff: 'The request ended before it was complete.',
    noToken: 'Send the token.',
    noMemberList: 'This form does not use a member list with this name.',
    notAmount: 'This is not an amount in {currency}.',
    badKey: 'The Idempotency-Key must be printable and at most {max} characters long.',
    reusedKey:
      'This Idempotency-Key was used with other answers. Use a new key for a new registration.',
    noAction: 'There is no action with this name.',
    noAnswers: 'Send the answers to change, keyed by field.',
  },

  recorded: {
    complete: 'Your registration is saved.',
    toApprove: 'Your registration is saved. The organisers will review it before you pay.',
    toPay: 'Your registration is saved. It will be complete once you have paid.',
    payNow: 'You can make the payment now.',
  },

  answers: {
    missing: 'Some answers are missing or wrong.',
    fieldError: '{field}: {error}',
    registeredAlready: 'This value is already used in another registration.',
  },

  /** Only for the browser that created the other registration, or for the holder of an emailed link. */
  samePerson: {
    paid: 'You have already registered and paid: registration {number}, {amount}, on {day}.',
    paidOther:
      'You have already paid for another registration: {number}, {amount}, on {day}. To pay for this one too, press the button again.',
    unpaid:
      'You registered on {day}: registration {number}. Its payment of {amount} may be in progress, for example in another window.',
  },

  code: {
    unknown: 'We do not recognise this code. Please check it or remove it.',
    usedUp: 'This code has already been used the maximum number of times.',
    expired: 'This code has expired.',
    withdrawn: 'The organisers have withdrawn this code.',
  },

  seats: {
    full: 'No seats are left.',
    categoryNotOnSale: '{category} is not available at the moment. Please choose another {word}.',
    itemNotOnSale: '{item} is not on sale at the moment. Please change your answers.',
  },

  changed: {
    check: 'You have not been charged. Please check the price and submit again.',
    free: 'It is free.',
    total: 'The total is {total}.',
    priceFree: 'The price has changed: there is nothing to pay now.',
    price: 'The price has changed: the total is now {total}.',
    otherCategory: 'Based on your answers, your {word} has changed.',
    category: 'Based on your answers, your {word} is {category}.',
    period: 'A new price period has begun.',
  },

  payment: {
    unavailable:
      'We cannot take payments at the moment. You have not been charged. Please try again later. If this continues, write to {support}.',
    noEmail: 'This registration has no email address, and the payment gateway needs one.',
    amount: 'You cannot pay this amount by card.',
    currency: 'You cannot pay an amount in {currency} by card here.',
    minimum: 'The smallest amount that you can pay online is {amount}.',
    chooseInstead: 'Please choose {methods}.',
    number: 'The number of this registration cannot be used for card payments.',
    nothingToPay: 'There is nothing to pay for this registration now.',
    inProgress:
      'A payment for this registration may be in progress. Please wait for the bank’s response before you pay again.',
    statusUnknown:
      'The bank cannot tell us at the moment whether you have already paid. Please do not pay twice. Try again in a minute.',
    priceNotGuaranteed:
      'The price of {was} is no longer guaranteed: the total is now {now}. You have not been charged.',
    priceByCard:
      'The total is {now} by card, and {was} by the payment method that you chose. You have not been charged.',
    tooManyAttempts: 'There were too many attempts to pay. Please write to {support}.',
    openLink: 'To pay for this registration, open the link in your email.',
  },

  link: {
    unknown:
      'We do not recognise this link, or it has expired. Your registration is safe. Request a new link below, or write to the organisers.',
    sent: 'If this address is registered, we will email you the link. Please check your spam folder too.',
    noEmail: 'Please enter the email address you registered with.',
  },

  lookup: {
    emailNeeded:
      'This registration was moved here from another system. Please enter the email address you registered with.',
    emailDiffers: 'This is not the email address used for this registration.',
  },

  confirmation: {
    none: 'There is no confirmation to send for this registration.',
    sentAlready:
      'We have already sent the confirmation. Please check your spam folder too. Write to {support} if it does not arrive.',
  },

  selfService: {
    requested: 'The organisers have received your request and will email you.',
    alreadyRequested: 'You have already requested this. The organisers will email you.',
    withdrawn: 'You have withdrawn your request. Nothing will be refunded.',
    nothingToWithdraw: 'There is no open refund request to withdraw.',
    claimed: 'Thank you. The organisers will check their bank account and email you.',
    saved: 'Your changes are saved.',
    nothingChanged: 'Nothing was changed.',
    changesPrice: 'This changes the price of your registration. Please write to {support}.',
    otherRequest: 'This request was already sent with different details. Reload the page.',
    noDocument: 'This registration has no such document.',
    notEditable: 'You cannot change these answers here: {fields}. Please write to {support}.',
    notEditableAnyMore:
      'You can no longer change these answers here: {fields}. Please write to {support}.',
    noMethod: 'There is no such payment method.',
    checkFields: 'Please check the fields.',
    offerChanged: 'This offer has changed. Reload the page.',
    offerEnded: 'This offer is no longer available.',
    /** The same for every registration, so the message reveals nothing about another delegate's registration. */
    noRefundRequest: 'You cannot request a refund here. Please write to the organisers.',
    referenceMissing: 'Please enter the reference number from your bank.',
    dayInFuture: 'This date is in the future. Please enter the date on which you paid.',
    dayTooEarly: 'This date is long before you registered. Please check the year.',
  },
} as const
