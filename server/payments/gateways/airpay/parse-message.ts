/** Parses Airpay's messages into fields: a posted form, JSON, or the XML of a status response. */
import type * as Xml from 'fast-xml-parser'
import { err, ok, memoize } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import { later } from '../../../ops/lazy-import.ts'

export type Fields = Readonly<Record<string, string>>

/** A webhook has a few hundred bytes, a status response a few thousand; more is not from a gateway. */
export const MESSAGE_BYTES_MAX = 64 * 1024

/** Returns the fields of a return or webhook as text, from a posted form or JSON (both occur); null if neither. */
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
export function upperCaseNames(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.trim().toUpperCase(), value.trim()]),
  )
}

const loadXmlParser = later<typeof Xml>('fast-xml-parser')
const getParser = memoize(
  (_: 'status') =>
    new (loadXmlParser().XMLParser)({
      ignoreAttributes: true,
      removeNSPrefix: true,
      transformTagName: (name) => name.toUpperCase(),
      parseTagValue: false,
      trimValues: true,
      // The five entities of XML, and numeric ones. A document that declares its own was rejected before.
      processEntities: true,
      htmlEntities: true,
    }),
)
/** Matches the name of a document's first element, after an optional prolog. */
const FIRST_ELEMENT = /^(?:\s|<\?[^>]*\?>|<!--[\s\S]*?-->)*<([A-Za-z][\w.:-]*)/
const TRAILING_COMMENTS = /(?:\s|\u0000|<!--(?:(?!-->)[\s\S])*-->)+$/

/**
 * Returns the transactions of a status response, with upper-case field names; accepts names in any case, with or
 * without CDATA. The error describes what was received instead. A truncated response is rejected as a whole, because
 * its missing fields would look like fields that the gateway omitted.
 */
export function readStatusXml(text: string): Result<readonly Fields[], string> {
  const xml = text.replace(/^\uFEFF/, '').replace(TRAILING_COMMENTS, '')
  if (xml === '') return err('the response is empty')
  if (/^\s*[[{]/.test(xml)) return err('the response is JSON, not XML')
  if (/<!DOCTYPE\s+html|<html[\s>]/i.test(xml)) return err('the response is a web page')
  // Only an attacker declares custom entities.
  if (/<!DOCTYPE/i.test(xml)) return err('the response declares a document type')
  const firstElement = FIRST_ELEMENT.exec(xml)?.[1]
  if (firstElement === undefined) return err('the response is not XML')
  if (!new RegExp(`</${firstElement.replaceAll('.', '\\.')}\\s*>$`).test(xml))
    return err('the response is truncated')
  let parsed: unknown
  try {
    parsed = getParser('status').parse(xml)
  } catch {
    return err('the response is not XML')
  }
  const response = getChild(parsed, 'RESPONSE') ?? parsed
  const found = getChild(response, 'TRANSACTION') ?? response
  const transactions = (Array.isArray(found) ? found : [found]).flatMap((item: unknown) => {
    const fields = readTransaction(item)
    const { TRANSACTIONSTATUS: code, TRANSACTIONID: order } = fields
    return code === undefined && order === undefined ? [] : [fields]
  })
  return transactions.length === 0
    ? err('the response is not the XML of a transaction')
    : ok(transactions)
}

/** A field given twice with different values is a contradiction and counts as missing. */
function readTransaction(transaction: unknown): Fields {
  if (typeof transaction !== 'object' || transaction === null) return {}
  return Object.fromEntries(
    Object.entries(transaction).flatMap(([name, value]: [string, unknown]) => {
      const values = new Set(Array.isArray(value) ? (value as unknown[]) : [value])
      const [onlyValue] = values
      return values.size === 1 && typeof onlyValue === 'string'
        ? [[name, onlyValue.trim()] as const]
        : []
    }),
  )
}

/** Reads own properties only; null if there is none with this name. */
export function getChild(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
}
