/** Keeps a focused field of the front desk's form above the bar with the price. */

/** Browsers scroll to a focused field that is outside the window, but not to one behind the bar. */
export function scrollAboveBar(target: HTMLElement): void {
  const bar = target.closest('form')?.querySelector('.desk-bar')
  if (bar === null || bar === undefined || bar.contains(target)) return
  const { top, left } = bar.getBoundingClientRect()
  const field = target.getBoundingClientRect()
  // On a wide page, the bar is next to the fields.
  if (left >= field.right) return
  const hiddenHeight = field.bottom + 12 - top
  if (hiddenHeight > 0) window.scrollBy(0, hiddenHeight)
}
