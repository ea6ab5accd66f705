/** The script that runs before hydration, for forms with items: it calculates the bill. */
import { getSubmitLabel } from '../approval-notes.ts'
import { calculatePriceByBill } from '../price/itemised-price.ts'
import { startBeforeHydration } from './pre-hydration.ts'

startBeforeHydration({ pricing: calculatePriceByBill, submitLabel: getSubmitLabel })
