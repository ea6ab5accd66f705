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
  legal: readonly string[],
  say: (name: string) => string,
): readonly Draft[] {
  const known = new Set(legal)
  return used
    .filter(({ name }) => !known.has(name))
    .map(({ name, at, part = 'value' }) => {
      const { start, end } = model.source.place(at, part)
      const near = mayCompare(model, legal.length)
        ? suggestName(name, legal, [start.offset, end.offset])
        : {}
      return {
        at,
        part,
        message: say(name),
        ...near,
        ...(near.help === undefined && legal.length > 0
          ? { notes: [`available: ${formatList(legal, 20)}`] }
          : {}),
      }
    })
}
