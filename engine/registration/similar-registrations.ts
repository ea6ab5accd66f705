/** Finds registrations that may be of the same person: the same email address, phone number or name. */
import { foldText } from '../answers/compare-answers.ts'
import { rankName } from './name-matching.ts'

/** The answers that identify a person. */
type Person = Readonly<Record<'fullName' | 'email' | 'phone', string>>
export type SharedDetail = 'email' | 'phone' | 'name'

const PHONE_DIGITS = 10
/** Without country code, spaces and hyphens. */
const getLastDigits = (phone: string): string => phone.replaceAll(/\D/g, '').slice(-PHONE_DIGITS)

/** In any spelling: case and spaces do not matter. False if there is none. */
export function isSameEmail(a: string, b: string): boolean {
  return a.includes('@') && foldText(a) === foldText(b)
}

function isSamePhone(a: string, b: string): boolean {
  return getLastDigits(a).length === PHONE_DIGITS && getLastDigits(a) === getLastDigits(b)
}

/** In any order, with or without a title. A single name is that of many. */
function isSameName(a: string, b: string): boolean {
  return a.trim().includes(' ') && rankName(b, a) === 0
}

/** Returns the texts by which to search for registrations that may be of this person. */
export function listSearchTexts({ fullName, email, phone }: Person): readonly string[] {
  return [
    ...(isSameEmail(email, email) ? [email] : []),
    ...(isSamePhone(phone, phone) ? [phone] : []),
    ...(isSameName(fullName, fullName) ? [fullName] : []),
  ]
}

/** Returns the details that a registration shares with a person. Empty: it is someone else's. */
export function listSharedDetails(person: Person, known: Person): readonly SharedDetail[] {
  return [
    ...(isSameEmail(person.email, known.email) ? (['email'] as const) : []),
    ...(isSamePhone(person.phone, known.phone) ? (['phone'] as const) : []),
    ...(isSameName(person.fullName, known.fullName) ? (['name'] as const) : []),
  ]
}
