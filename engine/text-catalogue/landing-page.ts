/** Messages of the landing page that are not in the site's file. */
export const LANDING_MESSAGES = {
  navigation: 'Main',
  register: '{label}<hidden> for {event}</hidden>',
  stars: '{stars} out of 5 stars',
  person: '{name}, {role}',
  needsScript: 'The editor and the checker on this page need a recent browser with JavaScript.',
} as const
