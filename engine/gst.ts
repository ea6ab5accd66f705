/**
 * What a tax invoice needs of the law of India: numbers of suppliers, states, the financial year, the heads
 * under which the tax stands. Rule 46 of the CGST Rules 2017; section 12(6) of the IGST Act for admission.
 */
import { paise, type Paise, type Split } from './money.ts'
import { addDays, day, type Day } from './time.ts'

/** States and union territories by the code that begins a GSTIN (CBIC); 26 took over what 25 was. */
export const STATES_OF_INDIA = {
  '01': 'Jammu and Kashmir',
  '02': 'Himachal Pradesh',
  '03': 'Punjab',
  '04': 'Chandigarh',
  '05': 'Uttarakhand',
  '06': 'Haryana',
  '07': 'Delhi',
  '08': 'Rajasthan',
  '09': 'Uttar Pradesh',
  '10': 'Bihar',
  '11': 'Sikkim',
  '12': 'Arunachal Pradesh',
  '13': 'Nagaland',
  '14': 'Manipur',
  '15': 'Mizoram',
  '16': 'Tripura',
  '17': 'Meghalaya',
  '18': 'Assam',
  '19': 'West Bengal',
  '20': 'Jharkhand',
  '21': 'Odisha',
  '22': 'Chhattisgarh',
  '23': 'Madhya Pradesh',
  '24': 'Gujarat',
  '26': 'Dadra and Nagar Haveli and Daman and Diu',
  '27': 'Maharashtra',
  '29': 'Karnataka',
  '30': 'Goa',
  '31': 'Lakshadweep',
  '32': 'Kerala',
  '33': 'Tamil Nadu',
  '34': 'Puducherry',
  '35': 'Andaman and Nicobar Islands',
  '36': 'Telangana',
  '37': 'Andhra Pradesh',
  '38': 'Ladakh',
  '97': 'Other territory',
} as const
export type StateCode = keyof typeof STATES_OF_INDIA

/** Those for which there is no SGST but a tax of the union territory: the ones without a legislature of their own. */
const UNION_TERRITORIES: readonly StateCode[] = ['04', '26', '31', '35', '38', '97']

/** A state by its code or its name, however it is cased; null: there is none of it. */
export function stateNamed(said: string): StateCode | null {
  const wanted = said.trim().toLowerCase().replaceAll('&', 'and').replaceAll(/\s+/g, ' ')
  const found = Object.entries(STATES_OF_INDIA).find(
    ([code, name]) => code === wanted || name.toLowerCase() === wanted,
  )
  return found === undefined ? null : (found[0] as StateCode)
}

const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const GSTIN = /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/

/** The last sign of a GSTIN, from the fourteen before it: weights 1 and 2 in turn, the digits of each product summed, modulo 36. */
function checkSign(first: string): string {
  const sum = [...first].reduce((total, sign, at) => {
    const product = SIGNS.indexOf(sign) * (at % 2 === 0 ? 1 : 2)
    return total + Math.floor(product / 36) + (product % 36)
  }, 0)
  return SIGNS.charAt((36 - (sum % 36)) % 36)
}

/** A GSTIN as it is printed, capitals and no spaces; null for what is none, also where only the check sign is wrong. */
export function readGstin(said: string): string | null {
  const gstin = said.replaceAll(/\s/g, '').toUpperCase()
  return GSTIN.test(gstin) &&
    stateNamed(gstin.slice(0, 2)) !== null &&
    checkSign(gstin.slice(0, 14)) === gstin.charAt(14)
    ? gstin
    : null
}

/** The state that registered a supplier; the first two digits of a GSTIN that was read. */
export const stateOfGstin = (gstin: string): StateCode => gstin.slice(0, 2) as StateCode

/** From April to March: "26-27" for 2026-04-01 to 2027-03-31. */
export function financialYearOf(of: Day): string {
  const year = Number(of.slice(0, 4)) - (of.slice(5) < '04-01' ? 1 : 0)
  return `${String(year % 100).padStart(2, '0')}-${String((year + 1) % 100).padStart(2, '0')}`
}

/** The last day of the financial year that holds it. */
export function lastOfFinancialYear(of: Day): Day {
  const year = Number(of.slice(0, 4)) + (of.slice(5) < '04-01' ? 0 : 1)
  return addDays(day(`${year}-04-01`), -1)
}

/** A serial of a series; `pattern` holds `{n}`, and `{year}` where it goes on over a year's end. */
export function serialText(pattern: string, n: number, year: string): string {
  return pattern.replaceAll('{year}', year).replaceAll('{n}', String(n))
}

/** Rule 46(b): "a consecutive serial number not exceeding sixteen characters", letters, digits, hyphen, slash. */
export const SERIAL_CHARACTERS_MAX = 16

/**
 * A tax taken apart by who gets it. Where the supply stays in the state of the supplier half is the Union's and
 * half the state's (or the union territory's), to the paisa the same; what does not halve is `roundOff`. Else
 * all is IGST. taxable + cgst + sgst + igst + roundOff = total, exactly.
 */
export type TaxHeads = {
  readonly taxable: Paise
  readonly cgst: Paise
  readonly sgst: Paise
  readonly igst: Paise
  readonly roundOff: Paise
  readonly total: Paise
  /** What the second half is called there. */
  readonly second: 'SGST' | 'UTGST'
}

export function taxHeads(
  lines: readonly Split[],
  supplier: StateCode,
  placeOfSupply: StateCode,
): TaxHeads {
  const sum = (of: (line: Split) => number): Paise =>
    paise(lines.reduce((so, line) => so + of(line), 0))
  const [taxable, gst, total] = [
    sum(({ base }) => base),
    sum((line) => line.gst),
    sum((line) => line.total),
  ]
  const isInside = supplier === placeOfSupply
  const half = paise(isInside ? Math.floor(gst / 2) : 0)
  return {
    taxable,
    cgst: half,
    sgst: half,
    igst: paise(isInside ? 0 : gst),
    roundOff: paise(isInside ? gst - 2 * half : 0),
    total,
    second: UNION_TERRITORIES.includes(placeOfSupply) ? 'UTGST' : 'SGST',
  }
}

/** Who supplies, as the event file says it. `placeOfSupply` by field: the state that the buyer names. */
export type Invoice = {
  readonly supplier: string
  readonly address: string
  readonly gstin: string
  readonly sac: string
  readonly placeOfSupply: { readonly state: StateCode } | { readonly field: string }
  /** Hold `{n}`, and may hold `{year}`. */
  readonly number: string
  readonly creditNumber: string
  /** Ids of fields. */
  readonly buyer: { readonly name?: string; readonly gstin?: string; readonly address?: string }
}
