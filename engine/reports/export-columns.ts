/** Columns of an exported list, for the office and for `rollcall registration export`. */
import type { AdminList, Column, EventConfig } from '../event/config.ts'
import { listCurrenciesOfEvent } from '../rules/category.ts'
import { ACCOUNT_COLUMN, CURRENCY_COLUMN, MONEY_COLUMNS } from './list-columns.ts'
import { buildSalesColumns } from './sales-columns.ts'

/**
 * Returns the list's columns, the items sold, so that a row's amounts add up to its total, and the
 * payments.
 */
export function listExportColumns(event: EventConfig, list: AdminList): readonly Column[] {
  const { columns, hasSeveralAccounts } = list
  const missing = buildSalesColumns(event).filter(({ id }) =>
    columns.every((column) => column.id !== id),
  )
  const money = [
    ...MONEY_COLUMNS,
    ...(listCurrenciesOfEvent(event).length > 1 ? [CURRENCY_COLUMN] : []),
    ...(hasSeveralAccounts === true ? [ACCOUNT_COLUMN] : []),
  ]
  return [...columns, ...missing, ...(event.fees.prices === null ? [] : money)]
}
