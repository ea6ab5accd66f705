/** The script before hydration of a form that sells only a registration. */
import { priceByTariff } from '../price/live-price.ts'
import { startBeforeHydration } from './pre-hydration.ts'

startBeforeHydration({ pricing: priceByTariff, submitLabel: () => null })
