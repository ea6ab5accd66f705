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
  WORK_MAX,
  type Box,
  type Budget,
} from '../../proofs/sets-of-answers.ts'
import type { Draft } from '../../finding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { Check, Model } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'

type RuleBoxes = {
  readonly boxes: readonly Box[]
  /** The answers that the rule decides: no rule above matches them. */ readonly hit: readonly Box[]
}
export type RuleTable =
  | { readonly is: 'none' }
  | { readonly is: 'too-large' }
  | {
      readonly is: 'table'
      readonly domain: Domain
      readonly rules: readonly RuleBoxes[]
      /** Answers that no rule matches. */ readonly open: readonly Box[]
      readonly budget: Budget
    }

/** The rules as disjoint boxes; computed once per model. */
const buildRuleTable = memoize(({ config }: Model): RuleTable => {
  const choice = config.categoryChoice
  if (choice.by === 'field') return { is: 'none' }
  const budget = { left: WORK_MAX }
  return tryWithinBudget(
    (): RuleTable => {
      const domain = buildDomain(
        config,
        choice.rules.flatMap(({ when }) => (when === null ? [] : [when])),
      )
      // A delegate whose discount code gives a category never reaches the rules.
      const past = buildUnlistedCodesCondition(config)
      let open = subtract(
        domain.space,
        listAllBoxes(domain),
        [...domain.impossible, ...(past.length === 0 ? [] : toBoxes(domain, past))],
        budget,
      )
      const rules = choice.rules.map(({ when }): RuleBoxes => {
        const boxes = when === null ? listAllBoxes(domain) : toBoxes(domain, when)
        const hit = splitIntoDisjoint(domain, intersect(domain.space, open, boxes, budget), budget)
        open = subtract(domain.space, open, boxes, budget)
        return { boxes, hit }
      })
      return { is: 'table', domain, rules, open, budget }
    },
    { is: 'too-large' },
  )
})

function buildUnlistedCodesCondition({ codeKinds }: EventConfig): Condition {
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

const getRulePath = (at: number): string => `category.rules.${at}`
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
/** The number of unmatched answers that are printed; the rest are counted. */
const BOXES_SHOWN = 4

const ruleIncompleteCheck: Check = {
  slug: 'rule-incomplete',
  severity: 'error',
  why: 'A delegate to whom no rule applies has no price and cannot register.',
  after: [...NAME_ERRORS, 'EV303'],
  find: (model) => {
    const table = buildRuleTable(model)
    if (table.is !== 'table' || table.open.length === 0) return []
    const hiddenCount = table.open.length - BOXES_SHOWN
    const notes = table.open
      .slice(0, BOXES_SHOWN)
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
  why: 'A rule that never applies indicates a mistake in this rule or in one above it.',
  after: [...NAME_ERRORS, 'EV303'],
  find: (model) => {
    const table = buildRuleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return table.rules.flatMap(({ hit, boxes }, index): Draft[] => {
      if (hit.length > 0 || boxes.length === 0 || choice.rules[index]?.when === null) return []
      const recipients = findCoveringRules(table, index)
      const ruleText = formatList(
        recipients.map((recipient) => `rule ${recipient + 1}`),
        COVERING_RULES_MAX,
        ' and ',
      )
      return [
        {
          at: getRulePath(index),
          message: 'this rule is never reached',
          related: recipients
            .slice(0, COVERING_RULES_MAX)
            .map((recipient) => ({ at: getRulePath(recipient), message: 'covered here' })),
          notes: [
            recipients.length === 0
              ? 'no delegate can give the answers that it requires'
              : `all delegates to whom it applies are covered by ${ruleText} above`,
          ],
        },
      ]
    })
  },
}

/** If this many rules together cover a rule, listing each does not help. */
const COVERING_RULES_MAX = 8

/**
 * Returns the fewest rules above that together cover a rule: all that overlap it, removed one by
 * one while the rest still covers it.
 */
function findCoveringRules(
  { domain, rules, budget }: Extract<RuleTable, { is: 'table' }>,
  at: number,
): readonly number[] {
  const ownBoxes = rules[at]?.boxes ?? []
  const possible = tryWithinBudget(
    () => subtract(domain.space, ownBoxes, domain.impossible, budget),
    ownBoxes,
  )
  const covers = (recipients: readonly number[]): boolean =>
    subtract(
      domain.space,
      possible,
      recipients.flatMap((recipient) => rules[recipient]?.boxes ?? []),
      budget,
    ).length === 0
  const touching = rules.flatMap((_rule, other) =>
    other < at &&
    tryWithinBudget(
      () => intersect(domain.space, possible, rules[other]?.boxes ?? [], budget).length > 0,
      true,
    )
      ? [other]
      : [],
  )
  return tryWithinBudget(
    () =>
      touching.reduce<readonly number[]>(
        (remaining, entry) =>
          covers(remaining.filter((other) => other !== entry))
            ? remaining.filter((other) => other !== entry)
            : remaining,
        touching,
      ),
    touching,
  )
}

const otherwiseNotLastCheck: Check = {
  slug: 'otherwise-not-last',
  severity: 'error',
  why: '`otherwise` covers all remaining delegates.',
  find: ({ file }) => {
    const rules = file.category.rules ?? []
    const first = rules.findIndex(({ otherwise }) => otherwise !== undefined)
    if (first === -1 || first === rules.length - 1) return []
    return [
      {
        at: getRulePath(first),
        message: 'rules after `otherwise` are never reached',
        related: [{ at: getRulePath(first + 1), message: 'the first of them' }],
        help: 'move it to the end',
      },
    ]
  },
}

const otherwiseUnusedCheck: Check = {
  slug: 'otherwise-unused',
  severity: 'warning',
  why: 'A rule that covers no delegate suggests that the rules above cover too many.',
  after: [...NAME_ERRORS, 'EV303'],
  find: (model) => {
    const table = buildRuleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return table.rules.flatMap(({ hit }, index): Draft[] =>
      choice.rules[index]?.when === null && hit.length === 0
        ? [{ at: getRulePath(index), message: 'the rules above already cover every answer' }]
        : [],
    )
  },
}

const tooLargeToProveCheck: Check = {
  slug: 'too-large-to-prove',
  severity: 'note',
  why: 'The check was not completed, so the result is unknown.',
  after: NAME_ERRORS,
  find: (model) =>
    buildRuleTable(model).is === 'too-large'
      ? [
          {
            at: 'category.rules',
            part: 'key',
            message: 'there are too many rules to check that they are complete',
            notes: [`the check stopped after ${WORK_MAX} steps`],
            help: 'end with {otherwise: …}, and add examples',
          },
        ]
      : [],
}

const categoryUnreachableCheck: Check = {
  slug: 'category-unreachable',
  severity: 'error',
  why: 'A category has a price but no delegate ever gets it, or it is `listed_only` but a rule gives it.',
  after: ['EV203', 'EV206'],
  find: ({ file, config }) => {
    const choice = config.categoryChoice
    if (choice.by === 'field') return []
    const assigned = choice.rules.map(({ then }) => then)
    return [
      ...file.categories.flatMap(({ id, listed_only: listedOnly }, index): Draft[] =>
        listedOnly === true ||
        assigned.includes(id) ||
        listCategoriesFromContext(config).includes(id)
          ? []
          : [
              {
                at: `categories.${index}.id`,
                message: `no rule ever gives the category \`${id}\``,
                help: 'add a rule, or mark it listed_only: true',
              },
            ],
      ),
      ...choice.rules.flatMap(({ then, when }, index): Draft[] => {
        const listed = file.categories.findIndex(
          ({ id, listed_only: listedOnly }) => id === then && listedOnly === true,
        )
        return listed === -1
          ? []
          : [
              {
                at: join(getRulePath(index), when === null ? 'otherwise' : 'then'),
                message: `\`${then}\` is listed_only, but this rule gives it`,
                related: [{ at: `categories.${listed}`, message: 'listed_only here' }],
                help: 'remove listed_only, or give another category',
              },
            ]
      }),
    ]
  },
}

const expectsUnusedCheck: Check = {
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
                  message: 'rules determine the category here, so this is never used',
                  help: 'remove it, or write the condition in category.rules',
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
          notes: [`the rules below give \`${then}\` to the same people`],
        },
      ]
    })
  },
}

function hasNoEffect(
  { domain, rules, budget }: Extract<RuleTable, { is: 'table' }>,
  gives: readonly string[],
  at: number,
): boolean {
  return tryWithinBudget(() => {
    let left = rules[at]?.hit ?? []
    for (let below = at + 1; below < rules.length && left.length > 0; below += 1) {
      const boxes = rules[below]?.boxes ?? []
      if (gives[below] !== gives[at] && intersect(domain.space, left, boxes, budget).length > 0)
        return false
      left = subtract(domain.space, left, boxes, budget)
    }
    return left.length === 0
  }, false)
}

export const ruleChecks = {
  EV301: ruleIncompleteCheck,
  EV302: ruleUnreachableCheck,
  EV303: otherwiseNotLastCheck,
  EV304: otherwiseUnusedCheck,
  EV309: tooLargeToProveCheck,
  EV310: categoryUnreachableCheck,
  EV312: ruleRedundantCheck,
  EV314: expectsUnusedCheck,
}
