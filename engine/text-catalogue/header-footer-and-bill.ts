/** Messages shared by several delegate pages: header, footer, bills. */
export const COMMON_MESSAGES = {
  product: 'Rollcall',
  skipLink: 'Skip to main content',
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
    explanation: 'There is no page at this address. Check that the address is typed correctly.',
  },
  broken: {
    explanation: 'We could not show this page. Please reload it.',
    reload: 'Reload',
  },

  payment: {
    notOpened: 'The payment page has not opened yet. <button>Open it now</button>',
    /** Old and new price, for screen readers. */
    previousPrice: '<hidden>was </hidden>{price}',
    newPrice: '<hidden> now </hidden>{price}',
    taxIncluded: 'included above',
    previousLabel: 'previously: {label}',
  },

  paymentStatus: {
    success: 'Paid',
    failed: 'Failed',
    pending: 'Pending',
    refunded: 'Refunded',
    review: 'Under review',
  },
} as const
