/** The script before hydration of a form that sells more than a registration: it calculates the bill. */
import { submitLabel } from '../approval-notes.ts'
import { priceByBill } from '../price/itemised-price.ts'
import { startBeforeHydration } from './pre-hydration.ts'

startBeforeHydration({ pricing: priceByBill, submitLabel })
