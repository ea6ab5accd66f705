/** Extracts the payer's name and address from a status answer or message. */
import type { Payer } from '../../../storage/index.ts'
import { inCapitals, readFields, readStatusXml } from './parse-message.ts'
import type { Fields } from './parse-message.ts'

/** Names and addresses of people are shorter. */
const CHARACTERS_MAX = 100

/**
 * Uses the first text that names a payer: the status answer before a message, which anybody can send. Null: none
 * does.
 */
export function payerIn(
  texts: readonly { readonly body: string; readonly contentType: string }[],
): Payer | null {
  for (const { body, contentType } of texts)
    for (const fields of fieldsIn(body, contentType)) {
      const payer = payerOf(fields)
      if (Object.values(payer).some((word) => word !== '')) return payer
    }
  return null
}

function fieldsIn(body: string, contentType: string): readonly Fields[] {
  const xml = readStatusXml(body)
  if (xml.ok) return xml.value
  const fields = readFields(body, contentType)
  return fields === null ? [] : [inCapitals(fields)]
}

function payerOf(fields: Fields): Payer {
  const word = (...names: readonly string[]): string =>
    (names.map((name) => fields[name]?.trim() ?? '').find((said) => said !== '') ?? '').slice(
      0,
      CHARACTERS_MAX,
    )
  return {
    name: word('CUSTOMER', 'CUSTOMERNAME'),
    email: word('CUSTOMEREMAIL'),
    phone: word('CUSTOMERPHONE'),
    way: [word('CHMOD'), word('CUSTOMERVPA', 'CARDISSUER', 'BANKNAME')].filter(Boolean).join(', '),
  }
}

/** Fields in which the simulator names the payer. */
export const namedPayer = ({
  name,
  email,
}: {
  readonly name: string
  readonly email: string
}): Fields => ({ CUSTOMER: name, CUSTOMEREMAIL: email })
