/** Browser storage, and messages to other tabs. Blocked storage behaves like empty storage. */

/** Reads a stored value of this tab. Returns null if it is missing, not JSON, or storage is blocked. */
export function readTabItem(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/**
 * Stores a value until the tab is closed. If storage is blocked or full, the value is not stored and
 * the page works as usual.
 */
export function writeTabItem(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(value))
  } catch {
    // Not stored.
  }
}

export function removeTabItem(name: string): void {
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Blocked storage is empty.
  }
}

/**
 * Reads a string that remains stored when the browser is closed: a display setting or an organiser's draft, never a
 * delegate's data. Returns null if the text is missing, or storage is blocked.
 */
export function readPersistentItem(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Stores a string that remains stored when the browser is closed. If storage is blocked or full, nothing is stored. */
export function writePersistentItem(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    // Not stored.
  }
}

export function removePersistentItem(name: string): void {
  try {
    localStorage.removeItem(name)
  } catch {
    // Blocked storage is empty.
  }
}

/**
 * Opens a channel to the other tabs. Returns null if the browser does not support channels or blocks them, as Firefox
 * does without cookies.
 */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}
