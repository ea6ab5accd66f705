/** Parses Airpay's messages into fields: a posted form, JSON, or the XML of a status answer. */
import type * as Xml from 'fast-xml-parser'
import { err, ok, memoize } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import { later } from '../../../ops/lazy-import.ts'

export type Fields = Readonly<Record<string, string>>

/** A webhook has some hundred bytes, a status answer some thousand; more is not from a gateway. */
export const MESSAGE_BYTES_MAX = 64 * 1024

/** Returns the fields of a return or webhook as text, from a posted form or JSON (both occur); null: neither. */
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

/** Returns the same fields with upper-case names and trimmed values: senders differ in both. */
export function inCapitals(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.trim().toUpperCase(), value.trim()]),
  )
}

const parsers = later<typeof Xml>('fast-xml-parser')
const parserOf = memoize(
  (_: 'status') =>
    new (parsers().XMLParser)({
      ignoreAttributes: true,
      removeNSPrefix: true,
      transformTagName: (name) => name.toUpperCase(),
      parseTagValue: false,
      trimValues: true,
      // The five entities of XML, and numeric ones. A document that declares its own is refused before this
      // point.
      processEntities: true,
      htmlEntities: true,
    }),
)
/** Matches the name of a document's first element, after an optional prolog. */
const FIRST_ELEMENT = /^(?:\s|<\?[^>]*\?>|<!--[\s\S]*?-->)*<([A-Za-z][\w.:-]*)/
const COMMENTS_AT_THE_END = /(?:\s|\u0000|<!--(?:(?!-->)[\s\S])*-->)+$/

/**
 * Returns the transactions of a status answer, with upper-case field names; accepts names in any case, with or
 * without CDATA. The error says what came instead. A truncated answer is refused as a whole, because its missing
 * fields would look like fields that the gateway left out.
 */
export function readStatusXml(text: string): Result<readonly Fields[], string> {
  const whole = text.replace(/^\uFEFF/, '').replace(COMMENTS_AT_THE_END, '')
  if (whole === '') return err('the answer is empty')
  if (/^\s*[[{]/.test(whole)) return err('the answer is JSON, not XML')
  if (/<!DOCTYPE\s+html|<html[\s>]/i.test(whole)) return err('the answer is a web page')
  // No gateway declares entities of its own; an attacker does.
  if (/<!DOCTYPE/i.test(whole)) return err('the answer declares a document type')
  const first = FIRST_ELEMENT.exec(whole)?.[1]
  if (first === undefined) return err('the answer is not XML')
  if (!new RegExp(`</${first.replaceAll('.', '\\.')}\\s*>$`).test(whole))
    return err('the answer is cut off')
  let parsed: unknown
  try {
    parsed = parserOf('status').parse(whole)
  } catch {
    return err('the answer is not XML')
  }
  const response = child(parsed, 'RESPONSE') ?? parsed
  const found = child(response, 'TRANSACTION') ?? response
  const transactions = (Array.isArray(found) ? found : [found]).flatMap((one: unknown) => {
    const fields = fieldsOf(one)
    const { TRANSACTIONSTATUS: code, TRANSACTIONID: order } = fields
    return code === undefined && order === undefined ? [] : [fields]
  })
  return transactions.length === 0
    ? err('the answer is not the XML of a transaction')
    : ok(transactions)
}

/** A field given twice with different values is a contradiction and counts as missing. */
function fieldsOf(transaction: unknown): Fields {
  if (typeof transaction !== 'object' || transaction === null) return {}
  return Object.fromEntries(
    Object.entries(transaction).flatMap(([name, value]: [string, unknown]) => {
      const said = new Set(Array.isArray(value) ? (value as unknown[]) : [value])
      const [only] = said
      return said.size === 1 && typeof only === 'string' ? [[name, only.trim()] as const] : []
    }),
  )
}

/** Reads own properties only; null if there is none of this name. */
export function child(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
}
