/** Messages of the table of fees, and of the price's last day. */
export const FEE_TABLE_MESSAGES = {
  yours: 'Yours',
  today: 'Today',
  until: 'Until {day}',
  from: 'From {day}',
  notOnSale: 'Not on sale',
  priceUntil: {
    thenPrice: 'Price valid until {day}; from {next} {amount}',
    thenNotOnSale: 'Price valid until {day}; not on sale after that',
    thenClosed: 'Price valid until {day}; then registration closes',
  },
  freeUntil: {
    thenPrice: 'Free until {day}; from {next} {amount}',
    thenNotOnSale: 'Free until {day}; not on sale after that',
    thenClosed: 'Free until {day}; then registration closes',
  },
} as const
