/** Messages that several pages of delegates show: header, footer, files, bills. */
export const COMMON_MESSAGES = {
  product: 'Rollcall',
  skipLink: 'Skip to the content',
  demoValues: 'Demo values',
  questions: 'Questions? {support}',
  lostLink: 'Lost your link?',
  home: 'Go to Home',
  optional: '(optional)',
  yes: 'Yes',
  no: 'No',
  noAnswer: 'No answer',
  dismiss: 'Dismiss',
  tryAgain: 'Try again',

  notFound: {
    title: 'Page not found',
    explanation: 'There is no page at this address. Check the address for typing mistakes.',
  },
  broken: {
    explanation: 'We could not show this page. Please load it again.',
    reload: 'Load again',
  },

  payment: {
    notOpened: 'The payment page has not opened yet. <button>Open it now</button>',
    /** Beside an amount, for screen readers. */
    priceWas: '<hidden>was </hidden>{price}',
    priceNow: '<hidden> now </hidden>{price}',
    lineWas: 'before: {label}',
  },

  paymentStatus: {
    success: 'Paid',
    failed: 'Failed',
    pending: 'Pending',
    refunded: 'Refunded',
    review: 'Under review',
  },

  file: {
    choose: 'Choose file',
    chooseAnother: 'Choose another file',
    wrongType: '{name}: {error}',
    empty: '{name} is empty. Please choose another file.',
    tooLarge: '{name} is {size}. Please choose a file of at most {limit}.',
  },
} as const
