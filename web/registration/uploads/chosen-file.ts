/** A file that was chosen: where it is, and whether it is one that its question takes. */
import type { Field } from '../../../engine/index.ts'
import type { KeptProof } from '../draft-storage.ts'
import { tooLargeText } from '../../ui/file-size.ts'

/** A file by its name, and where it is. */
export type Proof =
  /** A picture is being made smaller. */
  | { readonly is: 'preparing'; readonly name: string }
  | {
      readonly is: 'sending'
      readonly name: string
      readonly bytes: number
      readonly percent: number
    }
  /** The connection broke; it is sent again without anybody asking. */
  | { readonly is: 'waiting'; readonly name: string; readonly bytes: number }
  /** The server has it. */
  | ({ readonly is: 'there' } & KeptProof)
  /** It goes with the answers: the server does not take it ahead of them. */
  | { readonly is: 'here'; readonly name: string; readonly bytes: number; readonly file: File }

/** Endings of pictures that a browser may be able to read. */
const PICTURES = new Set(['jpg', 'jpeg', 'png', 'webp', 'heic', 'heif'])

export const endingOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** The ending that a picture made smaller has; null: the field takes no such picture. */
export const jpegOf = ({ accept }: Field): 'jpg' | 'jpeg' | null =>
  accept === undefined || accept.includes('jpg') ? 'jpg' : accept.includes('jpeg') ? 'jpeg' : null

/** Whether it is a picture that may become another one, so that its kind and size say nothing yet. */
export const mayShrink = (field: Field, file: File): boolean =>
  jpegOf(field) !== null && PICTURES.has(endingOf(file.name)) && file.size > 0

/** Why a file cannot be sent; null: it can. The server judges it once more, by its content. */
export function refusalOf(field: Field, { name, size }: File): string | null {
  if (field.accept && !field.accept.includes(endingOf(name))) return `${name}: ${field.invalid}`
  if (field.bytesMax !== undefined && size > field.bytesMax)
    return tooLargeText(name, size, field.bytesMax)
  if (size === 0) return `${name} is empty. Please choose another file.`
  return null
}
