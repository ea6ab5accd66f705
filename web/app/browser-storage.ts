/** Tab storage and messages to other tabs. A browser that blocks them throws: here that means "nothing kept". */

/** Reads a value that this tab has kept; null where there is none, where it is not JSON, or where storage is blocked. */
export function readStored(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** Keeps a value until the tab ends. Where storage is blocked or full, the page works as before and forgets it. */
export function writeStored(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(value))
  } catch {
    // Nothing is kept.
  }
}

export function removeStored(name: string): void {
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Nothing was kept.
  }
}

/** Opens a channel to the other tabs; null where the browser has none, or blocks it, as Firefox does without cookies. */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}
