/** Compares used names with declared ones, and suggests the nearest one for a typing mistake. */
import type { Draft } from '../../finding.ts'
import type { Model } from '../../checked-file.ts'
import { formatList, mayCompare, suggestName } from '../../suggestions/nearest-name.ts'

export type UsedName = {
  readonly name: string
  readonly at: string
  readonly part?: 'key' | 'value'
}

/** Returns the used names that are not declared, each with the nearest declared one. */
export function findUnknown(
  model: Model,
  used: readonly UsedName[],
  allowed: readonly string[],
  toMessage: (name: string) => string,
  toHelp: (name: string) => string = () =>
    'write one of these names, or add this one to the file first',
): readonly Draft[] {
  const known = new Set(allowed)
  return used
    .filter(({ name }) => !known.has(name))
    .map(({ name, at, part = 'value' }) => {
      const { start, end } = model.source.place(at, part)
      const suggestion = mayCompare(model, allowed.length)
        ? suggestName(name, allowed, [start.offset, end.offset])
        : {}
      return {
        at,
        part,
        message: toMessage(name),
        ...suggestion,
        ...(suggestion.help === undefined && allowed.length > 0
          ? {
              notes: [`available: ${formatList(allowed, 20)}`],
              help: toHelp(name),
            }
          : {}),
      }
    })
}
