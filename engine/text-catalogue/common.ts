/** Messages that several pages of delegates show: header, footer, connection, files, bills. */
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

  offline: 'You are offline. Your answers are kept on this device.',
  /** Until the page's data has arrived; an event file may state its own texts. */
  calls: {
    network: 'Network error. Please check your internet connection.',
    '401': 'Unauthorized. Please check your credentials.',
    '403': 'Access forbidden.',
    '404': 'Resource not found.',
    '500': 'Server error. Please try again later.',
    not_ok: 'HTTP error! status: {status}',
    other: 'An unexpected error occurred.',
  },
  retrying: 'Our server has not answered yet. You have not been charged. We are trying again.',
  serverSilent:
    'Our server has not answered. You have not been charged. You can safely try again: you will not be charged twice.',

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
    weakConnection: 'Your connection is weak. We are still trying to send it.',
  },
} as const
