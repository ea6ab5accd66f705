/** Parses lists of synonyms: our word, and the words that other form builders use instead. */

export type SynonymList = { readonly ownWord: string; readonly foreignWords: readonly string[] }

/** Parses lines of the form "own < foreign foreign"; an indented line continues the one above. */
export function parseSynonyms(lines: string): readonly SynonymList[] {
  return lines
    .trim()
    .replaceAll(/\n\s+/g, ' ')
    .split('\n')
    .map((line) => {
      const [ownWord = '', foreignText = ''] = line.split(/ < (.*)/s)
      return { ownWord, foreignWords: foreignText.trim().split(/ +/) }
    })
}

/** Normalises a word, so that "showIf", "Show if" and "show-if" are equal. */
export function normaliseWord(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .trim()
    .replace(/[\s-]+/g, '_')
}
