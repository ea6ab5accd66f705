/** A date field that also shows the day in words, because some browsers show the month first. */
import type { ComponentProps } from 'react'
import { formatDay, isDay } from '../../../engine/index.ts'

export function DayField({
  label,
  value,
  onChange,
  ...attributes
}: Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange'> & {
  readonly label: string
  readonly value: string
  readonly onChange: (day: string) => void
}) {
  const day = isDay(value) ? value : null
  return (
    <label>
      {label}
      <input
        type="date"
        value={day ?? ''}
        onChange={({ target }) => onChange(target.value)}
        {...attributes}
      />
      <span className="org-day">{day !== null && formatDay(day)}</span>
    </label>
  )
}
