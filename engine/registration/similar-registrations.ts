/** Finds registrations that may belong to the same person: they share an email address, phone number or name. */
import { foldText } from '../answers/compare-answers.ts'
import { rankName } from './name-matching.ts'

/** The answers that identify a person. */
type Person = Readonly<Record<'fullName' | 'email' | 'phone', string>>
export type SharedDetail = 'email' | 'phone' | 'name'

const PHONE_DIGITS = 10
/** Returns the last ten digits, without country code, spaces and hyphens. */
const extractLastDigits = (phone: string): string =>
  phone.replaceAll(/\D/g, '').slice(-PHONE_DIGITS)

/** Returns true if both addresses are the same, ignoring case and spaces. Returns false if there is no address. */
export function isSameEmail(a: string, b: string): boolean {
  return a.includes('@') && foldText(a) === foldText(b)
}

function isSamePhone(a: string, b: string): boolean {
  return (
    extractLastDigits(a).length === PHONE_DIGITS && extractLastDigits(a) === extractLastDigits(b)
  )
}

/**
 * Returns true if both names are the same, ignoring word order and titles. Returns false for a single name, which many
 * people share.
 */
function isSameName(a: string, b: string): boolean {
  return a.trim().includes(' ') && rankName(b, a) === 0
}

/** Returns the search texts that find registrations that may belong to this person. */
export function listSearchTexts({ fullName, email, phone }: Person): readonly string[] {
  return [
    ...(isSameEmail(email, email) ? [email] : []),
    ...(isSamePhone(phone, phone) ? [phone] : []),
    ...(isSameName(fullName, fullName) ? [fullName] : []),
  ]
}

/**
 * Returns the details that a registration shares with a person. Empty if the registration belongs to another person.
 */
export function listSharedDetails(person: Person, otherPerson: Person): readonly SharedDetail[] {
  return [
    ...(isSameEmail(person.email, otherPerson.email) ? (['email'] as const) : []),
    ...(isSamePhone(person.phone, otherPerson.phone) ? (['phone'] as const) : []),
    ...(isSameName(person.fullName, otherPerson.fullName) ? (['name'] as const) : []),
  ]
}
