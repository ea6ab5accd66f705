/** Whether a message, away from the question that it is about, still says what is meant. */

/** "Required" and "Required for members" do not; a sentence of so many words does. */
const SENTENCE_WORDS_MIN = 4

export const saysLittle = (message: string): boolean =>
  message.split(' ').length < SENTENCE_WORDS_MIN
