/** Finds which of several named things text refers to. */

const toPlainWords = (name: string): string =>
  ` ${name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .replace(/s\b/g, '')
    .trim()} `

/**
 * Returns the indexes of all entries that have a name in the text. A name that is part of a longer name does not count.
 */
export function findAllNamed(
  names: readonly (readonly string[])[],
  text: string,
): readonly number[] {
  const longestFirst = names
    .flatMap((entry, index) => entry.map((name) => ({ name: toPlainWords(name), index })))
    .filter(({ name }) => name.length > 4)
    .toSorted((a, b) => b.name.length - a.name.length)
  let remainingText = toPlainWords(text)
  const found = new Set<number>()
  for (const { name, index } of longestFirst)
    if (remainingText.includes(name)) {
      found.add(index)
      remainingText = remainingText.replaceAll(name, ' | ')
    }
  return [...found]
}

/**
 * Returns the index of the only entry named in the text. Of overlapping names, only the longest counts. Returns null if
 * the text mentions no entry, or several.
 */
export function findNamed(names: readonly (readonly string[])[], text: string): number | null {
  const plainText = toPlainWords(text)
  const found = names.flatMap((entry, index) => {
    const length = Math.max(
      0,
      ...entry
        .map(toPlainWords)
        .filter((name) => name.length > 4 && plainText.includes(name))
        .map((name) => name.length),
    )
    return length === 0 ? [] : [{ at: index, length }]
  })
  const longest = Math.max(0, ...found.map(({ length }) => length))
  const best = found.filter(({ length }) => length === longest)
  // "Non-member" contains "member", so the longest name counts. A second name elsewhere makes the reference unclear.
  const otherEntries = found.filter(({ at }) => !best.some((candidate) => candidate.at === at))
  const isBestMatch =
    best.length === 1 &&
    otherEntries.every(({ at }) =>
      (names[best[0]?.at ?? 0] ?? []).some((name) =>
        (names[at] ?? []).some((other) => toPlainWords(name).includes(toPlainWords(other))),
      ),
    )
  return isBestMatch ? (best[0]?.at ?? null) : null
}

/** The words after an amount that state its payer. */
const RECIPIENT_AFTER_AMOUNT =
  /^(?:\/[-=])?\s*(?:is |are )?for\s+([^,;(]+?)(?=\s+(?:and|but|or|until|till|from)\b|$|[,;(])/i

/**
 * Returns the index of the only name that an amount refers to: in the text after the amount ("Rs. 150 for juniors and
 * Rs. 200 for seniors"), or otherwise in the text between it and the previous amount.
 */
export function findNamedPayer(
  names: readonly (readonly string[])[],
  before: string,
  { textBefore, textAfter }: { readonly textBefore: string; readonly textAfter: string },
): number | null {
  const following = RECIPIENT_AFTER_AMOUNT.exec(textAfter)?.[1] ?? ''
  const belongsToPrevious = following !== '' && /^\s*for\b/i.test(before)
  return (
    findNamed(names, following) ??
    (belongsToPrevious
      ? null
      : findNamed(names, before.trim() === '' ? `${textBefore} ${textAfter}` : before))
  )
}
