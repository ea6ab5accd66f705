/** Checks EV1143 to EV1145: tax rules replace a tax, each rule can apply, and pages state the charged tax. */
import { formatDay } from '../../../lib/time.ts'
import type { TaxRule } from '../../../event/pricing-types.ts'
import { isTaxRuleActive } from '../../../pricing/tax-rules.ts'
import { listBillDays } from '../../proofs/price-days.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'

const RULES_PATH = 'fees.tax_rules'

/** Returns the tax rules of the fees, then those of each item, with their paths. */
const listRules = ({ config, file }: Model) => [
  { path: RULES_PATH, rules: config.fees.taxRules ?? [], raw: file.fees.tax_rules },
  ...config.fees.items.map(({ ownTaxRules }, i) => ({
    path: `fees.items.${i}.tax_rules`,
    rules: ownTaxRules ?? [],
    raw: file.fees.items?.[i]?.tax_rules,
  })),
]

const taxRulesWithoutTaxCheck: Check = {
  slug: 'tax-rules-without-tax',
  severity: 'error',
  why: 'A delegate to whom no rule applies pays the tax in `tax`, so `tax` must be set.',
  find: ({ file }) => {
    const items = (file.fees.items ?? []).map(({ tax = file.fees.tax, tax_rules }, i) => ({
      at: `fees.items.${i}.tax_rules`,
      rules: tax_rules,
      isTaxed: tax !== undefined && tax !== 'none',
    }))
    const fees = {
      at: RULES_PATH,
      rules: file.fees.tax_rules,
      isTaxed: file.fees.tax !== undefined,
    }
    return [fees, ...items].flatMap(({ at, rules, isTaxed }): Draft[] =>
      rules === undefined || isTaxed
        ? []
        : [
            {
              at,
              part: 'key',
              message: 'there is no `tax` for the delegates to whom no rule applies',
              help: 'add tax: {name: …, percent: …, prices: …}, with percent: 0 if they pay none',
            },
          ],
    )
  },
}

/** Returns whether an earlier rule applies to every delegate on every day of a rule. */
const isCovered = (earlierRule: TaxRule, rule: TaxRule): boolean =>
  earlierRule.when === undefined &&
  (earlierRule.from === undefined || (rule.from !== undefined && earlierRule.from <= rule.from)) &&
  (earlierRule.to === undefined || (rule.to !== undefined && rule.to <= earlierRule.to))

const taxRuleNeverAppliesCheck: Check = {
  slug: 'tax-rule-never-applies',
  severity: 'warning',
  why: 'Only the first tax rule that applies is used, so delegates would pay a different tax from the one in this rule.',
  after: ['EV406', 'EV407'],
  find: (model) =>
    listRules(model).flatMap(({ path, rules, raw }) =>
      rules.flatMap((rule, index): Draft[] => {
        const earlierIndex = rules.findIndex((earlier, i) => i < index && isCovered(earlier, rule))
        if (earlierIndex >= 0)
          return [
            {
              at: `${path}.${index}`,
              message: 'an earlier rule applies to every delegate on every day of this rule',
              related: [{ at: `${path}.${earlierIndex}`, message: 'the earlier rule' }],
              help: 'move this rule up, or limit the earlier rule with `when`, `from` or `to`',
            },
          ]
        if (listBillDays(model.config).some(({ on }) => isTaxRuleActive(rule, on))) return []
        const { from, to } = raw?.[index] ?? {}
        const statedDay = rule.from ?? rule.to
        return statedDay === undefined || (from === undefined && to === undefined)
          ? []
          : [
              {
                at: `${path}.${index}.${rule.from === undefined ? 'to' : 'from'}`,
                message: `this rule applies ${rule.from === undefined ? 'to' : 'from'} ${formatDay(statedDay)}, but registration is not open on any of its days`,
                help: 'check the year, or remove the rule',
              },
            ]
      }),
    ),
}

const taxRulesSplitTotalCheck: Check = {
  slug: 'tax-rules-split-total',
  severity: 'error',
  why: 'The result page would calculate the tax from the total at one rate, not at the rate that was charged.',
  find: (model) => {
    const firstRules = listRules(model).find(({ rules }) => rules.length > 0)
    return firstRules === undefined || model.config.results.amounts !== 'split-total'
      ? []
      : [
          {
            at: 'results.amounts',
            message: '`split-total` uses only one tax rate, but `tax_rules` contains others',
            related: [{ at: firstRules.path, part: 'key', message: 'the tax rules' }],
            help: 'remove results.amounts: the page then shows the amounts of the bill',
          },
        ]
  },
}

export const taxRuleChecks = {
  EV1143: taxRulesWithoutTaxCheck,
  EV1144: taxRuleNeverAppliesCheck,
  EV1145: taxRulesSplitTotalCheck,
} satisfies Checks
