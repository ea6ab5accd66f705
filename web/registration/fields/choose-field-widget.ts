/** Chooses the widget of each field. */
import { assertNever } from '../../../engine/index.ts'
import type { Field } from '../../../engine/index.ts'

/** The names of the widgets in rjsf-theme.tsx. */
export type FieldWidget =
  /** A text input; a text area; Yes and No as two radio buttons; a switch; a file. */
  | 'line'
  | 'lines'
  | 'yes-no'
  | 'switch'
  | 'file'
  /** A choice: one row per option, a menu with the same details, or the browser's native select. */
  | 'rows'
  | 'menu'
  | 'list'
  /** Several options as checkboxes; one consent checkbox; a list of small forms. */
  | 'boxes'
  | 'consent'
  | 'people'

/** Widgets that are loaded only for events that use them (registration-page-with-items-and-codes.tsx). */
const LAZY_WIDGETS = [
  'boxes',
  'consent',
  'menu',
  'people',
] as const satisfies readonly FieldWidget[]
export type LazyWidget = (typeof LAZY_WIDGETS)[number]
export const isLazy = (widget: FieldWidget): widget is LazyWidget =>
  LAZY_WIDGETS.some((lazy) => lazy === widget)

/** The maximum number of rows that fit on a phone's screen. */
const MAX_ROWS = 7

export function chooseWidget(field: Field): FieldWidget {
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
      return chooseChoiceWidget(field)
    default:
      return assertNever(field.type)
  }
}

/**
 * Chooses the widget of a choice. Rows show price and description without a tap. The event file may require a
 * dropdown.
 */
function chooseChoiceWidget({ options = [], as, offersCategories }: Field): FieldWidget {
  const hasDescriptions = options.some((option) => option.about !== undefined)
  const isInRows = as === 'radio' || offersCategories === true || hasDescriptions
  if (isInRows && as !== 'dropdown' && options.length <= MAX_ROWS) return 'rows'
  const isColoured = options.some((option) => option.colour !== undefined)
  return offersCategories === true || hasDescriptions || isColoured ? 'menu' : 'list'
}
