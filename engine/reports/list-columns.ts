/** Payment columns of lists and exports. */
import type { AdminList, Column } from '../event/config.ts'
import type { Amount } from '../lib/money.ts'

/** `paid` less `refunded` is the organisers' revenue, which the dashboard adds up. */
export type RegistrationMoney = {
  /** All payments that count, before refunds. */
  readonly paid: Amount
  /** The part that was refunded. */
  readonly refunded: Amount
  /** The balance to be paid. */
  readonly owed: Amount
}

/** These ids contain a dot, unlike those of fields and built-in values. */
export const MONEY_COLUMNS = [
  { id: 'money.paid', label: 'Amount paid', kind: 'money' },
  { id: 'money.refunded', label: 'Amount refunded', kind: 'money' },
  { id: 'money.owed', label: 'Amount due', kind: 'money' },
] as const satisfies readonly Column[]

/** The currency of a row's amounts, in an event with several currencies. */
export const CURRENCY_COLUMN = {
  id: 'money.currency',
  label: 'Currency',
  kind: 'text',
} as const satisfies Column

/** The gateway and merchant account that received the payment, in an event with several. */
export const ACCOUNT_COLUMN = {
  id: 'money.account',
  label: 'Card account',
  kind: 'text',
} as const satisfies Column

/**
 * Returns all columns that the office can show in a list: those of the event file in its order, then
 * the built-in ones.
 */
export function listColumns({
  columns,
  hasSeveralAccounts,
}: Pick<AdminList, 'columns' | 'hasSeveralAccounts'>): readonly Column[] {
  return [...columns, ...MONEY_COLUMNS, ...(hasSeveralAccounts === true ? [ACCOUNT_COLUMN] : [])]
}
