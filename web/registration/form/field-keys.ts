/**
 * Field keys: the names by which messages refer to fields and list entries.
 * A key is `email`, or `companions.0.age` for one answer about one person. The element's id is the key with
 * underscores instead of dots.
 */
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { FieldErrors, PublicEvent } from '../../../engine/index.ts'

/** Id of the form. The pay button is outside the form and references it. */
export const FORM_ID = 'registration'

/**
 * Marks an element whose text pre-hydration.ts may change before the form's script has
 * loaded. React accepts the text it finds.
 */
export const markPreHydrationText = (name: PreHydrationText) => ({
  'data-ahead': name,
  suppressHydrationWarning: true,
})
/**
 * Elements whose text the pre-hydration script may update. `short` is the reason shown in the bar below the form;
 * `instead` is the text shown in place of the reason.
 */
export type PreHydrationText = 'total' | 'instead' | 'short' | 'empty' | 'why' | 'pay'

/** Returns the id of the element that a message is about. */
export const toElementId = (key: string): string => `root_${key.replaceAll('.', '_')}`

/** Returns the top-level field that a message is about: the field itself, or the list that contains it. */
export const getRootField = (key: string): string => key.split('.')[0] ?? key

/** Converts an element's id to a key. Field names may contain underscores. */
export function toFieldKey({ fields }: PublicEvent, elementId: string): string {
  const name = elementId.replace(/^root_/, '')
  const list = fields.find(({ id, type }) => type === 'people' && name.startsWith(`${id}_`))
  const [, personIndex, subfieldId] =
    /^_(\d+)_(.+)$/.exec(list ? name.slice(list.id.length) : '') ?? []
  return list && personIndex && subfieldId ? `${list.id}.${personIndex}.${subfieldId}` : name
}

/** Returns the name of the field that a message is about: "Age", or "Person 2: Age" in a list. */
export function getFieldName({ fields }: PublicEvent, key: string): string {
  const [id, personIndex, subfieldId] = key.split('.')
  const field = fields.find((field) => field.id === id)
  return subfieldId === undefined
    ? (field?.label ?? key)
    : formatMessage(FORM_MESSAGES.errors.withField, {
        field: getPersonName(Number(personIndex)),
        error: field?.fields?.find(({ id }) => id === subfieldId)?.label ?? subfieldId,
      })
}

/** Returns the label of a person in a list, by position, because the name may not be typed yet. */
export const getPersonName = (personIndex: number): string =>
  formatMessage(FORM_MESSAGES.person, { number: personIndex + 1 })

type ErrorTree = { [part: string]: ErrorTree | string[] }
/** Converts messages to RJSF's error tree. */
export function toErrorTree(errors: FieldErrors): ErrorTree {
  const tree: ErrorTree = {}
  for (const [key, text] of Object.entries(errors)) {
    const node = key.split('.').reduce((parent, part) => (parent[part] ??= {}) as ErrorTree, tree)
    node['__errors'] = [text]
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
  previousList: unknown,
  newList: unknown,
): FieldErrors {
  if (
    !Array.isArray(previousList) ||
    !Array.isArray(newList) ||
    previousList.length <= newList.length
  )
    return errors
  const removedIndex = previousList.findIndex(
    (candidate, index) => JSON.stringify(candidate) !== JSON.stringify(newList[index]),
  )
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, text]) => {
      const [id, personIndex, subfieldId] = name.split('.')
      if (id !== key || subfieldId === undefined || Number(personIndex) < removedIndex)
        return [[name, text]]
      return Number(personIndex) === removedIndex
        ? []
        : [[`${id}.${Number(personIndex) - 1}.${subfieldId}`, text]]
    }),
  )
}
