/** Keeps a focused field of the front desk's form above the bar with the price. */

/** Browsers scroll to a focused field that is outside the window, but not to one behind the bar. */
export function showAboveBar(target: HTMLElement): void {
  const bar = target.closest('form')?.querySelector('.desk-bar')
  if (bar === null || bar === undefined || bar.contains(target)) return
  const hidden = target.getBoundingClientRect().bottom + 12 - bar.getBoundingClientRect().top
  if (hidden > 0) window.scrollBy(0, hidden)
}
