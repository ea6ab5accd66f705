/** The spacing of table rows, stored in this browser. */
import { readPersistentItem, writePersistentItem } from '../../app/browser-storage.ts'

export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

const STORAGE_KEY = 'office-density'

export const readDensity = (): Density =>
  readPersistentItem(STORAGE_KEY) === 'compact' ? 'compact' : 'comfortable'

/** Stores a choice and applies it. */
export function chooseDensity(density: Density): void {
  writePersistentItem(STORAGE_KEY, density)
  applyDensity()
}

/** Applies the stored choice to this page (`frame.css`). */
export function applyDensity(): void {
  document.documentElement.dataset['density'] = readDensity()
}
