/** Messages about the price next to the form's button, including before the form's script has loaded. */
export const FORM_PRICE_MESSAGES = {
  loading: 'Loading today’s prices',
  notLoaded: 'We could not load today’s prices. {reason}',
  closed: 'Registration is closed today',
  categoryNotOnSale: 'This {word} is not available today',
  choose: 'Please answer “{field}”',
  total: 'Total {amount}',
  /** The button's label from the click until the form's script has loaded. */
  wait: 'One moment…',
} as const
