/**
 * Keeps the `value` attribute of date fields current, so that CSS can style empty ones
 * (styles/base.css).
 */
export function updateDateAttributes(): void {
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === 'date')
      target.setAttribute('value', target.value)
  })
}
