/** A message of Airpay as fields: a posted form, JSON, or the XML of a status answer. */
import { XMLParser } from 'fast-xml-parser'

export type Fields = Readonly<Record<string, string>>

/** A notice is some hundred bytes, a status answer some thousand; more is not from a gateway. */
export const MESSAGE_BYTES_MAX = 64 * 1024

/** The fields of a return or notice as text, from a posted form or JSON (both were seen); null: neither. */
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

const xml = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: true,
  processEntities: false,
})

/** The fields of a status answer; null when it is not the XML we know. */
export function readStatusXml(text: string): Fields | null {
  let parsed: unknown
  try {
    parsed = xml.parse(text)
  } catch {
    return null
  }
  const transaction = child(child(parsed, 'RESPONSE'), 'TRANSACTION')
  if (typeof transaction !== 'object' || transaction === null) return null
  return Object.fromEntries(
    Object.entries(transaction).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.trim()]] : [],
    ),
  )
}

/** Own members only; null where there are none of this name. */
export function child(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
}
