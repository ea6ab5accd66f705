/** Messages of server-rendered pages, for use before or without scripts. */
export const SERVER_PAGE_MESSAGES = {
  about: 'Registration and payment for conferences.',
  /** The title of a page that belongs to no event. */
  title: '{page} – {product}',
  noPrice: 'Not on sale',
  fees: 'Registration fees',
  days: { from: 'from {day}', until: 'until {day}', any: 'any day' },
  formNeedsScript:
    'To register, use a recent browser with JavaScript turned on. Otherwise, write to the address below.',
  opens: 'registration opens on {day}',
  closed: 'registration closed',
  result: {
    title: '{event}: payment',
    about: 'Payment for {event}',
    loading: 'We are loading your registration.',
    needsScript: 'To see your registration, use a recent browser with JavaScript turned on.',
  },
  selfService: {
    title: '{event}: your registration',
    about: 'Your registration for {event}',
  },
  lostLinkNeedsScript:
    'To request the link to your registration, use a recent browser with JavaScript turned on.',
} as const
