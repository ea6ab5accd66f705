/** The script before hydration of a form that sells only a registration. */
import { calculatePriceByTariff } from '../price/live-price.ts'
import { startBeforeHydration } from './pre-hydration.ts'

startBeforeHydration({ pricing: calculatePriceByTariff, submitLabel: () => null })
