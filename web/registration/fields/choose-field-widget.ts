/** Chooses the widget of each field. */
import { assertNever } from '../../../engine/index.ts'
import type { Field } from '../../../engine/index.ts'

/** The kinds of input. Each is the name of a widget (rjsf-theme.tsx). */
export type FieldWidget =
  /** A text input; a text area; Yes and No as two radio buttons; a switch; a file. */
  | 'line'
  | 'lines'
  | 'yes-no'
  | 'switch'
  | 'file'
  /** A choice: one row per option; a menu with the same details; the browser's native select. */
  | 'rows'
  | 'menu'
  | 'list'
  /** Several options as checkboxes; one consent checkbox; a list of small forms. */
  | 'boxes'
  | 'consent'
  | 'people'

/** Widgets that are loaded only for events that use them (registration-page-with-items-and-codes.tsx). */
const LATER = ['boxes', 'consent', 'menu', 'people'] as const satisfies readonly FieldWidget[]
export type LaterWay = (typeof LATER)[number]
export const isLater = (way: FieldWidget): way is LaterWay => LATER.some((later) => later === way)

/** More options than this do not fit a phone as rows. */
const ROWS_MAX = 7

export function wayOf(field: Field): FieldWidget {
  switch (field.type) {
    case 'text':
    case 'email':
    case 'phone':
    case 'number':
    case 'date':
      return 'line'
    case 'multiline':
      return 'lines'
    case 'yes-no':
      return field.as === 'switch' ? 'switch' : 'yes-no'
    case 'file':
      return 'file'
    case 'many':
      return 'boxes'
    case 'people':
    case 'consent':
      return field.type
    case 'select':
      return wayOfChoice(field)
    default:
      return assertNever(field.type)
  }
}

/** Rows show price and description without a tap. The event file may ask for a dropdown. */
function wayOfChoice({ options = [], as, offersCategories }: Field): FieldWidget {
  const told = options.some((option) => option.about !== undefined)
  const inRows = as === 'radio' || offersCategories === true || told
  if (inRows && as !== 'dropdown' && options.length <= ROWS_MAX) return 'rows'
  const coloured = options.some((option) => option.colour !== undefined)
  return offersCategories === true || told || coloured ? 'menu' : 'list'
}
