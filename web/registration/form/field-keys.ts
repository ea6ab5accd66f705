/**
 * Where a message belongs: `email`, or `companions.0.age` for one answer about one of the people. Such a
 * key names a message; the element that it is about has the same name with underscores.
 */
import type { FieldErrors, PublicEvent } from '../../../engine/index.ts'

/** The form's id: the pay button stands outside it and names it. */
export const FORM_ID = 'registration'

/** The text of an element that may say another before the form's script is here (pre-hydration-script.ts); React takes it as it finds it. */
export const ahead = (spot: Spot) => ({ 'data-ahead': spot, suppressHydrationWarning: true })
/** `instead`: of the reason in the bar (`short`). */
export type Spot = 'total' | 'instead' | 'short' | 'empty' | 'why' | 'pay'

/** The id of the element that a message is about. */
export const elementOf = (key: string): string => `root_${key.replaceAll('.', '_')}`

/** The field that a message is about, or the list in which it stands. */
export const rootOf = (key: string): string => key.split('.')[0] ?? key

/** The key of what stands in an element; fields may have underscores in their names. */
export function keyOf({ fields }: PublicEvent, element: string): string {
  const name = element.replace(/^root_/, '')
  const list = fields.find(({ id, type }) => type === 'people' && name.startsWith(`${id}_`))
  const [, at, part] = /^_(\d+)_(.+)$/.exec(list ? name.slice(list.id.length) : '') ?? []
  return list && at && part ? `${list.id}.${at}.${part}` : name
}

/** What a message is about, in words: "Age", of one of the people "Person 2: Age". */
export function nameOf({ fields }: PublicEvent, key: string): string {
  const [id, at, part] = key.split('.')
  const field = fields.find((one) => one.id === id)
  return part === undefined
    ? (field?.label ?? key)
    : `${personName(Number(at))}: ${field?.fields?.find((one) => one.id === part)?.label ?? part}`
}

/** People have no name before they have been given one. */
export const personName = (at: number): string => `Person ${at + 1}`

type ErrorTree = { [part: string]: ErrorTree | string[] }
/** The messages as the form library takes them. */
export function treeOf(errors: FieldErrors): ErrorTree {
  const tree: ErrorTree = {}
  for (const [key, text] of Object.entries(errors)) {
    const at = key.split('.').reduce((node, part) => (node[part] ??= {}) as ErrorTree, tree)
    at['__errors'] = [text]
  }
  return tree
}

/** The messages after a list has changed: of people who have moved up they move too, of one who is gone they go. */
export function movedWith(
  errors: FieldErrors,
  key: string,
  was: unknown,
  is: unknown,
): FieldErrors {
  if (!Array.isArray(was) || !Array.isArray(is) || was.length <= is.length) return errors
  const gone = was.findIndex((one, at) => JSON.stringify(one) !== JSON.stringify(is[at]))
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, text]) => {
      const [id, at, part] = name.split('.')
      if (id !== key || part === undefined || Number(at) < gone) return [[name, text]]
      return Number(at) === gone ? [] : [[`${id}.${Number(at) - 1}.${part}`, text]]
    }),
  )
}
