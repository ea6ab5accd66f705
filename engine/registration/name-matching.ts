/** Matches names with searches: with titles or initials, in any order, or with one wrong letter. */

/** Titles, with or without a full stop, are not part of a name. */
const NAME_TITLES = new Set([
  'dr',
  'prof',
  'mr',
  'mrs',
  'ms',
  'smt',
  'shri',
  'sri',
  'fr',
  'sr',
  'er',
])
/** In a shorter word, a different letter usually makes a different word. */
const MIN_WORD_LETTERS = 4

/**
 * Returns the words of a name or a search in lower case without accents. Joined initials are one
 * word.
 */
function splitName(text: string): readonly string[] {
  const folded = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFC')
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** Returns the words without leading titles, unless there are no other words. */
export function removeTitles(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !NAME_TITLES.has(word.toLowerCase().replaceAll('.', '')))
  return first === -1 ? words : words.slice(first)
}

const splitNameWithoutTitles = (text: string): readonly string[] => removeTitles(splitName(text))

/**
 * Ranks a name for a search. 0: the same words in any order; 1: each searched word begins a word in the name; 2: the
 * name contains them; 3: another value matches, such as the institution.
 */
export function rankName(name: string, search: string): number {
  const [nameWords, searchWords] = [splitNameWithoutTitles(name), splitNameWithoutTitles(search)]
  if (nameWords.toSorted().join(' ') === searchWords.toSorted().join(' ')) return 0
  if (nameWords.join('') === searchWords.join('')) return 0
  if (beginDistinctWords(nameWords, searchWords)) return 1
  const text = nameWords.join(' ')
  return searchWords.every((word) => text.includes(word)) ? 2 : 3
}

/** Returns true if each searched word, longest first, begins a different word in the name. */
function beginDistinctWords(nameWords: readonly string[], searchWords: readonly string[]): boolean {
  const unmatchedWords = [...nameWords]
  return searchWords
    .toSorted((a, b) => b.length - a.length)
    .every((word) => {
      const at = unmatchedWords.findIndex((candidate) => candidate.startsWith(word))
      if (at !== -1) unmatchedWords.splice(at, 1)
      return at !== -1
    })
}

/**
 * Returns true if the name contains the searched words, except that one of them has an extra, missing or
 * wrong letter, or two letters swapped.
 */
export function matchesWithOneTypo(name: string, search: string): boolean {
  const [nameWords, searchWords] = [splitNameWithoutTitles(name), splitNameWithoutTitles(search)]
  return searchWords.some((typedWord, typedIndex) => {
    const otherTypedWords = searchWords.filter((_, index) => index !== typedIndex)
    return nameWords.some(
      (nameWord, nameIndex) =>
        nameWord.length >= MIN_WORD_LETTERS &&
        isOneEditAway(nameWord, typedWord) &&
        beginDistinctWords(
          nameWords.filter((_, index) => index !== nameIndex),
          otherTypedWords,
        ),
    )
  })
}

function isOneEditAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  const start = [...a].findIndex((letter, index) => letter !== b[index])
  const editStart = start === -1 ? a.length : start
  const [restA, restB] = [a.slice(editStart), b.slice(editStart)]
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  )
}

/**
 * Returns lists of search terms. A name that matches the search with one typo contains all terms of
 * at least one list: the other words, and half of the word with the typo.
 */
export function listTermsWithTypos(search: string): readonly (readonly string[])[] {
  const words = splitNameWithoutTitles(search)
  return words.flatMap((word, index) => {
    const letters = [...word]
    if (letters.length < MIN_WORD_LETTERS - 1) return []
    const others = words.filter((other, at) => at !== index && [...other].length >= 3)
    const half = Math.max(3, Math.floor(letters.length / 2))
    return [
      ...(others.length === 0 ? [] : [others]),
      [...others, letters.slice(0, half).join('')],
      [...others, letters.slice(-half).join('')],
    ]
  })
}
