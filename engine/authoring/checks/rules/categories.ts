/** Checks EV3xx: the rules give every delegate exactly one category, and every rule has an effect. */
import type { EventConfig } from '../../../event/config.ts'
import type { Condition } from '../../../event/answer-types.ts'
import { CODE_NAME } from '../../../rules/pricing-context.ts'
import { memoize } from '../../../lib/memoize.ts'
import {
  toBoxes,
  buildDomain,
  listAllBoxes,
  listCategoriesFromContext,
  describeBox,
  type Domain,
} from '../../proofs/answer-domain.ts'
import {
  intersect,
  subtract,
  tryWithinBudget,
  MAX_OPERATIONS,
  type Box,
  type Budget,
} from '../../proofs/sets-of-answers.ts'
import type { Draft } from '../../finding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { Check, Model } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'

type RuleBoxes = {
  readonly boxes: readonly Box[]
  /** The answers that the rule decides: those that it matches and no rule above matches. */
  readonly decidedBoxes: readonly Box[]
}
export type RuleTable =
  | { readonly is: 'none' }
  | { readonly is: 'too-large' }
  | {
      readonly is: 'table'
      readonly domain: Domain
      readonly rules: readonly RuleBoxes[]
      /** Answers that no rule matches. */
      readonly unmatchedBoxes: readonly Box[]
      readonly budget: Budget
    }

/** Represents the rules as disjoint boxes of answers. The result is memoized, because several checks use it. */
const buildRuleTable = memoize(({ config }: Model): RuleTable => {
  const choice = config.categoryChoice
  if (choice.by === 'field') return { is: 'none' }
  const budget = { remaining: MAX_OPERATIONS }
  return tryWithinBudget(
    (): RuleTable => {
      const domain = buildDomain(
        config,
        choice.rules.flatMap(({ when }) => (when === null ? [] : [when])),
      )
      // The rules do not apply to delegates whose discount code gives a category.
      const codeCondition = buildCategoryCodeCondition(config)
      let unmatchedBoxes = subtract(
        domain.space,
        listAllBoxes(domain),
        [
          ...domain.impossible,
          ...(codeCondition.length === 0 ? [] : toBoxes(domain, codeCondition)),
        ],
        budget,
      )
      const rules = choice.rules.map(({ when }): RuleBoxes => {
        const boxes = when === null ? listAllBoxes(domain) : toBoxes(domain, when)
        const decidedBoxes = splitIntoDisjoint(
          domain,
          intersect(domain.space, unmatchedBoxes, boxes, budget),
          budget,
        )
        unmatchedBoxes = subtract(domain.space, unmatchedBoxes, boxes, budget)
        return { boxes, decidedBoxes }
      })
      return { is: 'table', domain, rules, unmatchedBoxes, budget }
    },
    { is: 'too-large' },
  )
})

function buildCategoryCodeCondition({ codeKinds }: EventConfig): Condition {
  const values = codeKinds.flatMap(({ id, gives }) => ('category' in gives ? [id] : []))
  return values.length === 0 ? [] : [[{ field: CODE_NAME, test: { is: 'in', values } }]]
}

function splitIntoDisjoint(
  { space }: Domain,
  boxes: readonly Box[],
  budget: Budget,
): readonly Box[] {
  return boxes.reduce<readonly Box[]>(
    (remaining, box) => [...remaining, ...subtract(space, [box], remaining, budget)],
    [],
  )
}

const getRulePath = (index: number): string => `category.rules.${index}`
const NAME_ERRORS = [
  'EV201',
  'EV202',
  'EV203',
  'EV205',
  'EV206',
  'EV305',
  'EV307',
  'EV308',
  'EV313',
]
/** A finding lists at most this many unmatched answers, and only counts the others. */
const MAX_SHOWN_BOXES = 4

const ruleIncompleteCheck: Check = {
  slug: 'rule-incomplete',
  severity: 'error',
  why: 'A delegate to whom no rule applies has no price and cannot register.',
  after: [...NAME_ERRORS, 'EV303'],
  find: (model) => {
    const table = buildRuleTable(model)
    if (table.is !== 'table' || table.unmatchedBoxes.length === 0) return []
    const hiddenCount = table.unmatchedBoxes.length - MAX_SHOWN_BOXES
    const notes = table.unmatchedBoxes
      .slice(0, MAX_SHOWN_BOXES)
      .map((box) => `no rule for ${describeBox(table.domain, box)}`)
    return [
      {
        at: 'category.rules',
        part: 'key',
        message: 'the rules leave some answers without a category',
        notes: hiddenCount > 0 ? [...notes, `and ${hiddenCount} more`] : notes,
        help: 'add a rule, or end with {otherwise: …}',
      },
    ]
  },
}

const ruleUnreachableCheck: Check = {
  slug: 'rule-unreachable',
  severity: 'error',
  why: 'If a rule never applies, this rule or a rule above it is wrong.',
  after: [...NAME_ERRORS, 'EV303'],
  find: (model) => {
    const table = buildRuleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return table.rules.flatMap(({ decidedBoxes, boxes }, index): Draft[] => {
      if (decidedBoxes.length > 0 || boxes.length === 0 || choice.rules[index]?.when === null)
        return []
      const coveringRules = findCoveringRules(table, index)
      const ruleText = formatList(
        coveringRules.map((coveringRule) => `rule ${coveringRule + 1}`),
        MAX_COVERING_RULES,
        ' and ',
      )
      return [
        {
          at: getRulePath(index),
          message: 'this rule is never reached',
          related: coveringRules
            .slice(0, MAX_COVERING_RULES)
            .map((rule) => ({ at: getRulePath(rule), message: 'covers this rule' })),
          notes: [
            coveringRules.length === 0
              ? 'no delegate can give the answers that the rule requires'
              : `${ruleText} above already ${coveringRules.length === 1 ? 'covers' : 'cover'} all delegates to whom it applies`,
          ],
        },
      ]
    })
  },
}

/** A longer list of covering rules would not help the author. */
const MAX_COVERING_RULES = 8

/**
 * Returns a minimal set of earlier rules that together cover a rule. Starts with all overlapping rules and removes each
 * rule that the other rules make unnecessary.
 */
function findCoveringRules(
  { domain, rules, budget }: Extract<RuleTable, { is: 'table' }>,
  ruleIndex: number,
): readonly number[] {
  const ownBoxes = rules[ruleIndex]?.boxes ?? []
  const possibleBoxes = tryWithinBudget(
    () => subtract(domain.space, ownBoxes, domain.impossible, budget),
    ownBoxes,
  )
  const isCoveredBy = (coveringRules: readonly number[]): boolean =>
    subtract(
      domain.space,
      possibleBoxes,
      coveringRules.flatMap((coveringRule) => rules[coveringRule]?.boxes ?? []),
      budget,
    ).length === 0
  const overlappingRules = rules.flatMap((_rule, other) =>
    other < ruleIndex &&
    tryWithinBudget(
      () => intersect(domain.space, possibleBoxes, rules[other]?.boxes ?? [], budget).length > 0,
      true,
    )
      ? [other]
      : [],
  )
  return tryWithinBudget(
    () =>
      overlappingRules.reduce<readonly number[]>(
        (remaining, entry) =>
          isCoveredBy(remaining.filter((other) => other !== entry))
            ? remaining.filter((other) => other !== entry)
            : remaining,
        overlappingRules,
      ),
    overlappingRules,
  )
}

const otherwiseNotLastCheck: Check = {
  slug: 'otherwise-not-last',
  severity: 'error',
  why: '`otherwise` covers all remaining delegates.',
  find: ({ file }) => {
    const rules = file.category.rules ?? []
    const otherwiseIndex = rules.findIndex(({ otherwise }) => otherwise !== undefined)
    if (otherwiseIndex === -1 || otherwiseIndex === rules.length - 1) return []
    return [
      {
        at: getRulePath(otherwiseIndex),
        message: 'rules after `otherwise` are never reached',
        related: [{ at: getRulePath(otherwiseIndex + 1), message: 'never reached' }],
        help: 'move `otherwise` to the end',
      },
    ]
  },
}

const otherwiseUnusedCheck: Check = {
  slug: 'otherwise-unused',
  severity: 'warning',
  why: 'If `otherwise` covers no delegate, the rules above may cover too many.',
  after: [...NAME_ERRORS, 'EV303'],
  find: (model) => {
    const table = buildRuleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return table.rules.flatMap(({ decidedBoxes }, index): Draft[] =>
      choice.rules[index]?.when === null && decidedBoxes.length === 0
        ? [{ at: getRulePath(index), message: 'the rules above already cover every answer' }]
        : [],
    )
  },
}

const unprovedRulesCheck: Check = {
  slug: 'too-large-to-prove',
  severity: 'note',
  why: 'The check did not finish, so the result is unknown.',
  after: NAME_ERRORS,
  find: (model) =>
    buildRuleTable(model).is === 'too-large'
      ? [
          {
            at: 'category.rules',
            part: 'key',
            message: 'there are too many rules to check whether they cover every delegate',
            notes: [`the check stopped after ${MAX_OPERATIONS} steps`],
            help: 'end with {otherwise: …}, and add examples',
          },
        ]
      : [],
}

const categoryUnreachableCheck: Check = {
  slug: 'category-unreachable',
  severity: 'error',
  why: 'A category that no rule gives must be `listed_only`, and no rule may give a category that is `listed_only`.',
  after: ['EV203', 'EV206'],
  find: ({ file, config }) => {
    const choice = config.categoryChoice
    if (choice.by === 'field') return []
    const assignedCategories = choice.rules.map(({ then }) => then)
    return [
      ...file.categories.flatMap(({ id, listed_only: listedOnly }, index): Draft[] =>
        listedOnly === true ||
        assignedCategories.includes(id) ||
        listCategoriesFromContext(config).includes(id)
          ? []
          : [
              {
                at: `categories.${index}.id`,
                message: `no rule ever gives the category \`${id}\``,
                help: 'add a rule, or write listed_only: true',
              },
            ],
      ),
      ...choice.rules.flatMap(({ then, when }, index): Draft[] => {
        const listedIndex = file.categories.findIndex(
          ({ id, listed_only: listedOnly }) => id === then && listedOnly === true,
        )
        return listedIndex === -1
          ? []
          : [
              {
                at: join(getRulePath(index), when === null ? 'otherwise' : 'then'),
                message: `\`${then}\` is listed_only, but this rule gives it`,
                related: [{ at: `categories.${listedIndex}`, message: 'the category' }],
                help: 'remove `listed_only`, or give another category',
              },
            ]
      }),
    ]
  },
}

const unusedExpectsCheck: Check = {
  slug: 'expects-unused',
  severity: 'warning',
  why: 'If rules determine the category, `expects` is never used. Write the condition in the rules.',
  find: ({ file, config }) =>
    config.categoryChoice.by === 'field'
      ? []
      : file.categories.flatMap(({ expects }, index): Draft[] =>
          expects === undefined
            ? []
            : [
                {
                  at: `categories.${index}.expects`,
                  part: 'entry',
                  message: 'rules determine the category, so `expects` is never used',
                  help: 'remove `expects`, or write the condition in category.rules',
                },
              ],
        ),
}

const ruleRedundantCheck: Check = {
  slug: 'rule-redundant',
  severity: 'warning',
  why: 'A rule without effect makes the rules harder to read, and is probably a mistake.',
  after: [...NAME_ERRORS, 'EV301', 'EV302', 'EV303', 'EV304'],
  find: (model) => {
    const table = buildRuleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return choice.rules.flatMap(({ then, when }, index): Draft[] => {
      if (
        when === null ||
        !hasNoEffect(
          table,
          choice.rules.map((rule) => rule.then),
          index,
        )
      )
        return []
      return [
        {
          at: getRulePath(index),
          message: 'removing this rule changes nothing',
          notes: [`the rules below give \`${then}\` to the same delegates`],
        },
      ]
    })
  },
}

function hasNoEffect(
  { domain, rules, budget }: Extract<RuleTable, { is: 'table' }>,
  givenCategories: readonly string[],
  ruleIndex: number,
): boolean {
  return tryWithinBudget(() => {
    let remainingBoxes = rules[ruleIndex]?.decidedBoxes ?? []
    for (
      let laterIndex = ruleIndex + 1;
      laterIndex < rules.length && remainingBoxes.length > 0;
      laterIndex += 1
    ) {
      const boxes = rules[laterIndex]?.boxes ?? []
      if (
        givenCategories[laterIndex] !== givenCategories[ruleIndex] &&
        intersect(domain.space, remainingBoxes, boxes, budget).length > 0
      )
        return false
      remainingBoxes = subtract(domain.space, remainingBoxes, boxes, budget)
    }
    return remainingBoxes.length === 0
  }, false)
}

export const ruleChecks = {
  EV301: ruleIncompleteCheck,
  EV302: ruleUnreachableCheck,
  EV303: otherwiseNotLastCheck,
  EV304: otherwiseUnusedCheck,
  EV309: unprovedRulesCheck,
  EV310: categoryUnreachableCheck,
  EV312: ruleRedundantCheck,
  EV314: unusedExpectsCheck,
}
