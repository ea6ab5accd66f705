/** Columns of an exported list, for the office and for `rollcall registration export`. */
import type { AdminList, Column, EventConfig } from '../event/config.ts'
import { MONEY_COLUMNS } from './list-columns.ts'
import { salesColumns } from './sales-columns.ts'

/**
 * Returns the list's columns, then the items sold, so that the amounts of a row add up to its total, then the
 * payments.
 */
export function exportColumns(event: EventConfig, { columns }: AdminList): readonly Column[] {
  const missing = salesColumns(event).filter(({ id }) =>
    columns.every((column) => column.id !== id),
  )
  return [...columns, ...missing, ...(event.fees.prices === null ? [] : MONEY_COLUMNS)]
}
