/** How each field is asked. */
import { assertNever } from '../../../engine/index.ts'
import type { Field } from '../../../engine/index.ts'

/** A way to ask; each is the name of a widget (rjsf-theme.tsx). */
export type Way =
  /** One line to type in; several; a yes or no in two boxes; a switch; a file. */
  | 'line'
  | 'lines'
  | 'yes-no'
  | 'switch'
  | 'file'
  /** A choice: every option in a row of its own; a menu whose entries are as rich; the browser's own list. */
  | 'rows'
  | 'menu'
  | 'list'
  /** Several of the options, in boxes to tick; one box to agree with; a list of small forms. */
  | 'boxes'
  | 'consent'
  | 'people'

/** What draws these is loaded for the events that ask so (extended-registration-page.tsx). */
const LATER = ['boxes', 'consent', 'menu', 'people'] as const satisfies readonly Way[]
export type LaterWay = (typeof LATER)[number]
export const isLater = (way: Way): way is LaterWay => LATER.some((later) => later === way)

/** More options than this do not fit a phone as rows. */
const ROWS_MAX = 7

export function wayOf(field: Field): Way {
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

/** Rows show what they mean at once; the event file may ask for a dropdown. */
function wayOfChoice({ options = [], as, offersCategories }: Field): Way {
  const told = options.some((option) => option.about !== undefined)
  const inRows = as === 'radio' || offersCategories === true || told
  if (inRows && as !== 'dropdown' && options.length <= ROWS_MAX) return 'rows'
  const coloured = options.some((option) => option.colour !== undefined)
  return offersCategories === true || told || coloured ? 'menu' : 'list'
}
