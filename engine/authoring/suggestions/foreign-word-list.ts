/** Lists of habits: what to write here, and the words that people write for it elsewhere. */

export type Habit = { readonly ours: string; readonly theirs: readonly string[] }

/** Lines of the form "ours < theirs theirs"; a line further in goes on with the one above. */
export function habitsOf(lines: string): readonly Habit[] {
  return lines
    .trim()
    .replaceAll(/\n\s+/g, ' ')
    .split('\n')
    .map((line) => {
      const [ours = '', theirs = ''] = line.split(/ < (.*)/s)
      return { ours, theirs: theirs.trim().split(/ +/) }
    })
}

/** "showIf", "Show if" and "show-if" are one word. */
export function plainWord(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .trim()
    .replace(/[\s-]+/g, '_')
}
