/** Parses Airpay's messages into fields: names in any case, and the XML of a status response. */
import type * as Xml from 'fast-xml-parser'
import { err, ok, memoize } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import { importLazily } from '../../../ops/lazy-import.ts'
import type { Fields } from '../message-fields.ts'

/** Returns fields with upper-case names and trimmed values, because senders use different case and white space. */
export function toUpperCaseNames(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.trim().toUpperCase(), value.trim()]),
  )
}

const loadXmlParser = importLazily<typeof Xml>('fast-xml-parser')
const getParser = memoize(
  (_: 'status') =>
    new (loadXmlParser().XMLParser)({
      ignoreAttributes: true,
      removeNSPrefix: true,
      transformTagName: (name) => name.toUpperCase(),
      parseTagValue: false,
      trimValues: true,
      // The five predefined XML entities, and numeric ones. Documents that declare entities have already been rejected.
      processEntities: true,
      htmlEntities: true,
    }),
)
/** Matches the name of a document's first element, after an optional prolog. */
const FIRST_ELEMENT_PATTERN = /^(?:\s|<\?[^>]*\?>|<!--[\s\S]*?-->)*<([A-Za-z][\w.:-]*)/
const TRAILING_COMMENTS_PATTERN = /(?:\s|\u0000|<!--(?:(?!-->)[\s\S])*-->)+$/

/**
 * Returns the transactions of a status response, with upper-case field names; accepts names in any case, with or
 * without CDATA. The error describes what was received instead. A truncated response is rejected as a whole, because
 * its missing fields would look like fields that the gateway omitted.
 */
export function readStatusXml(text: string): Result<readonly Fields[], string> {
  const xml = text.replace(/^\uFEFF/, '').replace(TRAILING_COMMENTS_PATTERN, '')
  if (xml === '') return err('the response is empty')
  if (/^\s*[[{]/.test(xml)) return err('the response is JSON, not XML')
  if (/<!DOCTYPE\s+html|<html[\s>]/i.test(xml)) return err('the response is a web page')
  // Only an attacker declares custom entities.
  if (/<!DOCTYPE/i.test(xml)) return err('the response declares a document type')
  const firstElement = FIRST_ELEMENT_PATTERN.exec(xml)?.[1]
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
  const transactionData = getChild(response, 'TRANSACTION') ?? response
  const transactions = (
    Array.isArray(transactionData) ? transactionData : [transactionData]
  ).flatMap((item: unknown) => {
    const fields = readTransaction(item)
    const { TRANSACTIONSTATUS: code, TRANSACTIONID: order } = fields
    return code === undefined && order === undefined ? [] : [fields]
  })
  return transactions.length === 0
    ? err('the response is not the XML of a transaction')
    : ok(transactions)
}

/** Reads the fields of a transaction. A field with two different values counts as missing. */
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

/** Returns an own property; null if there is none with this name. */
export function getChild(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
}
