/**
 * Checks EV321, EV451, EV452: prices agree with the names of categories.
 *
 * Members must not pay more than non-members, and trainees must not pay more than specialists.
 */
import type { Condition, Test } from '../../../event/answer-types.ts'
import { formatMoney, type Amount, type Currency } from '../../../lib/money.ts'
import { memoize } from '../../../lib/memoize.ts'
import type { Draft } from '../../finding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import {
  findAssociations,
  findContradiction,
  readCareerStage,
  type CareerStage,
} from '../../prose/career-stage.ts'
import { TABLE_ERRORS, listTableCells, hasExtraDigit } from './fees.ts'
import { getCurrency } from '../../../rules/category.ts'
import { findGroupOfCategory, listPeriodsOfCategory } from '../../../pricing/price-periods.ts'
import { getPricesPath } from '../../tools/explain-bill-lines.ts'

type PricedCategory = {
  readonly id: string
  readonly label: string
  readonly stage: CareerStage
  /** Prices by period, except in periods in which the category is free or not on sale. */
  readonly prices: ReadonlyMap<string, Amount>
  readonly currency: Currency
}

/** Creates a function that interprets names, with a cache, because rules and prices use the same names. */
const createStageReader = memoize(({ config }: Model) => {
  const associations = findAssociations([
    ...config.categories.flatMap(({ id, label }) => [id, label]),
    ...config.fields.flatMap(({ id, label }) => [id, label]),
  ])
  return memoize((name: string) => readCareerStage(name, associations))
})
type StageReader = (name: string) => CareerStage

/** A label in another script cannot be interpreted, so the id is used instead. */
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u

/** Interprets the label of a category. For properties that the label does not state, interprets the id. */
function readCategoryStage(id: string, label: string, read: StageReader): CareerStage {
  const [byLabel, byId] = [read(label), read(id)]
  return {
    isMember: byLabel.isMember ?? byId.isMember,
    levels: byLabel.levels.size > 0 || byLabel.isCompanion ? byLabel.levels : byId.levels,
    isCompanion: byLabel.isCompanion || (byLabel.levels.size === 0 && byId.isCompanion),
    isSenior: byLabel.isSenior || byId.isSenior,
    remainingWords: OTHER_SCRIPT.test(label) ? byId.remainingWords : byLabel.remainingWords,
  }
}

function listPricedCategories(model: Model): readonly PricedCategory[] {
  const readStage = createStageReader(model)
  const cells = Map.groupBy(listTableCells(model), ({ category }) => category)
  const membershipByRules = findMembershipByRules(model)
  return model.config.categories.map(({ id, label }) => {
    const stage = readCategoryStage(id, label, readStage)
    return {
      id,
      label,
      stage: { ...stage, isMember: stage.isMember ?? membershipByRules.get(id) ?? null },
      currency: getCurrency(model.config, id),
      prices: new Map(
        (cells.get(id) ?? []).flatMap(({ period, amount, at }) =>
          amount !== null && amount > 0 && !hasExtraDigit(model, at)
            ? [[period, amount] as const]
            : [],
        ),
      ),
    }
  })
}

/** Maps categories that only members get to true, and categories that only non-members get to false. */
function findMembershipByRules({ config }: Model): ReadonlyMap<string, boolean> {
  if (config.categoryChoice.by === 'field') return new Map()
  const { rules } = config.categoryChoice
  const memberQuestion = config.fields.find(
    ({ id, label, type }) =>
      type === 'yes-no' &&
      /member/i.test(`${id} ${label}`) &&
      !/non|family/i.test(`${id} ${label}`),
  )
  if (memberQuestion === undefined) return new Map()
  const memberAnswers = new Map<string, ReadonlySet<boolean>>()
  rules.forEach(({ when, then }, index) => {
    const mapsAbove = rules.slice(0, index).flatMap((rule) => rule.when ?? [])
    const answers = (when ?? []).map((map) =>
      readYesNoTest(map.find(({ field }) => field === memberQuestion.id)?.test),
    )
    const hasMemberRuleAbove = mapsAbove.some(
      (map) =>
        map.length === 1 &&
        readYesNoTest(map.find(({ field }) => field === memberQuestion.id)?.test) === true,
    )
    const ownAnswers = new Set(memberAnswers.get(then) ?? [])
    if (when === null && hasMemberRuleAbove) ownAnswers.add(false)
    else if (answers.length > 0 && answers.every((value) => value === true)) ownAnswers.add(true)
    else if (answers.length > 0 && answers.every((value) => value === false)) ownAnswers.add(false)
    else ownAnswers.add(true).add(false)
    memberAnswers.set(then, ownAnswers)
  })
  return new Map(
    [...memberAnswers].flatMap(([id, values]) =>
      values.size === 1 ? [[id, values.has(true)] as const] : [],
    ),
  )
}
const readYesNoTest = (test: Test | undefined): boolean | null =>
  test?.is === 'in' && test.values.length === 1 && typeof test.values[0] === 'boolean'
    ? test.values[0]
    : null

const getHighestLevel = ({ levels }: CareerStage): number =>
  levels.size === 0 ? 2 : Math.max(...levels)
const getLowestLevel = ({ levels }: CareerStage): number =>
  levels.size === 0 ? 2 : Math.min(...levels)
const haveSameLevels = (a: CareerStage, b: CareerStage): boolean =>
  a.levels.size === b.levels.size && [...a.levels].every((level) => b.levels.has(level))
const paysFullPrice = ({ stage }: PricedCategory): boolean =>
  !stage.isCompanion && !stage.isSenior && getLowestLevel(stage) === 2

/** Returns the categories that should cost more: those that lack only this one's reason for a lower price. */
function listCategoriesAbove(
  category: PricedCategory,
  all: readonly PricedCategory[],
): readonly PricedCategory[] {
  const ownStage = category.stage
  const similarCategories = all.filter(
    (other) =>
      other !== category &&
      other.stage.remainingWords === ownStage.remainingWords &&
      other.stage.isCompanion === ownStage.isCompanion,
  )
  const nonMemberCategories = similarCategories.filter(
    ({ stage }) =>
      ownStage.isMember === true &&
      stage.isMember === false &&
      haveSameLevels(stage, ownStage) &&
      stage.isSenior === ownStage.isSenior,
  )
  const laterStages = similarCategories.filter(
    ({ stage }) =>
      stage.isMember === ownStage.isMember &&
      stage.isSenior === ownStage.isSenior &&
      ownStage.levels.size > 0 &&
      getHighestLevel(ownStage) < getLowestLevel(stage),
  )
  const ordinaryCategories = similarCategories.filter(
    ({ stage }) =>
      ownStage.isSenior &&
      !stage.isSenior &&
      stage.isMember === ownStage.isMember &&
      haveSameLevels(stage, ownStage),
  )
  return [...nonMemberCategories, ...laterStages, ...ordinaryCategories]
}

/** Returns whether a category has a generally reduced price, as for trainees, companions or seniors. */
function isGeneralReduction({ stage }: PricedCategory): boolean {
  return (
    stage.remainingWords === '' &&
    (stage.isCompanion ||
      (stage.isMember === null && (stage.isSenior || getHighestLevel(stage) < 2)))
  )
}

const pricesSwappedCheck: Check = {
  slug: 'prices-swapped',
  severity: 'warning',
  why: 'Members and trainees usually pay less than others. If they pay more, two rows or labels are probably swapped.',
  after: [...TABLE_ERRORS, 'EV401', 'EV452'],
  find: (model) => {
    const pricedCategories = listPricedCategories(model)
    const { fees } = model.config
    const getPath = ({ id }: PricedCategory): string =>
      [...getPricesPath(model.config, id), id].join('.')
    const buildDraft = (
      category: PricedCategory,
      other: PricedCategory,
      periods: readonly string[],
    ): Draft => {
      const columns = listPeriodsOfCategory(fees, category.id).length
      const cells = periods.slice(0, MAX_LISTED_PERIODS).map((period) => {
        const [ownPrice, otherPrice] = [category.prices.get(period), other.prices.get(period)]
        return `${formatMoney(ownPrice ?? (0 as Amount), category.currency)} and ${formatMoney(otherPrice ?? (0 as Amount), category.currency)} in \`${period}\``
      })
      return {
        at: getPath(category),
        part: 'entry',
        message: `\`${category.id}\` costs more than \`${other.id}\`: ${formatList(cells, MAX_LISTED_PERIODS)}`,
        related: [{ at: getPath(other), part: 'entry', message: 'the cheaper row' }],
        notes:
          periods.length > MAX_LISTED_PERIODS
            ? [`and in ${periods.length - MAX_LISTED_PERIODS} more`]
            : [],
        help: `write the lower ${periods.length === columns ? 'row' : 'price'} under \`${category.id}\` and the higher one under \`${other.id}\`; if the labels are swapped, correct them`,
      }
    }
    return pricedCategories.flatMap((category): Draft[] => {
      // Prices in different currencies or on different days cannot be compared.
      const group = findGroupOfCategory(fees, category.id)
      const periodOrder = listPeriodsOfCategory(fees, category.id).map(({ id }) => id)
      const comparableCategories = pricedCategories.filter(
        ({ id, currency }) =>
          currency === category.currency && findGroupOfCategory(fees, id) === group,
      )
      const listCostlierPeriods = memoize((other: PricedCategory): readonly string[] =>
        periodOrder.filter((period) => {
          const [ownPrice, otherPrice] = [category.prices.get(period), other.prices.get(period)]
          return ownPrice !== undefined && otherPrice !== undefined && ownPrice > otherPrice
        }),
      )
      const drafts = listCategoriesAbove(category, comparableCategories).flatMap(
        (other): Draft[] => {
          const periods = listCostlierPeriods(other)
          return periods.length === 0 ? [] : [buildDraft(category, other, periods)]
        },
      )
      if (drafts.length > 0 || !isGeneralReduction(category)) return drafts.slice(0, 1)
      const fullPriceCategories = comparableCategories.filter(
        (other) => other !== category && paysFullPrice(other) && other.prices.size > 0,
      )
      const periods = periodOrder.filter(
        (period) =>
          category.prices.has(period) &&
          fullPriceCategories.some((other) => other.prices.has(period)) &&
          fullPriceCategories.every(
            (other) => !other.prices.has(period) || listCostlierPeriods(other).includes(period),
          ),
      )
      const highestPricedCategory = fullPriceCategories
        .filter((other) => periods.every((period) => other.prices.has(period)))
        .toSorted((a, b) => sumPrices(b, periods) - sumPrices(a, periods))[0]
      return periods.length === 0 || highestPricedCategory === undefined
        ? []
        : [buildDraft(category, highestPricedCategory, periods)]
    })
  },
}
/** A finding lists the prices of at most this many periods, and only counts the others. */
const MAX_LISTED_PERIODS = 3
const sumPrices = ({ prices }: PricedCategory, periods: readonly string[]): number =>
  periods.reduce((all, period) => all + (prices.get(period) ?? 0), 0)

const labelContradictsIdCheck: Check = {
  slug: 'label-contradicts-id',
  severity: 'warning',
  why: 'Delegates see the label, but prices use the id. One of the two seems to belong to another category.',
  after: ['EV206'],
  find: (model) => {
    const readStage = createStageReader(model)
    return model.config.categories.flatMap(({ id, label }, index): Draft[] => {
      if (model.file.categories[index]?.label === undefined) return []
      const contradiction = findContradiction(readStage(id), readStage(label))
      return contradiction === null
        ? []
        : [
            {
              at: `categories.${index}.label`,
              message: `the id \`${id}\` means ${contradiction[0]}, but the label “${label}” means ${contradiction[1]}`,
              related: [{ at: `categories.${index}.id`, message: 'the id' }],
              help: 'write the label that belongs to this id; two labels may be swapped',
            },
          ]
    })
  },
}

const ruleContradictsCheck: Check = {
  slug: 'rule-contradicts',
  severity: 'warning',
  why: 'Delegates who state that they are members would pay as non-members, and vice versa.',
  after: ['EV201', 'EV202', 'EV203', 'EV206', 'EV307', 'EV452'],
  find: (model) => {
    const { config, file } = model
    const readStage = createStageReader(model)
    if (config.categoryChoice.by === 'field') return findExpectsContradictions(model, readStage)
    return config.categoryChoice.rules.flatMap(({ when, then }, index): Draft[] => {
      const category = config.categories.find(({ id }) => id === then)
      if (when === null || category === undefined || file.category.rules?.[index] === undefined)
        return []
      const contradiction = findContradictingTest(model, when, category, readStage)
      return contradiction === null
        ? []
        : [
            {
              at: `category.rules.${index}.then`,
              message: `the rule is for ${contradiction[0]}, but \`${then}\` is for ${contradiction[1]}`,
              related: [{ at: `category.rules.${index}.when`, message: `for ${contradiction[0]}` }],
              help: 'write the category for this answer; two rules may be swapped',
            },
          ]
    })
  },
}

/** Reports categories whose `expects` contradicts their names: delegates would be told to choose another category. */
function findExpectsContradictions(model: Model, read: StageReader): readonly Draft[] {
  return model.config.categories.flatMap((category, index): Draft[] => {
    if (category.expects === undefined || model.file.categories[index] === undefined) return []
    const contradiction = findContradictingTest(model, category.expects, category, read)
    return contradiction === null
      ? []
      : [
          {
            at: `categories.${index}.expects`,
            part: 'entry',
            message: `\`${category.id}\` is for ${contradiction[1]}, but expects the answers of ${contradiction[0]}`,
            help: 'write the answers of the delegates for whom the category is intended; otherwise the form asks them to choose another category',
          },
        ]
  })
}

/** Returns how a condition contradicts a category, or null if one of its alternatives does not. */
function findContradictingTest(
  model: Model,
  when: Condition,
  { id, label }: { readonly id: string; readonly label: string },
  read: StageReader,
): readonly [string, string] | null {
  const stage = readCategoryStage(id, label, read)
  const contradictions = when
    .map((map) =>
      map.map(({ field, test }) => explainContradiction(model, field, test, stage, read)),
    )
    .map((tests) => tests.find((test) => test !== null) ?? null)
  return contradictions.some((candidate) => candidate === null) ? null : (contradictions[0] ?? null)
}

/** Returns how a test in a rule contradicts the category that the rule gives, or null if it does not. */
function explainContradiction(
  model: Model,
  id: string,
  test: Test,
  category: CareerStage,
  read: StageReader,
): readonly [string, string] | null {
  const field = model.config.fields.find((field) => field.id === id)
  if (field === undefined) return null
  const labelMeaning = read(field.label)
  const idMeaning = read(field.id)
  if (field.type === 'yes-no') {
    if (test.is !== 'in' || test.values.length !== 1) return null
    const isYes = test.values[0] === true
    const isMember = labelMeaning.isMember ?? idMeaning.isMember
    const isMemberAnswer = isMember === null ? null : isMember === isYes
    const levels = labelMeaning.levels.size > 0 ? labelMeaning.levels : idMeaning.levels
    const isTrainee = levels.size > 0 && !levels.has(2)
    const stage: CareerStage = {
      isMember: isMemberAnswer,
      levels: isYes ? levels : new Set(),
      isCompanion: false,
      isSenior: false,
      remainingWords: '',
    }
    const contradiction = findContradiction(stage, category)
    if (contradiction !== null) return contradiction
    // A delegate who answers no to "Are you a postgraduate?" is not a postgraduate.
    return !isYes &&
      isTrainee &&
      levels.size === 1 &&
      haveSameLevels({ ...stage, levels }, category)
      ? [`delegates who answer “${field.label}” with no`, 'the same delegates']
      : null
  }
  if (field.type !== 'select' || (test.is !== 'in' && test.is !== 'not-in')) return null
  const matchingOptions = (field.options ?? []).filter(
    (option) => test.values.includes(option.id) === (test.is === 'in'),
  )
  const contradictions = matchingOptions.map((option) => {
    const [byLabel, byId] = [read(option.label), read(option.id)]
    return findContradiction(
      {
        ...byLabel,
        isMember: byLabel.isMember ?? byId.isMember,
        levels: byLabel.levels.size > 0 ? byLabel.levels : byId.levels,
      },
      category,
    )
  })
  return contradictions.length > 0 && contradictions.every((candidate) => candidate !== null)
    ? (contradictions[0] ?? null)
    : null
}

export const categoryOrderChecks = {
  EV321: ruleContradictsCheck,
  EV451: pricesSwappedCheck,
  EV452: labelContradictsIdCheck,
} satisfies Checks
