/** Checks EV516, EV530, EV531, EV539: consent is an active choice, and its text has a working link and a version. */
import type { Draft } from '../../finding.ts'
import type { Check, Checks, FieldAt } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'
import { listPageAddresses } from '../texts/result-pages.ts'

/** Matches "I agree…", "I hereby declare…", and common subjects of consent. */
const CONSENT_SENTENCE =
  /\b(?:i|we)\s+(?:\w+\s+){0,2}?(?:agree|accept|consent|confirm|declare|certify|undertake|acknowledge|understand|authori[sz]e|permit|abide|affirm|have read|will abide|promise)\b|\b(?:agree|agreed|consent|accept|accepted)\b.*\b(?:terms|conditions|policy|policies|rules|above|declaration|refund|privacy|data)\b|^\s*(?:terms (?:and|&) conditions|declaration|consent|undertaking|privacy policy|refund policy|code of conduct)\b/i
/** Words for a voluntary choice, for which No is a valid answer. */
const FREE_CHOICE =
  /\b(?:newsletters?|photo\w*|videos?|record\w*|whats ?app|sms|updates?|e-?mails?|contacted|share|shared|sharing|sponsors?|marketing|mailing|promotion\w*|publish\w*|directory|volunteer\w*|present\w*|attend\w*|participat\w*|join\w*|veg\w*|publicity|social media|future|call(?:s|ed)?)\b/i
const CONSENT_WORDS = /\b(?:agree|accept|yes|consent|confirm|declare|i do|ok)\b/i
const REFUSAL_WORDS = /\b(?:no|not|don'?t|disagree|decline|refuse|never)\b/i

const listOptions = ({ field }: FieldAt): readonly string[] =>
  (field.options ?? []).map(({ id, label }) => `${label} ${id}`)

const consentAcceptsNoCheck: Check = {
  slug: 'consent-accepts-no',
  severity: 'warning',
  why: 'Consent is valid only if the delegate gives it deliberately, without a pre-ticked box. “No” must not be an answer.',
  find: (model) =>
    model.fields.flatMap((entry): Draft[] => {
      const { field, path, raw } = entry
      const isConsent = CONSENT_SENTENCE.test(`${field.label}`)
      const hasOptions =
        field.type === 'select' && (raw.options === undefined || Array.isArray(raw.options))
      if (!isConsent || (field.type !== 'yes-no' && !hasOptions)) return []
      const consentHelp =
        'write type: consent and required: true, without a default: the delegate then has to tick the box'
      const isPreselected =
        field.type === 'yes-no'
          ? field.default === true
          : field.default !== undefined &&
            CONSENT_WORDS.test(String(field.default)) &&
            !REFUSAL_WORDS.test(String(field.default))
      if (isPreselected)
        return [
          {
            at: join(path, 'default'),
            part: 'entry',
            message: `“${field.label}” is ticked before the delegate has read it`,
            help: FREE_CHOICE.test(field.label) ? 'remove the default' : consentHelp,
          },
        ]
      if (FREE_CHOICE.test(field.label)) return []
      const acceptsNo =
        field.type === 'yes-no' || listOptions(entry).some((option) => REFUSAL_WORDS.test(option))
      return acceptsNo && (field.type === 'yes-no' || field.required !== undefined)
        ? [
            {
              at: path,
              message: `“${field.label}” can be answered with No, and registration continues`,
              help: consentHelp,
            },
          ]
        : []
    }),
}

const consentOptionalCheck: Check = {
  slug: 'consent-optional',
  severity: 'warning',
  why: 'Terms that delegates need not accept are not binding.',
  find: ({ fields }) =>
    fields.flatMap(({ path, field }): Draft[] =>
      field.type !== 'consent' ||
      field.required !== undefined ||
      !CONSENT_SENTENCE.test(field.label) ||
      FREE_CHOICE.test(field.label)
        ? []
        : [
            {
              at: path,
              message: `“${field.label}” can be left unticked, and registration continues`,
              help: 'write required: Please tick this box to continue',
            },
          ],
    ),
}

/** Matches a label that refers to a separate text. Any other label is itself the text of the consent. */
const REFERS_TO_TEXT =
  /\b(?:terms|conditions|rules|polic(?:y|ies)|privacy|code of conduct|guidelines|statement|declaration|undertaking|notice|regulations|above|below|t&c)\b/i

const consentWithoutVersionCheck: Check = {
  slug: 'consent-unnamed',
  severity: 'note',
  why: 'The record must show years later which text a delegate agreed to, even if the text has changed.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path, field }): Draft[] => {
      if (field.type !== 'consent' || !REFERS_TO_TEXT.test(field.label)) return []
      const missingKeys = (['link', 'version'] as const).filter((key) => raw[key] === undefined)
      return missingKeys.length === 0
        ? []
        : [
            {
              at: path,
              message: `the text that delegates agree to has no ${missingKeys.join(' and no ')}`,
              help: `add ${missingKeys.map((key) => (key === 'link' ? 'link: https://…' : 'version: "2026-01"')).join(', ')}`,
            },
          ]
    }),
}

const brokenConsentLinkCheck: Check = {
  slug: 'broken-consent-link',
  severity: 'warning',
  why: 'A delegate who opens the text does not find it. Rollcall serves no documents of the organisers.',
  find: (model) => {
    const knownAddresses = listPageAddresses(model)
    return model.fields.flatMap(({ raw: { link }, path }): Draft[] =>
      link === undefined ||
      !link.startsWith('/') ||
      link.startsWith('//') ||
      knownAddresses.includes(link.replace(/[?#].*$/, ''))
        ? []
        : [
            {
              at: join(path, 'link'),
              message: `Rollcall has no page with the address ${link}`,
              help: 'write the complete address of the text, such as https://society.example/terms',
            },
          ],
    )
  },
}

export const consentChecks = {
  EV516: consentAcceptsNoCheck,
  EV530: consentOptionalCheck,
  EV531: consentWithoutVersionCheck,
  EV539: brokenConsentLinkCheck,
} satisfies Checks
