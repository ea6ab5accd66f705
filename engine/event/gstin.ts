/** Reads and checks GSTINs and the Indian state codes at their start (Rule 46, CGST Rules 2017). */
import { getOwn } from '../lib/result.ts'

/** States and union territories by GSTIN state code (CBIC). Code 26 replaced 25. */
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

/** Territories that levy UTGST instead of SGST: the union territories without a legislature. */
export const UNION_TERRITORIES: readonly StateCode[] = ['04', '26', '31', '35', '38', '97']

/** Former names that some lists of states still contain. */
const FORMER_NAMES: Readonly<Record<string, StateCode>> = {
  'dadra and nagar haveli': '26',
  'daman and diu': '26',
  orissa: '21',
  pondicherry: '34',
}

/** Finds a state by its code or name, ignoring case; null if there is none. */
export function findState(text: string): StateCode | null {
  const normalised = text.trim().toLowerCase().replaceAll('&', 'and').replaceAll(/\s+/g, ' ')
  const formerCode = getOwn(FORMER_NAMES, normalised)
  if (formerCode !== undefined) return formerCode
  const match = Object.entries(STATES_OF_INDIA).find(
    ([code, name]) => code === normalised || name.toLowerCase() === normalised,
  )
  return match === undefined ? null : (match[0] as StateCode)
}

const GSTIN_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const GSTIN_PATTERN = /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/

/**
 * Computes the last character of a GSTIN from the first fourteen: the weights alternate between 1 and 2, and the
 * digits of each product are summed, modulo 36.
 */
function computeCheckCharacter(firstCharacters: string): string {
  const sum = [...firstCharacters].reduce((total, character, index) => {
    const product = GSTIN_CHARACTERS.indexOf(character) * (index % 2 === 0 ? 1 : 2)
    return total + Math.floor(product / 36) + (product % 36)
  }, 0)
  return GSTIN_CHARACTERS.charAt((36 - (sum % 36)) % 36)
}

/**
 * Returns a GSTIN in capitals without spaces; null if it is invalid or its check character is
 * wrong.
 */
export function readGstin(text: string): string | null {
  const gstin = text.replaceAll(/\s/g, '').toUpperCase()
  return GSTIN_PATTERN.test(gstin) &&
    findState(gstin.slice(0, 2)) !== null &&
    computeCheckCharacter(gstin.slice(0, 14)) === gstin.charAt(14)
    ? gstin
    : null
}

/** Returns the state of a valid GSTIN, from its first two digits. */
export const getStateOfGstin = (gstin: string): StateCode => gstin.slice(0, 2) as StateCode
