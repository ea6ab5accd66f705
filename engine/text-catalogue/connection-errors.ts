/**
 * Messages for a delegate who is offline, has a weak connection, or gets no response to a request.
 *
 * `calls:` in `events/_shared/texts.yaml` replaces `calls`.
 */
export const CONNECTION_ERROR_MESSAGES = {
  offline: 'You are offline.',
  offlineWithAnswers: 'You are offline. Your answers are kept on this device.',
  /** Used until the page's data, with the texts of `calls:`, has loaded. */
  calls: {
    network: 'Network error. Please check your internet connection.',
    '401': 'Unauthorized. Please check your credentials.',
    '403': 'Access forbidden.',
    '404': 'Resource not found.',
    '500': 'Server error. Please try again later.',
    not_ok: 'HTTP error! status: {status}',
    other: 'An unexpected error occurred.',
  },
  notSent: 'We could not reach our server. You have not been charged. Please try again.',
  retrying: 'Our server has not responded yet. You have not been charged. We are trying again.',
  serverNotResponding:
    'Our server has not responded. You have not been charged. You can safely try again: you will not be charged twice.',
  weakConnection: 'Your connection is weak. We are still trying to send your file.',
  weakConnectionWhileWaiting:
    'Your connection is weak. We are still trying to send your file. We will continue when the upload is complete.',
} as const
