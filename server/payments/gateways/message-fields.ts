/** Reads the fields of a gateway's message: a posted form, or JSON. */

export type Fields = Readonly<Record<string, string>>

/** A webhook has a few hundred bytes and a status response a few thousand; a longer message is not from a gateway. */
export const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Returns the fields of a return or webhook as text, from a posted form or JSON (both occur). Null for any other
 * format.
 */
export function readFields(body: string, contentType: string): Fields | null {
  const fields = Object.create(null) as Record<string, string>
  const text = body.trim()
  if (contentType.toLowerCase().includes('json') || text.startsWith('{')) {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      return null
    }
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return null
    for (const [name, value] of Object.entries(json))
      if (typeof value === 'string' || typeof value === 'number') fields[name] = String(value)
  } else for (const [name, value] of new URLSearchParams(text)) fields[name] = value
  return Object.keys(fields).length === 0 ? null : fields
}
