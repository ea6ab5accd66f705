/** The user's choice of light or dark colours, stored in this browser. */
import { readPersistentItem, writePersistentItem } from '../../app/browser-storage.ts'

/** `system` follows the setting of the device. */
export const COLOR_THEMES = ['system', 'light', 'dark'] as const
export type ColorTheme = (typeof COLOR_THEMES)[number]

const STORAGE_KEY = 'office-color-theme'

/** Returns the stored choice, or `system` if there is none or storage is blocked. */
export function readColorTheme(): ColorTheme {
  const storedTheme = readPersistentItem(STORAGE_KEY)
  return COLOR_THEMES.find((theme) => theme === storedTheme) ?? 'system'
}

/** Stores a choice and applies it. */
export function chooseColorTheme(theme: ColorTheme): void {
  writePersistentItem(STORAGE_KEY, theme)
  applyColorTheme()
}

/** Applies the stored choice to this page (`color-theme.css`). */
export function applyColorTheme(): void {
  const theme = readColorTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
