/** Sizes of files as people say them. */

const KILO = 1024
const MEGA = KILO * KILO
/** An event file states its limit in MB, and the limit is a whole number of bytes. */
const BYTE_LOST = 1e-5

const inWords = (bytes: number, whole: (amount: number) => number): string =>
  bytes < MEGA
    ? `${Math.max(1, whole(bytes / KILO))}\u00a0KB`
    : `${whole((bytes / MEGA) * 10) / 10}\u00a0MB`

/** Of a file, rounded up: "5.1 MB", "340 KB". */
export const sizeText = (bytes: number): string => inWords(bytes, Math.ceil)

/** Of the largest file that is taken, rounded down: no larger file is said to have this size. */
export const limitText = (bytes: number): string =>
  inWords(bytes, (amount) => Math.floor(amount + BYTE_LOST))

export const tooLargeText = (name: string, bytes: number, bytesMax: number): string =>
  `${name} is ${sizeText(bytes)}. Please choose a file of at most ${limitText(bytesMax)}.`
