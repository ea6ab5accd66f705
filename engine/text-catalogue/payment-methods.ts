/** Messages about payment methods, and about the buyer of an invoice. */
export const PAYMENT_METHOD_MESSAGES = {
  section: 'Payment',
  /** Labels of numbers to copy into a banking app. */
  upiId: 'UPI ID',
  account: 'Account',
  ifsc: 'IFSC',
  iban: 'IBAN',
  bic: 'BIC',
  label: 'How would you like to pay?',
  missing: 'Please choose how you would like to pay.',
  /** Below a method on the form. */
  until: 'Until {day}',
  closed: 'You can no longer pay here.',
  notByCard: 'You cannot pay by card in {currency}.',
  noCard: 'You can no longer pay by card.',
  ended: '{method} was available until {day}.',
  choose: 'Please choose {methods}.',
  byCurrency: 'These payment methods accept {currency}: {methods}. Please choose one.',
  invoiceAddress:
    'This is required on an invoice of ₹ 50,000 or more. Please enter it, or enter a GSTIN.',
  /** In another currency, the value in rupees is not known yet. */
  invoiceAddressAbroad: 'This is required on your invoice. Please enter it.',
} as const
