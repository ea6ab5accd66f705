/** The total of the bill, which pre-hydration.ts changes while it hides the other rows. */
import type { DetailsRow } from '../../ui/details-list.tsx'
import { markPreHydrationText } from '../form/field-keys.ts'

/** Marks the total's value in a row of the bill. Returns other rows unchanged. */
export const markTotal = (row: DetailsRow): DetailsRow =>
  row.isTotal === true
    ? { ...row, value: <span {...markPreHydrationText('total')}>{row.value}</span> }
    : row
