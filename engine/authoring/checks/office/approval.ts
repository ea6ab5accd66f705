/**
 * Checks EV496 to EV498: staff can decide on approvals, approved delegates can pay, and offers are available.
 *
 * Delegates who need approval upload the files that staff check, can still pay afterwards, and are
 * offered only categories that are on sale.
 */
import { findApproval } from '../../../registration/approval.ts'
import { matchesCondition, passesTest } from '../../../rules/conditions-and-operators.ts'
import type { EventConfig } from '../../../event/config.ts'
import { getOwn } from '../../../lib/result.ts'
import { formatCurrency, type Currency } from '../../../lib/money.ts'
import { acceptsCurrency, listDelegateMethods } from '../../../payments/payment-methods.ts'
import { getCurrency, listCurrenciesOfEvent } from '../../../rules/category.ts'
import {
  checkRegistrationOpen,
  findPeriodOn,
  listPeriodEdges,
  listPeriodsOfCategory,
} from '../../../pricing/price-periods.ts'
import { quoteCategory } from '../../../pricing/quote.ts'
import { addDays, formatDay, type Day } from '../../../lib/time.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { listVisibilityConditions } from '../../proofs/fields-in-conditions.ts'
import { tryWithinBudget } from '../../proofs/sets-of-answers.ts'
import { buildItemDistinctions } from '../../proofs/item-prices.ts'
import { describeAnswers } from '../../proofs/describe-example.ts'
import { collectAnswers, pathState } from '../../proofs/example-answers.ts'
import { CATEGORY, listConditionNames, searchAnswers } from '../../proofs/walk-form.ts'
import type { Answers } from '../../../event/answer-types.ts'

type Rule = EventConfig['approvals'][number]

/** The search for answers that match a rule stops after this many steps. */
const MAX_STEPS = 50_000

/**
 * Returns answers that match the rule but omit the file. Returns null if there are no such answers, or too many to
 * search.
 */
function findAnswersWithoutField(event: EventConfig, rule: Rule, fileId: string): Answers | null {
  const visibilityConditions = listVisibilityConditions(event, fileId)
  let foundAnswers: Answers | null = null
  const searchPath = (): null => {
    searchAnswers(
      event,
      [
        {
          reads: [...listConditionNames([rule.when, ...visibilityConditions]), fileId, CATEGORY],
          conditions: [rule.when, ...visibilityConditions],
          visit: ({ answers, category }, path) => {
            const isRuleApplied = findApproval(event.approvals, answers, category)?.id === rule.id
            if (foundAnswers === null && isRuleApplied && getOwn(answers, fileId) === undefined)
              foundAnswers = collectAnswers(path)
            return null
          },
        },
      ],
      pathState,
      buildItemDistinctions([]),
      { remaining: MAX_STEPS },
    )
    return null
  }
  tryWithinBudget(searchPath, null)
  return foundAnswers
}

const approvalWithoutFileCheck: Check = {
  slug: 'approval-without-file',
  severity: 'error',
  why: 'A delegate could register without the document, and staff would have nothing to approve.',
  after: ['EV201', 'EV202', 'EV203', 'EV206', 'EV216'],
  find: ({ config, fields }) =>
    config.approvals.flatMap((rule, i) =>
      rule.documents.flatMap((file, index): Draft[] => {
        const answersWithoutFile = findAnswersWithoutField(config, rule, file)
        const fileField = fields.find(({ id }) => id === file)
        if (answersWithoutFile === null || fileField === undefined) return []
        const example = describeAnswers({ answers: answersWithoutFile })
        return [
          {
            at: `approval.${i}.documents.${index}`,
            message: `\`${file}\` can be left empty by delegates to whom \`${rule.id}\` applies${example === '' ? '' : ` (${example})`}`,
            related: [{ at: `${fileField.path}.id`, message: 'asked here' }],
            help: 'make the field required, and show it to all these delegates',
          },
        ]
      }),
    ),
}

/** Returns the categories to which a rule may apply. */
const listCategories = ({ categories }: EventConfig, { when }: Rule): readonly string[] =>
  categories
    .map(({ id }) => id)
    .filter((id) =>
      when.some((map) =>
        map.every(({ field, test }) => field !== CATEGORY || passesTest(test, id)),
      ),
    )

/** Returns the last day on which any of the categories is on sale, or null if there is no such day. */
function findLastDayOnSale(event: EventConfig, categories: readonly string[]): Day | null {
  const { closes } = event.registration
  if (closes === undefined) return null
  const lastDays = listPeriodEdges(event.fees)
    .map((edge) => addDays(edge, -1))
    .filter((day) => day <= closes)
  const isSold = (day: Day): boolean => {
    return (
      checkRegistrationOpen({ ...event, status: 'open' }, day).open &&
      (event.fees.prices === null ||
        categories.some(
          (category) =>
            quoteCategory(event, category, findPeriodOn(event.fees, day, category)?.id ?? '') !==
            null,
        ))
    )
  }
  return [closes, ...lastDays].filter(isSold).toSorted().at(-1) ?? null
}

/** Returns the last day for payment in a currency, and the event or payment method that determines it. */
function findLastPaymentDay(
  { config, file }: Model,
  currency: Currency,
): {
  readonly day: Day
  readonly description: string
  readonly at: string
  /** The method that ends before the event; null if the event is the end of payment. */
  readonly methodId: string | null
} {
  const methods = listDelegateMethods(config).filter((method) => acceptsCurrency(method, currency))
  const lastMethod = methods.toSorted((a, b) =>
    (a.until ?? config.to) < (b.until ?? config.to) ? 1 : -1,
  )[0]
  const eventEnd = {
    day: config.to,
    description: 'the event ends',
    at: 'event.to',
    methodId: null,
  }
  if (lastMethod?.until === undefined) return eventEnd
  const writtenMethods =
    typeof file.payment === 'object' && 'methods' in file.payment ? file.payment.methods : []
  const index = writtenMethods.findIndex(({ id }) => id === lastMethod.id)
  const isOnlyCurrency = listCurrenciesOfEvent(config).length === 1
  return {
    day: lastMethod.until,
    description: `payment ${isOnlyCurrency ? '' : `in ${formatCurrency(currency)} `}by ${lastMethod.label} ends`,
    at: `payment.methods.${index}.until`,
    methodId: lastMethod.id,
  }
}

const approvedTooLateCheck: Check = {
  slug: 'approved-too-late',
  severity: 'error',
  why: 'A delegate who is approved after payment has ended cannot pay.',
  after: ['EV203', 'EV204', 'EV206', 'EV418', 'EV419', 'EV1108'],
  find: (model) =>
    model.config.approvals.flatMap((rule, index): Draft[] =>
      // A payment method may accept only the currency of some categories.
      groupByCurrency(model.config, listCategories(model.config, rule)).flatMap(
        ({ currency, categories }): Draft[] => {
          const lastSaleDay = findLastDayOnSale(model.config, categories)
          const lastPayment = findLastPaymentDay(model, currency)
          if (lastSaleDay === null) return []
          const lastDecisionDay = addDays(lastSaleDay, rule.decideWithinDays)
          if (lastDecisionDay <= lastPayment.day) return []
          const isInTimeWithoutUntil =
            lastPayment.methodId !== null && lastDecisionDay <= model.config.to
          const firstLateDay = addDays(lastPayment.day, 1 - rule.decideWithinDays)
          const registrationDay = firstLateDay < lastSaleDay ? firstLateDay : lastSaleDay
          return [
            {
              at: `approval.${index}.decide_within`,
              message: `a delegate who registers on ${formatDay(registrationDay)} is approved by ${formatDay(addDays(registrationDay, rule.decideWithinDays))}, but ${lastPayment.description} on ${formatDay(lastPayment.day)}`,
              related: [{ at: lastPayment.at, message: 'the last day for payment' }],
              help: `shorten decide_within, or sell ${categories.join(', ')} only until ${addDays(lastPayment.day, -rule.decideWithinDays)}${isInTimeWithoutUntil ? `, or remove \`until\` of \`${lastPayment.methodId}\`` : ''}`,
            },
          ]
        },
      ),
    ),
}

/** Groups categories by the currency in which they pay. */
function groupByCurrency(
  event: EventConfig,
  categories: readonly string[],
): readonly { readonly currency: Currency; readonly categories: readonly string[] }[] {
  return listCurrenciesOfEvent(event)
    .map((currency) => ({
      currency,
      categories: categories.filter((category) => getCurrency(event, category) === currency),
    }))
    .filter((group) => group.categories.length > 0)
}

/** Returns the reason why delegates cannot accept the offered category, or null if they can. */
function explainUnavailableOffer(
  event: EventConfig,
  { when, ifRefused: { offer } }: Rule,
): string | null {
  if (offer === undefined) return null
  const dependsOnlyOnCategory = when.some((map) => map.every(({ field }) => field === CATEGORY))
  if (dependsOnlyOnCategory && matchesCondition(when, {}, offer))
    return `the same rule also applies to \`${offer}\``
  const isOnSale = listPeriodsOfCategory(event.fees, offer).some(
    ({ id }) => quoteCategory(event, offer, id) !== null,
  )
  return isOnSale || event.fees.prices === null ? null : `\`${offer}\` is not on sale in any period`
}

const approvalOfferUnavailableCheck: Check = {
  slug: 'approval-offer-leads-back',
  severity: 'error',
  why: 'A delegate cannot accept an offer that is not on sale or needs the same approval.',
  after: ['EV203', 'EV206'],
  find: ({ config }) =>
    config.approvals.flatMap((rule, index): Draft[] => {
      const reason = explainUnavailableOffer(config, rule)
      return reason === null
        ? []
        : [
            {
              at: `approval.${index}.if_refused.offer`,
              message: reason,
              help: 'offer a category that is on sale and needs no approval, or offer none',
            },
          ]
    }),
}

export const approvalChecks = {
  EV496: approvalWithoutFileCheck,
  EV497: approvedTooLateCheck,
  EV498: approvalOfferUnavailableCheck,
} satisfies Checks
