/** The display format of file sizes. */
import { formatMessage, UPLOAD_MESSAGES } from '../../engine/messages.ts'

const BYTES_PER_KB = 1024
const BYTES_PER_MB = BYTES_PER_KB * BYTES_PER_KB
/** Offsets the rounding of a limit that an event file states in MB to whole bytes. */
const ROUNDING_MARGIN = 1e-5

const formatSize = (bytes: number, round: (amount: number) => number): string =>
  bytes < BYTES_PER_MB
    ? `${Math.max(1, round(bytes / BYTES_PER_KB))}\u00a0KB`
    : `${round((bytes / BYTES_PER_MB) * 10) / 10}\u00a0MB`

/** Formats the size of a file, rounded up: "5.1 MB", "340 KB". */
export const formatFileSize = (bytes: number): string => formatSize(bytes, Math.ceil)

/** Formats the maximum size of a file, rounded down, so that no larger file is displayed with this size. */
export const formatFileSizeLimit = (bytes: number): string =>
  formatSize(bytes, (amount) => Math.floor(amount + ROUNDING_MARGIN))

export const getTooLargeText = (name: string, bytes: number, maxBytes: number): string =>
  formatMessage(UPLOAD_MESSAGES.tooLarge, {
    name,
    size: formatFileSize(bytes),
    limit: formatFileSizeLimit(maxBytes),
  })
