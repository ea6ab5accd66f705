/** Formats the file types that a field accepts. */
import { UPLOAD_MESSAGES } from '../text-catalogue/file-uploads.ts'
import { formatMessage } from '../lib/format-message.ts'

/** Returns the extensions as a list: "PDF, JPG or PNG". Empty if all types are accepted. */
export function formatFileTypes(accept: readonly string[] | undefined): string {
  const extensions = (accept ?? []).map((extension) => extension.toUpperCase())
  const first = extensions.slice(0, -1).join(', ')
  const last = extensions.at(-1) ?? ''
  return first === '' ? last : formatMessage(UPLOAD_MESSAGES.types, { first, last })
}
