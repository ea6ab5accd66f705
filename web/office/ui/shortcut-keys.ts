/** Keyboard shortcuts of one character, which a user can switch off (WCAG 2.1.4). */
import { useEffect, useRef } from 'react'
import { readPersistentItem, writePersistentItem } from '../../app/browser-storage.ts'

const STORAGE_KEY = 'office-shortcuts'

export const areShortcutsOn = (): boolean => readPersistentItem(STORAGE_KEY) !== 'off'
export const setShortcutsOn = (isOn: boolean): void =>
  writePersistentItem(STORAGE_KEY, isOn ? 'on' : 'off')

/** Returns whether the key press is text input, or belongs to an open dialog, rather than a shortcut. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, dialog') !== null)

/** Calls `onKey` with every shortcut key. `onKey` returns true if it handled the key. */
export function useShortcutKeys(onKey: (key: string) => boolean): void {
  const latest = useRef(onKey)
  useEffect(() => {
    latest.current = onKey
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (isTyping(event) || !areShortcutsOn()) return
      if (latest.current(event.key)) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
