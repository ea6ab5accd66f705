/**
 * Checks EV008, EV322, EV517, EV518: values that do not mean what the author intended.
 *
 * For example, `yes` instead of a message, or one age instead of a range.
 */
import { suggestYesNo } from '../../suggestions/condition-notations.ts'
import type { Draft } from '../../finding.ts'
import { collectForms, type Check, type Checks, type Model } from '../../checked-file.ts'
import { schemaChecks } from '../../schema/check-schema.ts'
import { join } from '../../syntax/source.ts'
import { findConstants } from '../names/names-in-conditions.ts'

/**
 * Interprets text such as "mandatory" or "no" that is written in place of a message. Returns null for any other string.
 */
function readRequiredText(text: string): boolean | null {
  const normalised = text
    .trim()
    .toLowerCase()
    .replace(/[.!*✓✔]+$/u, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (normalised === '' && text.trim() !== '') return true
  const answer = suggestYesNo(normalised)
  if (answer !== null) return answer === 'true'
  if (
    /^(?:x|optional(?:ly)?|(?:an )?optional field|not (?:required|mandatory|compulsory|needed|necessary|must|obligatory)|non[- ]?(?:mandatory|compulsory|required)|never|unrequired|un-required|not at all|if (?:any|applicable|available|needed|required|possible|you like)|(?:only )?if applicable|sometimes|may(?:be)?|can be (?:left )?(?:empty|blank)|no need|skip|n\/a|na|not applicable|voluntary|no, (?:it is )?(?:optional|not .*)|blank)$/.test(
      normalised,
    )
  )
    return false
  return /^(?:mandatory|compulsory|compulsary|mandotory|must|a must|obligatory|needed|necessary|always|essential|req|reqd|required: yes|(?:yes|true)[ ,(-]+(?:mandatory|compulsory|required|please|must|always)\)?|must (?:be )?(?:fill(?:ed)?|answer(?:ed)?)(?: in)?|force|forced|enforce|all|everyone)$/.test(
    normalised,
  )
    ? true
    : null
}

const yesNoAsMessageCheck: Check = {
  ...schemaChecks.EV008,
  find: (model) =>
    model.fieldsAndParts.flatMap(({ raw, path }): Draft[] => {
      const [at, text] =
        typeof raw.required === 'object'
          ? [join(path, 'required.message'), raw.required.message]
          : [join(path, 'required'), raw.required]
      if (typeof text !== 'string') return []
      const suggestion = readRequiredText(text)
      const span = model.source.getScalar(at)?.span
      if (suggestion === null) return []
      if (typeof raw.required === 'object')
        return [
          {
            at,
            message: `\`${text}\` would be shown to delegates as the message`,
            help: 'write the sentence that asks for the answer, or remove `message`',
          },
        ]
      return [
        {
          at,
          message: `delegates would see \`${text}\` as the message of a required field`,
          help: suggestion
            ? 'write `true`, or the sentence that asks for the answer'
            : 'write `false`, or remove `required`',
          ...(span === undefined
            ? {}
            : { fix: { start: span[0], end: span[1], text: String(suggestion) } }),
        },
      ]
    }),
}

/** Words for measured quantities. A condition that requires an exact quantity matches hardly any answers. */
const MEASURE_WORDS =
  /\b(?:age|aged|years?|yrs?|experience|height|weight|marks?|percent(?:age)?|score|income|salary|beds?|distance|km|publications?|papers|citations?|since)\b/i
/** A number of people, days or workshops rarely exceeds this. */
const MAX_COUNT = 12

const exactNumberCheck: Check = {
  slug: 'exact-number',
  severity: 'warning',
  why: 'A rule for age 70 does not apply to a delegate who is 71.',
  after: ['EV201', 'EV307'],
  find: (fileModel) =>
    collectForms(fileModel).flatMap((model) =>
      model.conditions.flatMap(({ conditionMaps }) =>
        conditionMaps.flatMap((map) =>
          map.tests.flatMap(({ field: id, raw, path }): Draft[] => {
            const field = model.fields.find((field) => field.id === id)?.field
            if (field?.type !== 'number' || isPlainMap(raw)) return []
            const numbers = findConstants(raw, path).flatMap(({ value }) =>
              typeof value === 'number' ? [value] : [],
            )
            const isMeasure = MEASURE_WORDS.test(`${id.replaceAll('_', ' ')} ${field.label}`)
            const [min, max] = [Math.min(...numbers), Math.max(...numbers)]
            if (numbers.length === 0 || numbers.length > 2 || (!isMeasure && min <= MAX_COUNT))
              return []
            if (isMeasure && max <= 2) return []
            return [
              {
                at: path,
                message: `this is true only if \`${id}\` is exactly ${numbers.join(' or ')}`,
                help:
                  numbers.length === 1
                    ? `for ${min} or more write {at_least: ${min}}; for ${min} or less write {at_most: ${min}}`
                    : `for every number from ${min} to ${max} write {at_least: ${min}, at_most: ${max}}`,
              },
            ]
          }),
        ),
      ),
    ),
}
const isPlainMap = (raw: unknown): boolean =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)

const optionalRuleFieldCheck: Check = {
  slug: 'optional-rule-field',
  severity: 'warning',
  why: 'A delegate who skips the question is given a category without noticing.',
  after: ['EV201', 'EV206', 'EV301', 'EV307', 'EV508'],
  find: (model) => {
    const { config } = model
    if (config.categoryChoice.by === 'field' || config.status === 'closed') return []
    const ruleConditions = model.conditions.filter(({ kind }) => kind === 'rule')
    const ruleFieldIds = new Set(
      ruleConditions.flatMap(({ conditionMaps }) =>
        conditionMaps.flatMap(({ tests }) => tests.map(({ field }) => field)),
      ),
    )
    return model.fields.flatMap(({ id, path, field }): Draft[] => {
      if (!ruleFieldIds.has(id) || field.default !== undefined || field.required !== undefined)
        return []
      return coversEmptyAnswer(model, id)
        ? []
        : [
            {
              at: path,
              message: `\`${id}\` determines the category, but can be left empty`,
              related: ruleConditions
                .filter(({ conditionMaps: maps }) =>
                  maps.some(({ tests }) => tests.some((test) => test.field === id)),
                )
                .slice(0, 1)
                .map((entry) => ({ at: entry.path, message: 'used here' })),
              help:
                field.type === 'yes-no'
                  ? 'write required: true, or default: false'
                  : 'write required: true, or a rule for {answered: false}',
            },
          ]
    })
  },
}

/** Returns whether a rule covers delegates who leave a field empty. */
function coversEmptyAnswer({ config }: Model, id: string): boolean {
  if (config.categoryChoice.by === 'field') return true
  return config.categoryChoice.rules.some(({ when }) =>
    (when ?? [])
      .flat()
      .some(({ field, test }) => field === id && (test.is === 'answered' || test.is === 'not-in')),
  )
}

/** Displayed texts that may be omitted from the file. */
const OPTIONAL_TEXTS =
  /^(?:event\.(?:theme|about|hours|office)|look\.logo|form\.sections\.\d+\.fields\.\d+\.hint|form\.panel\.title|results\.(?:success|failed)\.(?:intro|notes_title)|categories\.\d+\.about|results\.(?:success|failed)\.(?:notes|reasons)\.\d+|form\.panel\.lines\.\d+)$/
const WORDS_FOR_NONE =
  /^(?:none|nil|n\/?a|n\.a\.?|no|yes|false|true|null|nothing|empty|blank|-+|–|—|not applicable|tba|tbd|\.|x+|~)$/i

/** Returns whether text that could be omitted is a word for "nothing". EV518 reports such text. */
export const isWordForNothing = (path: string, text: string): boolean =>
  OPTIONAL_TEXTS.test(path) && WORDS_FOR_NONE.test(text.trim())

const keywordAsTextCheck: Check = {
  slug: 'keyword-as-text',
  severity: 'warning',
  why: 'A word that means “none” would be shown to every delegate.',
  find: (model) =>
    model.displayedTexts.flatMap(({ path, text }): Draft[] =>
      isWordForNothing(path, text)
        ? [
            {
              at: path,
              message: `delegates would see “${text.trim()}”`,
              help: /\.\d+$/.test(path)
                ? 'remove the line'
                : `remove \`${path.split('.').at(-1) ?? ''}\`: without it, nothing is shown`,
            },
          ]
        : [],
    ),
}

export const misreadOptionChecks = {
  EV008: yesNoAsMessageCheck,
  EV322: exactNumberCheck,
  EV517: optionalRuleFieldCheck,
  EV518: keywordAsTextCheck,
} satisfies Checks
