/** The script that runs before hydration, for forms that sell only a registration. */
import { calculatePriceByTariff } from '../price/live-price.ts'
import { startBeforeHydration } from './pre-hydration.ts'

startBeforeHydration({ pricing: calculatePriceByTariff, submitLabel: () => null })
