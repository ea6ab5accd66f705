/**
 * What the browser is told of what is typed at a question: the keyboard of a phone, its key for Enter, capitals,
 * and what it may fill in by itself. Event files call their fields what they like, so that roles, types
 * and usual names decide.
 */
import { useEffect, useRef } from 'react'
import type { Field, PublicEvent } from '../../../engine/index.ts'

import { FORM_ID } from '../form/field-keys.ts'

export type Typing = {
  readonly inputType: string
  readonly autocomplete?: string
  readonly autocapitalize?: string
  readonly inputMode?: string
  readonly spellCheck?: boolean
  readonly enterKeyHint?: string
}

/** By the name of a field, or the end of it (`work_city`): what browsers know of a person, as HTML calls it. */
const FILLED_IN: readonly (readonly [name: RegExp, autocomplete: string])[] = [
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

/** Somebody else's: what the browser knows of the one who types would be wrong. */
const OF_OTHERS =
  /(^|_)(spouse|companion|accompanying|person|child|parent|father|mother|guardian|emergency|referee|sponsor|guide|hod)(_|$)/

/** Numbers with letters in them, as they stand on cards and certificates; no word of any language. */
const IN_CAPITALS = /(^|_)(no|number|numbers|id|code|gst|gstin|pan|utr|ifsc)$/

const PIN = /(^|_)pin(_?code)?$/
const PHONE = /(^|_)(phone|mobile|whatsapp)(_|$)/
const EMAIL = /(^|_)e?mail(_|$)/
const NAME = /name$/

const AS_TYPED = { autocapitalize: 'off', spellCheck: false } as const

/** `roles` null: asked of somebody else than the delegate, for whom the browser fills in nothing. */
export function typingOf(field: Field, roles: PublicEvent['roles'] | null): Typing {
  const { id } = field
  const isEmail = field.type === 'email' || (field.type === 'text' && EMAIL.test(id))
  const isPhone = field.type === 'phone' || (field.type === 'text' && PHONE.test(id))
  const filled = filledIn(field, roles, isEmail, isPhone)
  return {
    inputType: 'text',
    ...(filled !== undefined && { autocomplete: filled }),
    // Of several lines Enter makes another.
    ...(field.type !== 'multiline' && { enterKeyHint: 'next' }),
    ...keyboardOf(field, isEmail, isPhone),
  }
}

function filledIn(
  { id, type }: Field,
  roles: PublicEvent['roles'] | null,
  isEmail: boolean,
  isPhone: boolean,
): string | undefined {
  if (roles === null || OF_OTHERS.test(id)) return 'off'
  if (id === roles.fullName) return 'name'
  if (isEmail) return 'email'
  if (isPhone) return 'tel'
  if (type === 'number') return undefined
  return (
    FILLED_IN.find(([name]) => name.test(id))?.[1] ?? (IN_CAPITALS.test(id) ? 'off' : undefined)
  )
}

/** Beside what it fills in: the keys, and whether it may change what was typed. */
function keyboardOf(
  { id, type, isWhole, pattern }: Field,
  isEmail: boolean,
  isPhone: boolean,
): Partial<Typing> {
  if (isEmail)
    return { ...AS_TYPED, inputType: type === 'email' ? type : 'text', inputMode: 'email' }
  if (isPhone) return { inputType: 'tel', inputMode: 'tel' }
  if (type === 'date') return { inputType: type }
  // No spinner: a wheel that turns under the pointer would change the answer.
  if (type === 'number') return { inputMode: isWhole ? 'numeric' : 'decimal' }
  if (type !== 'text') return {}
  const digits = digitsOf(pattern)
  if (digits !== null || PIN.test(id)) return { inputMode: digits ?? 'numeric' }
  if (/(^|_)(website|url)$/.test(id)) return { ...AS_TYPED, inputMode: 'url' }
  if (IN_CAPITALS.test(id)) return { autocapitalize: 'characters', spellCheck: false }
  if (NAME.test(id) || /(^|_)(city|town|hospital|institut(e|ion)|college)$/.test(id))
    return { autocapitalize: 'words', ...(NAME.test(id) && { spellCheck: false }) }
  return {}
}

/** The keys that suffice for a pattern without letters; a phone's number pad has no plus. Null: letters may be needed. */
function digitsOf(pattern: string | undefined): 'numeric' | 'tel' | null {
  if (pattern === undefined) return null
  const signs = pattern.replaceAll(/\\d|\\[+-]|^\^|\$$/g, '')
  if (/[\p{L}.^\\]/u.test(signs)) return null
  return pattern.includes('\\+') ? 'tel' : 'numeric'
}

/**
 * What the key of the phone's keyboard promises: Enter goes on to the next question. Sent by it, a form half
 * filled in would answer with all that is missing; at the last question it is.
 */
export function onwardByEnter({
  nativeEvent: press,
  currentTarget: within,
}: {
  readonly nativeEvent: KeyboardEvent
  readonly currentTarget: Element
}): void {
  const { key, target, isComposing } = press
  if (key !== 'Enter' || isComposing) return
  if (!(target instanceof HTMLInputElement) || target.enterKeyHint !== 'next') return
  const all = [...within.querySelectorAll<HTMLInputElement>('input, select, textarea')]
  const next = all[all.indexOf(target) + 1]
  if (next === undefined) return
  press.preventDefault()
  // Of a choice it is the one that is chosen.
  const chosen = `input[name="${CSS.escape(next.name)}"]:checked`
  ;(within.querySelector<HTMLInputElement>(chosen) ?? next).focus()
}

/** The pay button loses the focus while it is disabled, and with it the reader's place; it has it back when the form is open again. */
export function useReturnOfFocus(open: boolean): void {
  const was = useRef(open)
  useEffect(() => {
    if (open && !was.current && document.activeElement === document.body)
      document
        .querySelector<HTMLElement>(`button[form="${FORM_ID}"]`)
        ?.focus({ preventScroll: true })
    was.current = open
  }, [open])
}
