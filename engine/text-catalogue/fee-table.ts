/** Messages in the fee table and about the last day of a price. */
export const FEE_TABLE_MESSAGES = {
  yourCategory: 'Yours',
  today: 'Today',
  until: 'Until {day}',
  from: 'From {day}',
  notOnSale: 'Not on sale',
  /** For a registration that needs approval, at a price that does not depend on the date of the payment. */
  registerBy: 'Register by {day} for this price',
  priceUntil: {
    thenPrice: 'Price valid until {day}; then {amount} from {next}',
    thenNotOnSale: 'Price valid until {day}; not on sale after that',
    thenClosed: 'Price valid until {day}; then registration closes',
    thenPaused: 'Price valid until {day}; then registration is closed. It opens again on {next}',
  },
  freeUntil: {
    thenPrice: 'Free until {day}; then {amount} from {next}',
    thenNotOnSale: 'Free until {day}; not available after that',
    thenClosed: 'Free until {day}; then registration closes',
    thenPaused: 'Free until {day}; then registration is closed. It opens again on {next}',
  },
} as const
