/** Messages for a delegate who is offline, or whose connection is weak, breaks or gets no answer. */
export const CONNECTION_ERROR_MESSAGES = {
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
  weakConnection: 'Your connection is weak. We are still trying to send it.',
  weakConnectionWhileWaiting:
    'Your connection is weak. We are still trying to send your file. We will continue when it has arrived.',
} as const
