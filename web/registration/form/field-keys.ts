/**
 * Field keys: the names by which messages refer to fields and list entries.
 * A key is `email`, or `companions.0.age` for one answer about one person. The element's id is the
 * same name with underscores.
 */
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { FieldErrors, PublicEvent } from '../../../engine/index.ts'

/** Id of the form. The pay button is outside the form and references it. */
export const FORM_ID = 'registration'

/**
 * Marks an element whose text pre-hydration.ts may change before the form's script has
 * loaded. React accepts the text it finds.
 */
export const markPreHydrationSpot = (spot: Spot) => ({
  'data-ahead': spot,
  suppressHydrationWarning: true,
})
/** Positions that the script may update. `instead` replaces the reason in the bar (`short`). */
export type Spot = 'total' | 'instead' | 'short' | 'empty' | 'why' | 'pay'

/** Id of the element that a message is about. */
export const toElementId = (key: string): string => `root_${key.replaceAll('.', '_')}`

/** The top-level field that a message is about: the field itself, or the list that contains it. */
export const getRootField = (key: string): string => key.split('.')[0] ?? key

/** Converts an element's id to a key. Field names may contain underscores. */
export function toFieldKey({ fields }: PublicEvent, element: string): string {
  const name = element.replace(/^root_/, '')
  const list = fields.find(({ id, type }) => type === 'people' && name.startsWith(`${id}_`))
  const [, at, part] = /^_(\d+)_(.+)$/.exec(list ? name.slice(list.id.length) : '') ?? []
  return list && at && part ? `${list.id}.${at}.${part}` : name
}

/** Name of the field that a message is about: "Age", or "Person 2: Age" in a list. */
export function getFieldName({ fields }: PublicEvent, key: string): string {
  const [id, at, part] = key.split('.')
  const field = fields.find((field) => field.id === id)
  return part === undefined
    ? (field?.label ?? key)
    : formatMessage(FORM_MESSAGES.errors.withField, {
        field: getPersonName(Number(at)),
        error: field?.fields?.find(({ id }) => id === part)?.label ?? part,
      })
}

/** Label of a person in a list, by position, because the name may not be typed yet. */
export const getPersonName = (at: number): string =>
  formatMessage(FORM_MESSAGES.person, { number: at + 1 })

type ErrorTree = { [part: string]: ErrorTree | string[] }
/** Converts messages to RJSF's error tree. */
export function toErrorTree(errors: FieldErrors): ErrorTree {
  const tree: ErrorTree = {}
  for (const [key, text] of Object.entries(errors)) {
    const at = key.split('.').reduce((node, part) => (node[part] ??= {}) as ErrorTree, tree)
    at['__errors'] = [text]
  }
  return tree
}

/**
 * Adjusts the messages after a list has changed: they move with the people who moved up, and are
 * removed with a removed person.
 */
export function moveErrors(
  errors: FieldErrors,
  key: string,
  was: unknown,
  is: unknown,
): FieldErrors {
  if (!Array.isArray(was) || !Array.isArray(is) || was.length <= is.length) return errors
  const removedIndex = was.findIndex(
    (candidate, index) => JSON.stringify(candidate) !== JSON.stringify(is[index]),
  )
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, text]) => {
      const [id, at, part] = name.split('.')
      if (id !== key || part === undefined || Number(at) < removedIndex) return [[name, text]]
      return Number(at) === removedIndex ? [] : [[`${id}.${Number(at) - 1}.${part}`, text]]
    }),
  )
}
