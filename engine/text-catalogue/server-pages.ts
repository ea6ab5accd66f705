/** Messages of the pages as the server writes them, before or without the script. */
export const SERVER_PAGE_MESSAGES = {
  about: 'Registration and payment for conferences.',
  /** The document's title of a page that belongs to no event. */
  title: '{page} – {product}',
  noPrice: 'Not on sale',
  fees: 'Registration fees',
  days: { from: 'from {day}', until: 'until {day}', any: 'any day' },
  formNeedsScript:
    'To register, use a recent browser with JavaScript. Otherwise, write to the address below.',
  opens: 'registration opens on {day}',
  closed: 'registration closed',
  result: {
    title: '{event}: payment',
    about: 'Payment for {event}',
    loading: 'We are loading your registration.',
    needsScript: 'This page needs JavaScript.',
  },
  selfService: {
    title: '{event}: your registration',
    about: 'Your registration for {event}',
  },
  lostLinkNeedsScript: 'To request the link to your registration, use a browser with JavaScript.',
} as const
