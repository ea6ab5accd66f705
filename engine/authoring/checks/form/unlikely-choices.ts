/** Checks EV651, EV652, EV655: single choices, consent to a later text, and labels that repeat the optional mark. */
import { formatDay, isDay, type Day } from '../../../lib/time.ts'
import { join } from '../../syntax/source.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { OPTIONAL_MARK } from './labels.ts'

/**
 * Words in a declaration. A declaration may be a choice with a single option, because a yes-no field also accepts No.
 */
const DECLARATION_WORDS =
  /\b(?:i|we)\b|\b(?:agree|agreed|accept\w*|confirm\w*|declar\w*|consent\w*|understand|understood|undertak\w*|acknowledg\w*|certif\w*|terms|yes|ok)\b/i

const singleOptionCheck: Check = {
  slug: 'single-option',
  severity: 'warning',
  why: 'A question with only one answer gives the organisers no information. An option was probably forgotten.',
  after: ['EV202', 'EV206', 'EV477'],
  find: (model) => {
    const methods = typeof model.file.payment === 'object' ? (model.file.payment.methods ?? []) : []
    const methodFields = methods.flatMap(({ fields }, m) =>
      (fields ?? []).map((raw, f) => ({ raw, path: `payment.methods.${m}.fields.${f}` })),
    )
    return [...model.fieldsAndParts, ...methodFields].flatMap(({ raw, path }): Draft[] => {
      const { options, label, required } = raw as {
        options?: unknown
        label?: string
        required?: unknown
      }
      if (!Array.isArray(options) || options.length !== 1) return []
      if ('type' in raw && raw.type === 'many') return []
      // An optional field that sells one thing needs only one option.
      if (required === undefined && model.file.fees.items?.some(({ by }) => by === raw.id))
        return []
      const [option] = options as readonly unknown[]
      const name =
        typeof option === 'string' ? option : ((option as { label?: string }).label ?? '')
      return DECLARATION_WORDS.test(`${label ?? ''} ${name}`)
        ? []
        : [
            {
              at: join(path, 'options'),
              message: `“${label ?? ''}” has one option`,
              help: 'add the other options, or remove the question',
            },
          ]
    })
  },
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const padToTwoDigits = (text: string): string => text.padStart(2, '0')

/**
 * Returns the first day that a version such as `2026-09`, `1 May 2027` or `01/05/2027` can denote. Returns null if the
 * version contains no valid day.
 */
function readVersionDay(version: string): Day | null {
  const isoMatch = /\b(20\d\d)-(\d\d)(?:-(\d\d))?\b/.exec(version)
  const wordsMatch = /\b(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([a-z]{3})[a-z]*\.?,?\s+(20\d\d)\b/i.exec(
    version,
  )
  const digitsMatch = /\b(\d{1,2})[./](\d{1,2})[./](20\d\d)\b/.exec(version)
  const month = MONTHS.indexOf((wordsMatch?.[2] ?? '').toLowerCase()) + 1
  const day =
    isoMatch !== null
      ? `${isoMatch[1] ?? ''}-${isoMatch[2] ?? ''}-${isoMatch[3] ?? '01'}`
      : wordsMatch !== null && month > 0
        ? `${wordsMatch[3] ?? ''}-${padToTwoDigits(String(month))}-${padToTwoDigits(wordsMatch[1] ?? '1')}`
        : digitsMatch !== null
          ? `${digitsMatch[3] ?? ''}-${padToTwoDigits(digitsMatch[2] ?? '')}-${padToTwoDigits(digitsMatch[1] ?? '')}`
          : /^v?\s*(20\d\d)$/i.test(version)
            ? `${version.slice(-4)}-01-01`
            : ''
  return isDay(day) ? (day as Day) : null
}

const futureConsentVersionCheck: Check = {
  slug: 'consent-version-later',
  severity: 'warning',
  why: 'Delegates cannot agree to terms that do not exist yet, so the record of their consent is worthless.',
  find: ({ config, fields }: Model) => {
    const { opens, closes } = config.registration
    const firstDay = opens ?? closes ?? config.to
    return fields.flatMap(({ raw, path, field }): Draft[] => {
      const day = raw.version === undefined ? null : readVersionDay(String(raw.version))
      return field.type !== 'consent' || day === null || day <= firstDay
        ? []
        : [
            {
              at: join(path, 'version'),
              message: `the text is dated ${formatDay(day)}, but registration ${opens === undefined ? 'ends' : 'begins'} on ${formatDay(firstDay)}`,
              related:
                opens === undefined
                  ? []
                  : [{ at: 'registration.opens', message: 'the first day of registration' }],
              help: 'write the version of the text that delegates agree to',
            },
          ]
    })
  },
}

/** Matches “(if any, optional)”. */
const OPTIONAL_IN_BRACKETS = /[([][^()[\]]*\boptional\s*[)\]]/i

const labelRepeatsOptionalCheck: Check = {
  slug: 'label-repeats-optional',
  severity: 'note',
  why: 'The form marks every question that can be left empty: delegates read “(optional)” twice.',
  find: ({ fieldsAndParts }) =>
    fieldsAndParts.flatMap(({ raw, path, field }): Draft[] => {
      if (field.required !== undefined || field.default !== undefined) return []
      const isInLabel = OPTIONAL_MARK.test(field.label) || OPTIONAL_IN_BRACKETS.test(field.label)
      const isInHint = /^\W*optional\W*$/i.test(raw.hint ?? '')
      return isInLabel || isInHint
        ? [
            {
              at: join(path, isInLabel ? 'label' : 'hint'),
              message: `“${isInLabel ? field.label : (raw.hint ?? '')}” repeats “optional”, which the form adds automatically`,
              help: `remove “optional” from the ${isInLabel ? 'label' : 'hint'}`,
            },
          ]
        : []
    }),
}

export const unlikelyChoiceChecks = {
  EV651: singleOptionCheck,
  EV652: futureConsentVersionCheck,
  EV655: labelRepeatsOptionalCheck,
} satisfies Checks
