/** Names the entries of lists in a compiled event, so that a moved entry does not count as changed. */

/**
 * Returns the name of a list entry. A row of fixed text and an email button are named by their kind, so that a new text
 * is not a new entry.
 */
function getItemName(item: Record<string, unknown>): string | undefined {
  const name = (['id', 'show', 'go', 'do'] as const)
    .map((key) => item[key])
    .find((candidate) => typeof candidate === 'string')
  return typeof name === 'string'
    ? name
    : (['text', 'mail'] as const).find((key) => typeof item[key] === 'string')
}

/**
 * Names each list entry: by its id, the value it shows, its action or its own text, or otherwise by its number. A
 * second entry with the same name is called "name (2)".
 */
export function listItemNames(items: readonly unknown[]): readonly string[] {
  const countByName = new Map<string, number>()
  return items.map((item, i) => {
    const part =
      typeof item === 'object' && item !== null
        ? getItemName(item as Record<string, unknown>)
        : item
    const name = part === undefined || Array.isArray(item) ? String(i + 1) : String(part)
    const occurrence = (countByName.get(name) ?? 0) + 1
    countByName.set(name, occurrence)
    return occurrence === 1 ? name : `${name} (${occurrence})`
  })
}
