/** The paragraph below the event's own confirmation. */
export const CONFIRMATION_EMAIL_MESSAGES = {
  link: 'Open your registration: ticket, receipt and anything still to do\n{link}\n\nKeep this link private. Anyone who has it can see your registration.',
} as const
