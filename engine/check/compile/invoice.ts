/** Who supplies and how invoices are numbered, from the block as the file writes it. */
import { readGstin, stateNamed, type Invoice, type StateCode } from '../../gst.ts'
import { given, map, maybe, text, type Plain } from './plain.ts'

/** What is wrong of it is found by a check, and such a file is never served; it is taken as it stands. */
export function toInvoice(plain: Plain): Invoice {
  const place = text(plain.place_of_supply)
  const state = stateNamed(place)
  const number = text(plain.number).trim()
  const buyer = map(plain.buyer)
  return {
    supplier: text(plain.supplier).trim(),
    address: text(plain.address).trim(),
    gstin: readGstin(text(plain.gstin)) ?? text(plain.gstin),
    sac: String(plain.sac),
    placeOfSupply: state === null ? { field: place.trim() } : { state: state satisfies StateCode },
    number,
    creditNumber: maybe(plain.credit_number)?.trim() ?? `C${number}`,
    buyer: given({
      name: maybe(buyer.name),
      gstin: maybe(buyer.gstin),
      address: maybe(buyer.address),
    }),
  }
}
