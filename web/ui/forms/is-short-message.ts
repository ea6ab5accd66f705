/** Checks whether a message is too short to be understood away from its field. */

/** "Required" and "Required for members" are too short; a sentence with this many words is not. */
const MIN_SENTENCE_WORDS = 4

export const isShortMessage = (message: string): boolean =>
  message.split(' ').length < MIN_SENTENCE_WORDS
