/** The choice of payment method at the front desk. The method used last is preselected. */
import { useId } from 'react'
import { readTabItem, writeTabItem } from '../../../app/browser-storage.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'

/** The value for paying later. Ids of methods contain no brackets. */
export const PAY_LATER = '(later)'

type Method = { readonly id: string; readonly label: string }

/** Shows one button per method, so that staff see all methods and the chosen one. */
export function PaymentChoice({
  methods,
  value,
  error,
  onChange,
}: {
  readonly methods: readonly Method[]
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const errorProps = error === undefined ? {} : { 'aria-describedby': id }
  return (
    <fieldset
      className={error === undefined ? 'labelled-field methods' : 'labelled-field methods wrong'}
      {...errorProps}
    >
      <legend>Payment</legend>
      {error !== undefined && (
        <p className="field-error" id={id}>
          <Icon name="bang" small />
          {error}
        </p>
      )}
      {[...methods, { id: PAY_LATER, label: 'Pay later (send link)' }].map((method) => (
        <label className="choice" key={method.id}>
          <input
            type="radio"
            name="way"
            value={method.id}
            checked={value === method.id}
            onChange={() => onChange(method.id)}
          />
          {method.label}
        </label>
      ))}
    </fieldset>
  )
}

const buildStorageKey = (eventId: string): string => `rollcall-desk-method-${eventId}`

/**
 * Returns the method to preselect: the only one, or the last one used in this tab. Returns an empty string if staff
 * must choose, because with a default they could record a payment that was not received.
 */
export function readLastMethod(eventId: string, methods: readonly Method[]): string {
  const [firstMethod] = methods
  if (firstMethod === undefined) return PAY_LATER
  if (methods.length === 1) return firstMethod.id
  const lastMethod = readTabItem(buildStorageKey(eventId))
  return [...methods.map(({ id }) => id), PAY_LATER].find((id) => id === lastMethod) ?? ''
}

export const saveLastMethod = (eventId: string, method: string): void =>
  writeTabItem(buildStorageKey(eventId), method)
