/** Payment columns of lists and exports. */
import type { AdminList, Column } from '../event/config.ts'
import type { Amount } from '../lib/money.ts'

/** Paid − refunded is the organisers' share. The dashboard sums it as revenue. */
export type RegistrationMoney = {
  /** All payments that count, before refunds. */
  readonly paid: Amount
  /** The part that was refunded. */
  readonly refunded: Amount
  /** The balance to be paid. */
  readonly owed: Amount
}

/** Ids with a dot, which no field and no built-in value has. */
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
 * Returns all columns that the office can show in a list: the event file's in its order, then the
 * built-in ones.
 */
export function listColumns({
  columns,
  hasSeveralAccounts,
}: Pick<AdminList, 'columns' | 'hasSeveralAccounts'>): readonly Column[] {
  return [...columns, ...MONEY_COLUMNS, ...(hasSeveralAccounts === true ? [ACCOUNT_COLUMN] : [])]
}
