/** A selected file: its upload state, and whether its field accepts it. */
import { formatMessage, UPLOAD_MESSAGES } from '../../../engine/messages.ts'
import type { Field } from '../../../engine/index.ts'
import type { StoredDocument } from '../draft-storage.ts'
import { getTooLargeText } from '../../ui/file-size.ts'

/** A file's name and upload state. */
export type SelectedDocument =
  /** An image is being resized. */
  | { readonly is: 'preparing'; readonly name: string }
  | {
      readonly is: 'sending'
      readonly name: string
      readonly bytes: number
      readonly percent: number
    }
  /** The connection was lost, and the upload is retried automatically. */
  | { readonly is: 'waiting'; readonly name: string; readonly bytes: number }
  /** Stored on the server. */
  | ({ readonly is: 'stored' } & StoredDocument)
  /** Sent with the answers, because the server does not accept it in advance. */
  | { readonly is: 'local'; readonly name: string; readonly bytes: number; readonly file: File }

/** Extensions of images that a browser may be able to decode. */
const IMAGE_EXTENSIONS = new Set(['jpg', 'jpeg', 'png', 'webp', 'heic', 'heif'])

export const getExtension = (name: string): string =>
  /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** Returns the extension of the resized image, or null if the field does not accept JPEG. */
export const findJpegExtension = ({ accept }: Field): 'jpg' | 'jpeg' | null =>
  accept === undefined || accept.includes('jpg') ? 'jpg' : accept.includes('jpeg') ? 'jpeg' : null

/** Returns true if the file is an image that may be converted, so that its type and size are not final yet. */
export const canShrink = (field: Field, file: File): boolean =>
  findJpegExtension(field) !== null &&
  IMAGE_EXTENSIONS.has(getExtension(file.name)) &&
  file.size > 0

/** Returns why a file cannot be sent, or null if it can. The server also checks its content. */
export function findFileError(field: Field, { name, size }: File): string | null {
  if (field.accept && !field.accept.includes(getExtension(name)))
    return formatMessage(UPLOAD_MESSAGES.wrongType, { name, error: field.invalid })
  if (field.maxBytes !== undefined && size > field.maxBytes)
    return getTooLargeText(name, size, field.maxBytes)
  if (size === 0) return formatMessage(UPLOAD_MESSAGES.empty, { name })
  return null
}
