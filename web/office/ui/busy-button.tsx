/** A button that cannot be pressed while its action runs, but keeps focus. */
import type { ComponentProps } from 'react'

/**
 * Shows a button that keeps focus while it is busy. A disabled button would lose focus, and Tab would start at
 * the top of the page.
 */
export function BusyButton({
  isBusy,
  onClick,
  ...props
}: Omit<ComponentProps<'button'>, 'disabled' | 'type'> & { readonly isBusy: boolean }) {
  return (
    <button
      type="button"
      aria-disabled={isBusy}
      onClick={(event) => {
        if (!isBusy) onClick?.(event)
      }}
      {...props}
    />
  )
}
