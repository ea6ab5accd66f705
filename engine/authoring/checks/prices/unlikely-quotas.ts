/** Checks EV656, EV659, EV660: quotas and items whose offers, totals or counts contradict their names. */
import type { Draft } from '../../finding.ts'
import type { Check, Checks, FieldAt, Model } from '../../checked-file.ts'
import { findAssociations, readCareerStage, type CareerStage } from '../../prose/career-stage.ts'
import { collectWords } from '../form/labels.ts'

const INVITED_WORDS =
  /\b(?:invite[ed]\w*|faculty|speakers?|committee|vip|sponsors?|staff|volunteers?)\b/i

/** Describes the delegates to whom a category is restricted. Returns null if every delegate may choose it. */
function describeRestriction(
  { file, config }: Model,
  id: string,
  ownStage: CareerStage | null,
  readStage: (id: string) => CareerStage,
): string | null {
  const category = config.categories.find((candidate) => candidate.id === id)
  if (category === undefined) return null
  const choice = config.categoryChoice
  if (choice.by === 'rules' && choice.rules.some(({ when, then }) => then === id && when === null))
    return null
  if (category.listedOnly && INVITED_WORDS.test(`${id} ${category.label}`))
    return 'by invitation only'
  const stage = readStage(id)
  if (stage.isMember === true && ownStage?.isMember !== true) return 'for members'
  if (stage.isSenior && ownStage?.isSenior !== true) return 'for senior delegates'
  if (stage.isCompanion && ownStage?.isCompanion !== true) return 'for accompanying persons'
  const isForTrainees = stage.levels.size > 0 && !stage.levels.has(2)
  if (isForTrainees && ![...stage.levels].some((level) => ownStage?.levels.has(level) === true))
    return 'for students and trainees'
  return file.categories.some((candidate) => candidate.id === id && candidate.listed_only === true)
    ? 'listed_only'
    : null
}

const offerForOthersCheck: Check = {
  slug: 'offer-for-others',
  severity: 'warning',
  why: 'A delegate who accepts the offer gets a category and a price to which they are not entitled.',
  after: ['EV203', 'EV206', 'EV472', 'EV1109'],
  find: (model) => {
    const { config } = model
    const associations = findAssociations(config.categories.flatMap(({ id, label }) => [id, label]))
    const readStage = (id: string): CareerStage =>
      readCareerStage(
        config.categories.find((candidate) => candidate.id === id)?.label ?? id,
        associations,
      )
    const reportRestriction = (
      at: string,
      offer: string,
      eligibleCategories: readonly string[],
    ): readonly Draft[] => {
      const restrictions = (eligibleCategories.length === 0 ? [null] : eligibleCategories).map(
        (eligibleCategory) =>
          describeRestriction(
            model,
            offer,
            eligibleCategory === null ? null : readStage(eligibleCategory),
            readStage,
          ),
      )
      const [restriction] = restrictions
      return restriction === undefined || restriction === null || restrictions.includes(null)
        ? []
        : [
            {
              at,
              message: `\`${offer}\` is ${restriction}, but is offered to other delegates`,
              related: [
                {
                  at: `categories.${config.categories.findIndex(({ id }) => id === offer)}.id`,
                  message: 'the category',
                },
              ],
              help: 'offer a category that every delegate may choose, or offer none',
            },
          ]
    }
    const listAcceptedCategories = (
      when: (typeof config.quotas)[number]['when'],
    ): readonly string[] =>
      (when ?? []).flatMap((map) =>
        map.flatMap(({ field, test }) =>
          field === 'category' && test.is === 'in' ? test.values.map(String) : [],
        ),
      )
    return [
      ...config.quotas.flatMap(({ when, full: { offer } }, index) =>
        offer === undefined
          ? []
          : reportRestriction(`quotas.${index}.full.offer`, offer, listAcceptedCategories(when)),
      ),
      ...(model.file.approval ?? []).flatMap(({ if_refused: refused }, index) => {
        const offer = refused?.offer
        return offer === undefined
          ? []
          : reportRestriction(
              `approval.${index}.if_refused.offer`,
              offer,
              listAcceptedCategories(config.approvals[index]?.when),
            )
      }),
    ]
  },
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0)

const quotaBelowPartsCheck: Check = {
  slug: 'quota-below-parts',
  severity: 'warning',
  why: 'The quota for all delegates would be full while other quotas still have seats. One of the numbers is probably wrong.',
  after: ['EV202', 'EV206', 'EV216', 'EV478'],
  find: ({ file, config }) => {
    const quotas = file.quotas ?? []
    const index = quotas.findIndex(
      ({ when, max, count, each_option_of: by }) =>
        when === undefined && count === undefined && by === undefined && typeof max === 'number',
    )
    const totalQuota = quotas[index]
    if (totalQuota === undefined || typeof totalQuota.max !== 'number' || totalQuota.max === 0)
      return []
    const { id, max: totalSeats } = totalQuota
    const parts = quotas.flatMap(({ each_option_of: by, max, id: part }) => {
      const field = config.fields.find((candidate) => candidate.id === by)
      if (field === undefined || typeof max === 'number') return []
      // With a required select, each delegate chooses exactly one option, so the seats of the options add up.
      const isDivided =
        field.type === 'select' &&
        field.required !== undefined &&
        (field.options ?? []).every((option) => Object.hasOwn(max, option.id))
      const seats = Object.values(max)
      const needed = isDivided ? sum(seats) : Math.max(...seats)
      return [{ name: part, needed, isSum: isDivided }]
    })
    const categoryQuotas = quotas.flatMap(({ when, max }, quotaIndex) => {
      const values = (config.quotas[quotaIndex]?.when ?? []).flatMap((map) =>
        map.length === 1 && map[0]?.field === 'category' && map[0].test.is === 'in'
          ? map[0].test.values.map(String)
          : [],
      )
      return when === undefined || typeof max !== 'number' || values.length === 0
        ? []
        : [{ values, max }]
    })
    const openCategories = config.categories.filter(({ listedOnly }) => !listedOnly)
    const isComplete =
      openCategories.length > 1 &&
      openCategories.every((category) =>
        categoryQuotas.some(({ values }) => values.includes(category.id)),
      )
    const exceedingQuota = [
      ...parts,
      ...(isComplete
        ? [
            {
              name: 'the categories',
              needed: sum(categoryQuotas.map(({ max }) => max)),
              isSum: true,
            },
          ]
        : []),
    ].find(({ needed }) => needed > totalSeats)
    return exceedingQuota === undefined
      ? []
      : [
          {
            at: `quotas.${index}.max`,
            message: `\`${id}\` has ${totalSeats} seats, but ${exceedingQuota.name === 'the categories' ? exceedingQuota.name : `\`${exceedingQuota.name}\``} ${exceedingQuota.isSum ? 'have a total of' : 'has an option with'} ${exceedingQuota.needed}`,
            help: `write ${exceedingQuota.needed} or more, or lower the numbers of the other quotas`,
          },
        ]
  },
}

/** Words that occur in many names and do not identify a field. */
const COMMON_WORDS =
  /^(?:the|an?|of|for|in|on|at|to|and|or|with|without|i|my|your|you|how|many|much|number|no|count|total|additional|extra|further|second|other|per|each|person|people|day|ticket|seat|place|charge|fee|price|option|need\w*|want|wish|please)$/
const collectIdentifyingWords = (text: string): ReadonlySet<string> =>
  new Set(
    [...collectWords(text.replaceAll(/[-_]/g, ' '))].filter((word) => !COMMON_WORDS.test(word)),
  )
const sharesWord = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some((word) => others.has(word))
const collectFieldWords = ({ id, field }: FieldAt): ReadonlySet<string> =>
  collectIdentifyingWords(`${id} ${field.label}`)

const countsOtherFieldCheck: Check = {
  slug: 'counts-other-field',
  severity: 'warning',
  why: 'Delegates would pay for a number that they entered for something else.',
  after: ['EV201', 'EV206', 'EV216'],
  find: (model) => {
    const numbers = model.fields.filter(({ field }) => ['number', 'people'].includes(field.type))
    const reportOtherField = (
      at: string,
      name: string,
      id: string,
      usedFields: readonly string[],
    ): Draft[] => {
      const countedField = numbers.find((field) => field.id === id)
      const words = collectIdentifyingWords(name)
      if (countedField === undefined || sharesWord(words, collectFieldWords(countedField)))
        return []
      const intendedField = numbers.find(
        (field) => !usedFields.includes(field.id) && sharesWord(words, collectFieldWords(field)),
      )
      return intendedField === undefined
        ? []
        : [
            {
              at,
              message: `“${name}” counts \`${id}\`, which asks for “${countedField.field.label}”`,
              related: [
                { at: `${intendedField.path}.id`, message: 'this field has the same name' },
              ],
              help: `write count: ${intendedField.id}`,
            },
          ]
    }
    return [
      ...(model.file.fees.items ?? []).flatMap(({ id, label, count, times, by }, index) =>
        typeof count !== 'string'
          ? []
          : reportOtherField(
              `fees.items.${index}.count`,
              (label ?? id.replaceAll('-', ' ')).replaceAll(/\{[^{}]*\}/g, ' ').trim(),
              count,
              [count, times, by].flatMap((name) => (name === undefined ? [] : [name])),
            ),
      ),
      ...(model.file.quotas ?? []).flatMap(({ id, count }, index) =>
        count === undefined
          ? []
          : reportOtherField(`quotas.${index}.count`, id.replaceAll('-', ' '), count, [count]),
      ),
    ]
  },
}

export const unlikelyQuotaChecks = {
  EV656: offerForOthersCheck,
  EV659: quotaBelowPartsCheck,
  EV660: countsOtherFieldCheck,
} satisfies Checks
