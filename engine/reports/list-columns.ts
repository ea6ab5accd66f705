/** Columns of lists and exports for the money of a registration. */
import type { AdminList, Column } from '../event/config.ts'
import type { Amount } from '../lib/money.ts'

/** Paid − refunded is the organisers' share; the dashboard adds it up as revenue. */
export type RegistrationMoney = {
  /** Every payment that counts, before refunds. */
  readonly paid: Amount
  /** The part of it that was refunded. */
  readonly refunded: Amount
  /** The balance still to be paid. */
  readonly owed: Amount
}

/** No field and no built-in value has a dot in its name. */
export const MONEY_COLUMNS = [
  { id: 'money.paid', label: 'Amount paid', kind: 'money' },
  { id: 'money.refunded', label: 'Amount refunded', kind: 'money' },
  { id: 'money.owed', label: 'Amount due', kind: 'money' },
] as const satisfies readonly Column[]

/** The currency of the amounts of a row, in an event that has several. */
export const CURRENCY_COLUMN = {
  id: 'money.currency',
  label: 'Currency',
  kind: 'text',
} as const satisfies Column

/** The gateway and merchant account that were paid, in an event with several. */
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
