/** Finds which of several named things a text is about. */

/** Returns the only name in a text; of names within each other the longest. Null for none and for several. */
export function findNamed(names: readonly (readonly string[])[], text: string): number | null {
  const plain = (name: string): string =>
    ` ${name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
      .replace(/s\b/g, '')
      .trim()} `
  const plainText = plain(text)
  const found = names.flatMap((entry, index) => {
    const length = Math.max(
      0,
      ...entry
        .map(plain)
        .filter((name) => name.length > 4 && plainText.includes(name))
        .map((name) => name.length),
    )
    return length === 0 ? [] : [{ at: index, length }]
  })
  const longest = Math.max(0, ...found.map(({ length }) => length))
  const best = found.filter(({ length }) => length === longest)
  // "Non-member" contains "member": the longest counts, and a second name outside it makes the
  // reference unclear.
  const others = found.filter(({ at }) => !best.some((candidate) => candidate.at === at))
  const isBestMatch =
    best.length === 1 &&
    others.every(({ at }) =>
      (names[best[0]?.at ?? 0] ?? []).some((name) =>
        (names[at] ?? []).some((other) => plain(name).includes(plain(other))),
      ),
    )
  return isBestMatch ? (best[0]?.at ?? null) : null
}
