/** Props shared by all field controls: the field, its answer, and the ids of its hint and message. */
import { errorId, getUiOptions, helpId } from '@rjsf/utils'
import type { WidgetProps } from '@rjsf/utils'
import { use } from 'react'
import { assert } from '../../../engine/index.ts'
import type { Field } from '../../../engine/index.ts'
import { RequiredFields } from '../form/form-context.ts'
import type { FormConstants } from '../form/form-context.ts'

/** Attributes for the focusable element. On a box around it, screen readers would ignore them. */
type Aria = {
  /** Always present, even if undefined, so that it overrides MUI's value. */
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

export type Control = {
  readonly field: Field
  /** The control's name in the page; different for each person in a list. */
  readonly name: string
  readonly constants: FormConstants
  readonly change: (value: unknown) => void
  readonly onLeave: () => void
  readonly aria: Aria
}

/** Returns the ids of a field's hint and message, in this order. */
export const getDescriptionIds = (
  id: string,
  hasHint: boolean,
  message: string | undefined,
): string | undefined =>
  [hasHint && helpId(id), message !== undefined && errorId(id)].filter(Boolean).join(' ') ||
  undefined

export function useControl(props: WidgetProps): Control {
  const constants = props.registry.formContext as FormConstants
  const key = (props.options['key'] as string | undefined) ?? props.name
  const field = constants.fields.get(key)
  assert(field !== undefined, `no field ${key}`)
  const isRequired = use(RequiredFields).has(key)
  const message = props.rawErrors?.[0]
  return {
    field,
    name: props.id.replace('root_', ''),
    constants,
    change: props.onChange,
    onLeave: () => props.onBlur(props.id, props.value),
    aria: {
      'aria-describedby': getDescriptionIds(
        props.id,
        Boolean(getUiOptions(props.uiSchema).help),
        message,
      ),
      'aria-invalid': message === undefined ? undefined : true,
      'aria-required': isRequired || undefined,
    },
  }
}

export function Chevron({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 20 20" className={`i chev ${className ?? ''}`} aria-hidden="true">
      <use href="#i-chev" />
    </svg>
  )
}
