/** Columns of an exported list, for the office and for `rollcall registration export`. */
import type { AdminList, Column, EventConfig } from '../event/config.ts'
import { listCurrenciesOfEvent } from '../rules/category.ts'
import { ACCOUNT_COLUMN, CURRENCY_COLUMN, MONEY_COLUMNS } from './list-columns.ts'
import { buildSalesColumns } from './sales-columns.ts'

/**
 * Returns the list's columns, columns for the items sold (so that a row's amounts add up to its total) and payment
 * columns.
 */
export function listExportColumns(event: EventConfig, list: AdminList): readonly Column[] {
  const { columns, hasSeveralAccounts } = list
  const missingColumns = buildSalesColumns(event).filter(({ id }) =>
    columns.every((column) => column.id !== id),
  )
  const moneyColumns = [
    ...MONEY_COLUMNS,
    ...(listCurrenciesOfEvent(event).length > 1 ? [CURRENCY_COLUMN] : []),
    ...(hasSeveralAccounts === true ? [ACCOUNT_COLUMN] : []),
  ]
  return [...columns, ...missingColumns, ...(event.fees.prices === null ? [] : moneyColumns)]
}
