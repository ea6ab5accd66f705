/** Compiles the supplier and the numbering of invoices. */
import { readGstin, findState, getStateOfGstin } from '../../event/gstin.ts'
import { type Invoice } from '../../event/invoice-types.ts'
import { removeUndefined, map, optionalText, text, type PlainMap } from './read-checked-values.ts'

/** Invalid values are kept as they are: a check reports them, and such a file is never served. */
export function toInvoice(plain: PlainMap): Invoice {
  const gstin = readGstin(text(plain.gstin)) ?? text(plain.gstin)
  const number = text(plain.number).trim()
  const buyer = map(plain.buyer)
  return {
    supplier: text(plain.supplier).trim(),
    address: text(plain.address).trim(),
    gstin,
    sac: String(plain.sac),
    placeOfSupply: { state: findState(text(plain.place_of_supply)) ?? getStateOfGstin(gstin) },
    number,
    creditNumber: optionalText(plain.credit_number)?.trim() ?? `C${number}`,
    ...removeUndefined({ declaration: optionalText(plain.declaration)?.trim() }),
    buyer: removeUndefined({
      name: optionalText(buyer.name),
      gstin: optionalText(buyer.gstin),
      address: optionalText(buyer.address),
      state: optionalText(buyer.state),
    }),
  }
}
