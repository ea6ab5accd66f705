/**
 * Input attributes of a field: keyboard, Enter key, capitals, spelling and autofill.
 * Event files choose their own field names, so the attributes depend on roles, types and common names.
 */
import { useEffect, useRef } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'

import { FORM_ID } from '../form/field-keys.ts'

export type InputAttributes = {
  readonly inputType: string
  readonly autocomplete?: string
  readonly autocapitalize?: string
  readonly inputMode?: string
  readonly spellCheck?: boolean
  readonly enterKeyHint?: string
}

/** HTML autocomplete values, keyed by a field's name or by the end of its name (`work_city`). */
const AUTOCOMPLETE_BY_NAME: readonly (readonly [name: RegExp, autocomplete: string])[] = [
  [/^(title|salutation|prefix)$/, 'honorific-prefix'],
  [/^(first|given)_?name$/, 'given-name'],
  [/^(last|family)_?name$|^surname$/, 'family-name'],
  [/address$/, 'street-address'],
  [/(^|_)(pin|zip|post(al)?)(_?code)?$/, 'postal-code'],
  [/(^|_)(city|town)$/, 'address-level2'],
  [/(^|_)state$/, 'address-level1'],
  [/(^|_)country$/, 'country-name'],
  [
    /(^|_)(hospital|institut(e|ion)|organi[sz]ation|college|university|company|clinic|affiliation)(_name)?$/,
    'organization',
  ],
  [/^(designation|job_title|position)$/, 'organization-title'],
  [/^(dob|date_of_birth|birth_?(day|date))$/, 'bday'],
  [/^(gender|sex)$/, 'sex'],
  [/(^|_)(website|url)$/, 'url'],
]

/** Fields about other people, where the delegate's own autofill data would be wrong. */
const OTHER_PERSON_FIELD =
  /(^|_)(spouse|companion|accompanying|person|child|parent|father|mother|guardian|emergency|referee|sponsor|guide|hod)(_|$)/

/** Numbers that contain letters, as printed on cards and certificates. */
const CODE_FIELD = /(^|_)(no|number|numbers|id|code|gst|gstin|pan|utr|ifsc)$/

const PIN_FIELD = /(^|_)pin(_?code)?$/
const PHONE_FIELD = /(^|_)(phone|mobile|whatsapp)(_|$)/
const EMAIL_FIELD = /(^|_)e?mail(_|$)/
const NAME_FIELD = /name$/

const NO_CORRECTION = { autocapitalize: 'off', spellCheck: false } as const

/**
 * Returns the input attributes of a field. `roles` is null for a field about someone other than the delegate: the
 * browser must not fill it in.
 */
export function getInputAttributes(
  field: Field,
  roles: PublicEvent['roles'] | null,
): InputAttributes {
  const { id } = field
  const isEmail = field.type === 'email' || (field.type === 'text' && EMAIL_FIELD.test(id))
  const isPhone = field.type === 'phone' || (field.type === 'text' && PHONE_FIELD.test(id))
  const autocomplete = findAutocomplete(field, roles, isEmail, isPhone)
  return {
    inputType: 'text',
    ...(autocomplete !== undefined && { autocomplete }),
    // In a multi-line field, Enter inserts a line break.
    ...(field.type !== 'multiline' && { enterKeyHint: 'next' }),
    ...getKeyboardAttributes(field, isEmail, isPhone),
  }
}

function findAutocomplete(
  { id, type }: Field,
  roles: PublicEvent['roles'] | null,
  isEmail: boolean,
  isPhone: boolean,
): string | undefined {
  if (roles === null || OTHER_PERSON_FIELD.test(id)) return 'off'
  if (id === roles.fullName) return 'name'
  if (isEmail) return 'email'
  if (isPhone) return 'tel'
  if (type === 'number') return undefined
  return (
    AUTOCOMPLETE_BY_NAME.find(([name]) => name.test(id))?.[1] ??
    (CODE_FIELD.test(id) ? 'off' : undefined)
  )
}

/** Returns the keyboard, capitalisation and spell-check attributes of a field, without those for autofill. */
function getKeyboardAttributes(
  { id, type, isWhole, pattern }: Field,
  isEmail: boolean,
  isPhone: boolean,
): Partial<InputAttributes> {
  if (isEmail)
    return { ...NO_CORRECTION, inputType: type === 'email' ? type : 'text', inputMode: 'email' }
  if (isPhone) return { inputType: 'tel', inputMode: 'tel' }
  if (type === 'date') return { inputType: type }
  // Not a number input: scrolling the mouse wheel over it would change the answer.
  if (type === 'number') return { inputMode: isWhole ? 'numeric' : 'decimal' }
  if (type !== 'text') return {}
  const numericMode = findNumericInputMode(pattern)
  if (numericMode !== null || PIN_FIELD.test(id)) return { inputMode: numericMode ?? 'numeric' }
  if (/(^|_)(website|url)$/.test(id)) return { ...NO_CORRECTION, inputMode: 'url' }
  if (CODE_FIELD.test(id)) return { autocapitalize: 'characters', spellCheck: false }
  if (NAME_FIELD.test(id) || /(^|_)(city|town|hospital|institut(e|ion)|college)$/.test(id))
    return { autocapitalize: 'words', ...(NAME_FIELD.test(id) && { spellCheck: false }) }
  return {}
}

/**
 * Returns the keyboard for a pattern without letters: `tel` if the pattern allows a plus, which a numeric keypad
 * does not have. Null if letters may be needed.
 */
function findNumericInputMode(pattern: string | undefined): 'numeric' | 'tel' | null {
  if (pattern === undefined) return null
  const characters = pattern.replaceAll(/\\d|\\[+-]|^\^|\$$/g, '')
  if (/[\p{L}.^\\]/u.test(characters)) return null
  return pattern.includes('\\+') ? 'tel' : 'numeric'
}

/**
 * Moves the focus to the next field on Enter, as the label of a phone's Enter key indicates.
 * Otherwise Enter would submit a half-completed form and show all missing answers. In the last field, Enter submits
 * the form.
 */
export function focusNextOnEnter({
  nativeEvent: keyEvent,
  currentTarget: formElement,
}: {
  readonly nativeEvent: KeyboardEvent
  readonly currentTarget: Element
}): void {
  const { key, target, isComposing } = keyEvent
  if (key !== 'Enter' || isComposing) return
  if (!(target instanceof HTMLInputElement) || target.enterKeyHint !== 'next') return
  const inputs = [...formElement.querySelectorAll<HTMLInputElement>('input, select, textarea')]
  const nextInput = inputs[inputs.indexOf(target) + 1]
  if (nextInput === undefined) return
  keyEvent.preventDefault()
  // In a group of radio buttons, focus the selected one.
  const selectedRadio = `input[name="${CSS.escape(nextInput.name)}"]:checked`
  ;(formElement.querySelector<HTMLInputElement>(selectedRadio) ?? nextInput).focus()
}

/**
 * Returns the focus to the pay button when the form is enabled again, because a button loses focus when it is
 * disabled.
 */
export function useRestoredFocus(isEnabled: boolean): void {
  const wasEnabled = useRef(isEnabled)
  useEffect(() => {
    if (isEnabled && !wasEnabled.current && document.activeElement === document.body)
      document
        .querySelector<HTMLElement>(`button[form="${FORM_ID}"]`)
        ?.focus({ preventScroll: true })
    wasEnabled.current = isEnabled
  }, [isEnabled])
}
