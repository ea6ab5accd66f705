/** Extracts the payer's name and address from a status response or message. */
import type { Payer } from '../../../storage/index.ts'
import { readFields } from '../message-fields.ts'
import { toUpperCaseNames, readStatusXml } from './parse-message.ts'
import type { Fields } from '../message-fields.ts'

/** The maximum length; real names and addresses are shorter. */
const MAX_CHARACTERS = 100

/**
 * Returns the payer from the first text that contains one. The status response comes before the messages, because any
 * client can send a message. Null if no text contains a payer.
 */
export function findPayer(
  texts: readonly { readonly body: string; readonly contentType: string }[],
): Payer | null {
  for (const { body, contentType } of texts)
    for (const fields of readTransactions(body, contentType)) {
      const payer = readPayer(fields)
      if (Object.values(payer).some((value) => value !== '')) return payer
    }
  return null
}

function readTransactions(body: string, contentType: string): readonly Fields[] {
  const xml = readStatusXml(body)
  if (xml.ok) return xml.value
  const fields = readFields(body, contentType)
  return fields === null ? [] : [toUpperCaseNames(fields)]
}

function readPayer(fields: Fields): Payer {
  const readFirst = (...names: readonly string[]): string =>
    (names.map((name) => fields[name]?.trim() ?? '').find((value) => value !== '') ?? '').slice(
      0,
      MAX_CHARACTERS,
    )
  return {
    name: readFirst('CUSTOMER', 'CUSTOMERNAME'),
    email: readFirst('CUSTOMEREMAIL'),
    phone: readFirst('CUSTOMERPHONE'),
    way: [readFirst('CHMOD'), readFirst('CUSTOMERVPA', 'CARDISSUER', 'BANKNAME')]
      .filter(Boolean)
      .join(', '),
  }
}

/** Builds the fields in which the simulator states the payer. */
export const buildPayerFields = ({
  name,
  email,
}: {
  readonly name: string
  readonly email: string
}): Fields => ({ CUSTOMER: name, CUSTOMEREMAIL: email })
