/** Compiles the supplier and the numbering of invoices. */
import { readGstin, findState, getStateOfGstin } from '../../event/gstin.ts'
import { type Invoice } from '../../event/invoice-types.ts'
import {
  removeUndefined,
  asMap,
  asOptionalText,
  asText,
  type PlainMap,
} from './read-checked-values.ts'

/** Compiles `invoice`. Keeps invalid values: a check reports them, and such a file is never served. */
export function toInvoice(plain: PlainMap): Invoice {
  const gstin = readGstin(asText(plain.gstin)) ?? asText(plain.gstin)
  const number = asText(plain.number).trim()
  const buyer = asMap(plain.buyer)
  return {
    supplier: asText(plain.supplier).trim(),
    address: asText(plain.address).trim(),
    gstin,
    sac: String(plain.sac),
    placeOfSupply: { state: findState(asText(plain.place_of_supply)) ?? getStateOfGstin(gstin) },
    number,
    creditNumber: asOptionalText(plain.credit_number)?.trim() ?? `C${number}`,
    ...removeUndefined({ declaration: asOptionalText(plain.declaration)?.trim() }),
    buyer: removeUndefined({
      name: asOptionalText(buyer.name),
      gstin: asOptionalText(buyer.gstin),
      address: asOptionalText(buyer.address),
      state: asOptionalText(buyer.state),
    }),
  }
}
