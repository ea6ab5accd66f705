/** Compares used names with declared ones, and suggests the nearest one for a typing mistake. */
import type { Draft } from '../../finding.ts'
import type { Model } from '../../checked-file.ts'
import { formatList, canCompareNames, suggestName } from '../../suggestions/nearest-name.ts'

export type UsedName = {
  readonly name: string
  readonly at: string
  readonly part?: 'key' | 'value'
}

/** Reports the used names that are not declared, each with the nearest declared name. */
export function reportUnknownNames(
  model: Model,
  usedNames: readonly UsedName[],
  allowedNames: readonly string[],
  toMessage: (name: string) => string,
  toHelp: (name: string) => string = () =>
    'write one of these names, or add this one to the file first',
): readonly Draft[] {
  const allowedSet = new Set(allowedNames)
  return usedNames
    .filter(({ name }) => !allowedSet.has(name))
    .map(({ name, at, part = 'value' }) => {
      const { start, end } = model.source.place(at, part)
      const suggestion = canCompareNames(model, allowedNames.length)
        ? suggestName(name, allowedNames, [start.offset, end.offset])
        : {}
      return {
        at,
        part,
        message: toMessage(name),
        ...suggestion,
        ...(suggestion.help === undefined && allowedNames.length > 0
          ? {
              notes: [`available: ${formatList(allowedNames, 20)}`],
              help: toHelp(name),
            }
          : {}),
      }
    })
}
