/** Detects typing mistakes in email domains (`gmial.com`) and suggests the intended domain. */
import { computeEditDistance, isOneTypo } from '../lib/edit-distance.ts'
import { foldText } from './compare-answers.ts'

/**
 * The most common mailbox providers in India and elsewhere; a domain that differs from one of these by one typing
 * mistake is assumed to be that provider's.
 */
const MAILBOX_DOMAINS = [
  'gmail.com',
  'yahoo.com',
  'yahoo.in',
  'yahoo.co.in',
  'ymail.com',
  'hotmail.com',
  'outlook.com',
  'outlook.in',
  'live.com',
  'live.in',
  'icloud.com',
  'rediffmail.com',
  'protonmail.com',
  'zohomail.in',
  'googlemail.com',
  'yahoo.co.uk',
  'hotmail.co.uk',
  'proton.me',
]
/** Real domains that look like a mistyped form of a domain in the list above. */
const REAL_DOMAINS = new Set([
  'mail.com',
  'email.com',
  'gmx.com',
  'zmail.com',
  'live.co',
  'yahoo.co',
])
/** Mistyped domain endings, each with the intended ending. */
const INTENDED_ENDINGS: Readonly<Record<string, string>> = {
  con: 'com',
  cpm: 'com',
  cmo: 'com',
  ocm: 'com',
  comm: 'com',
  coom: 'com',
  cim: 'com',
  vom: 'com',
  xom: 'com',
  dom: 'com',
  c0m: 'com',
  corn: 'com',
  'com,in': 'com.in',
  'co,in': 'co.in',
  'ac,in': 'ac.in',
  og: 'org',
  ogr: 'org',
  orgg: 'org',
  orh: 'org',
  orf: 'org',
  rog: 'org',
  nte: 'net',
  ner: 'net',
  nett: 'net',
  inn: 'in',
  ni: 'in',
  comin: 'com.in',
  coin: 'co.in',
  orgin: 'org.in',
  acin: 'ac.in',
}

/** Longest first: `com,in` before `in`. */
const ENDINGS_BY_LENGTH = Object.keys(INTENDED_ENDINGS).sort((a, b) => b.length - a.length)

/**
 * Returns the address that a delegate probably intended, with the corrected domain; null if the
 * domain may be correct or the text is not an address.
 */
export function suggestEmailAddress(text: string): string | null {
  const address = text.trim()
  const at = address.lastIndexOf('@')
  if (at < 1 || /\s/.test(address)) return null
  const correctedDomain = suggestDomain(address.slice(at + 1).toLowerCase())
  return correctedDomain === null ? null : `${address.slice(0, at)}@${correctedDomain}`
}

/** Returns the intended domain; null if the domain may be correct. */
export function suggestDomain(domain: string): string | null {
  if (MAILBOX_DOMAINS.includes(domain) || REAL_DOMAINS.has(domain)) return null
  const dot = domain.indexOf('.')
  if (dot === -1) {
    const knownDomain = MAILBOX_DOMAINS.find(
      (candidate) => candidate.replace(/\..*$/, '') === domain,
    )
    return (
      knownDomain ??
      MAILBOX_DOMAINS.find((candidate) => candidate.replaceAll('.', '') === domain) ??
      null
    )
  }
  const suffix = ENDINGS_BY_LENGTH.find((candidate) => domain.endsWith(`.${candidate}`))
  const correctedDomain =
    suffix === undefined
      ? domain
      : `${domain.slice(0, -suffix.length)}${INTENDED_ENDINGS[suffix] ?? ''}`
  const nearestDomain = MAILBOX_DOMAINS.find(
    (candidate) =>
      candidate === correctedDomain ||
      // One mistake in the provider's name, or a truncated ending: gmial.com, gmail.co.
      (correctedDomain.length > 7 &&
        isOneTypo(candidate, correctedDomain) &&
        candidate.slice(0, 2) !== 'li') ||
      (candidate.length > 8 &&
        candidate.slice(-4) === correctedDomain.slice(-4) &&
        hasSameLetters(candidate, correctedDomain) &&
        computeEditDistance(candidate, correctedDomain) === 2),
  )
  if (nearestDomain !== undefined) return nearestDomain
  return suffix === undefined ? null : correctedDomain
}

/** Providers that ignore dots in the local part. */
const DOMAINS_IGNORING_DOTS: readonly string[] = ['gmail.com', 'googlemail.com']

/**
 * Returns a key that identifies the mailbox of an address. It is used only for counting: "A.Nair+x@GMail.com" and
 * "anair@googlemail.com" are the same mailbox. Emails are sent to the address as written.
 */
export function getMailboxKey(address: string): string {
  const folded = foldText(address)
  const at = folded.lastIndexOf('@')
  const [localPart = ''] = folded.slice(0, at).split('+')
  const domain = folded.slice(at + 1)
  return DOMAINS_IGNORING_DOTS.includes(domain)
    ? `${localPart.replaceAll('.', '')}@gmail.com`
    : `${localPart}@${domain}`
}

function hasSameLetters(a: string, b: string): boolean {
  return a.length === b.length && [...a].sort().join('') === [...b].sort().join('')
}
