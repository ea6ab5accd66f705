/** What the form library is told of each field beside its schema: its widget, its hint, what one types into. */
import type { UiSchema } from '@rjsf/utils'
import { assertNever, uiSchema } from '../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../engine/index.ts'
import { wayOf } from './way.ts'

/** Bytes as people say them: "5 MB", "340 KB". */
export function sizeText(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${Math.round((bytes / 1024 / 1024) * 10) / 10}\u00a0MB`
  return `${Math.max(1, Math.round(bytes / 1024))}\u00a0KB`
}

/** The event file's hint; of a file also its kinds and its size. */
function hintOf(field: Field): string | undefined {
  if (field.type !== 'file') return field.hint
  const kinds = (field.accept ?? []).map((ending) => ending.toUpperCase())
  const list =
    kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}` : kinds.join('')
  const size =
    field.bytesMax === undefined ? '' : `${list ? ', ' : ''}at most ${sizeText(field.bytesMax)}`
  return [field.hint, `${list}${size}`].filter(Boolean).join('. ')
}

/** What browsers fill in by themselves, by the ids that event files use for it. */
const AUTOCOMPLETE: ReadonlyMap<string, string> = new Map([
  ['email', 'email'],
  ['phone', 'tel'],
  ['phone_number', 'tel'],
  ['address', 'street-address'],
  ['city', 'address-level2'],
  ['state', 'address-level1'],
  ['hospital', 'organization'],
  ['institution', 'organization'],
  ['present_institute', 'organization'],
  ['designation', 'organization-title'],
])

/** Where the type alone says what it is. */
const FILLED_IN: Partial<Record<Field['type'], string>> = { email: 'email', phone: 'tel' }

type Typing = {
  readonly inputType: string
  readonly autocomplete?: string
  readonly autocapitalize?: string
  readonly inputMode?: string
  readonly spellCheck?: boolean
}

/** What the browser is told of what one types: the keyboard of a phone, what it fills in. `roles` null: of somebody else. */
function typingOf(field: Field, roles: PublicEvent['roles'] | null): Typing {
  const autocomplete =
    roles === null
      ? 'off'
      : field.id === roles.fullName
        ? 'name'
        : (AUTOCOMPLETE.get(field.id) ?? FILLED_IN[field.type])
  const known = autocomplete === undefined ? {} : { autocomplete }
  switch (field.type) {
    case 'email':
      return {
        inputType: 'email',
        autocapitalize: 'off',
        inputMode: 'email',
        spellCheck: false,
        ...known,
      }
    case 'phone':
      return { inputType: 'tel', inputMode: 'tel', ...known }
    case 'date':
      return { inputType: 'date', ...known }
    // No spinner: a wheel that turns under the pointer would change the answer.
    case 'number':
      return { inputType: 'text', inputMode: field.isWhole ? 'numeric' : 'decimal', ...known }
    case 'text':
    case 'multiline':
    case 'select':
    case 'yes-no':
    case 'file':
    case 'many':
    case 'people':
    case 'consent':
      return { inputType: 'text', ...known }
    default:
      return assertNever(field.type)
  }
}

/** The engine's order and labels, and for each field its widget, its hint and what the browser is told of it. */
export function uiOf(event: PublicEvent): UiSchema<RawAnswers> {
  const ui = uiSchema(event)
  return {
    ...ui,
    ...Object.fromEntries(
      event.fields.map((field) => [
        field.id,
        { ...(ui[field.id] as UiSchema | undefined), ...uiOfField(field, event.roles) },
      ]),
    ),
  }
}

/** One field; of somebody else (`roles` null) the browser fills in nothing. */
export function uiOfField(field: Field, roles: PublicEvent['roles'] | null): UiSchema {
  const { inputMode, spellCheck, ...options } = typingOf(field, roles)
  return {
    'ui:widget': wayOf(field),
    'ui:help': hintOf(field),
    'ui:options': {
      ...options,
      // What was typed and deleted again stays an answer of nothing: RJSF's `undefined` would not reach our state.
      emptyValue: '',
      mui: { slotProps: { htmlInput: { inputMode, spellCheck } } },
    },
  } as UiSchema
}
