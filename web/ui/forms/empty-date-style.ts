/** Keeps the `value` attribute of a date field up to date, by which its style tells that it is empty (styles/base.css). */
export function watchDates(): void {
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === 'date')
      target.setAttribute('value', target.value)
  })
}
