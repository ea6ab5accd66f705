/** Whether a message is too short to be understood away from its field. */

/** "Required" and "Required for members" are too short; a sentence of this many words is not. */
const SENTENCE_WORDS_MIN = 4

export const isShortMessage = (message: string): boolean =>
  message.split(' ').length < SENTENCE_WORDS_MIN
