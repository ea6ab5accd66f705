/** Checks EV640, EV641, EV643, EV644: unlikely adjustments, preselected answers and free categories. */
import type { Condition } from '../../../event/answer-types.ts'
import { REGISTRATION_LINE_ID } from '../../../event/pricing-types.ts'
import { METHOD_NAME } from '../../../rules/pricing-context.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks } from '../../checked-file.ts'
import { TABLE_ERRORS, listItemCells, listTableCells } from './fees.ts'

/** Returns the categories that a condition accepts, or null if it accepts any category. */
function findAcceptedCategories(when: Condition | undefined): ReadonlySet<unknown> | null {
  if (when === undefined) return null
  const values = when.map((map) =>
    map.flatMap(({ field, test }) => (field === 'category' && test.is === 'in' ? test.values : [])),
  )
  return values.some((list) => list.length === 0) ? null : new Set(values.flat())
}

const adjustmentWithoutEffectCheck: Check = {
  slug: 'adjustment-without-effect',
  severity: 'warning',
  why: 'A percentage of zero is zero, and a line is never negative. Delegates do not get the discount, or do not pay the charge.',
  after: [...TABLE_ERRORS, 'EV401', 'EV217', 'EV475'],
  find: (model) => {
    const { items, adjustments } = model.config.fees
    return adjustments.flatMap(({ id, on, by, when }, index): Draft[] => {
      if (on === 'all' || ('amount' in by && by.amount > 0)) return []
      const acceptedCategories = findAcceptedCategories(when)
      const amounts =
        on === REGISTRATION_LINE_ID
          ? listTableCells(model).flatMap(({ category, amount }) =>
              acceptedCategories === null || acceptedCategories.has(category) ? [amount] : [],
            )
          : listItemCells(model).flatMap((cell) =>
              items[cell.item]?.id === on ? [cell.amount] : [],
            )
      const hasOpenAmount = items.some((item) => item.id === on && item.amountIn !== undefined)
      if (hasOpenAmount || amounts.some((amount) => (amount ?? 0) > 0)) return []
      const raw = model.file.fees.adjustments?.[index]
      const otherItemId = items.find((item) => item.id !== on)?.id
      return [
        {
          at: `fees.adjustments.${index}${raw?.on === undefined ? '.id' : '.on'}`,
          message: `\`${id}\` changes nothing: ${on === REGISTRATION_LINE_ID ? 'the registration' : `\`${on}\``} is free for all delegates to whom it applies`,
          help: `write on: all${otherItemId === undefined ? '' : `, or an item such as on: ${otherItemId}`}, or remove the adjustment`,
        },
      ]
    })
  },
}

const methodChargePartialCheck: Check = {
  slug: 'method-charge-partial',
  severity: 'note',
  why: 'The gateway charges its fee on the whole payment, not only on the registration.',
  after: [...TABLE_ERRORS, 'EV640'],
  find: (model) =>
    model.config.fees.adjustments.flatMap(({ id, by, when }, index): Draft[] => {
      const dependsOnMethod = (when ?? []).some((map) =>
        map.some(({ field }) => field === METHOD_NAME),
      )
      const isStated = model.file.fees.adjustments?.[index]?.on !== undefined
      return !dependsOnMethod ||
        isStated ||
        !('percent' in by) ||
        !listItemCells(model).some(({ amount }) => (amount ?? 0) > 0)
        ? []
        : [
            {
              at: `fees.adjustments.${index}.id`,
              message: `\`${id}\` changes the price of the registration, but not of the items`,
              help: 'write on: all for the whole bill, or on: registration to change only the registration',
            },
          ]
    }),
}

const preselectedPriceCheck: Check = {
  slug: 'preselected-price',
  severity: 'warning',
  why: 'A delegate who does not change the answer pays, or pays less, without having made a choice.',
  after: ['EV201', 'EV206', 'EV461', 'EV462', 'EV502'],
  find: (model) => [
    ...model.config.fees.items.flatMap((item, index): Draft[] => {
      const field = model.fields.find(({ id }) => id === item.by)
      const defaultOption = field?.raw.default
      if (field === undefined || typeof defaultOption !== 'string') return []
      const costsMoney = (row: string): boolean =>
        listItemCells(model).some(
          (cell) => cell.item === index && cell.row === row && (cell.amount ?? 0) > 0,
        )
      const otherOptions = (field.field.options ?? []).filter(({ id }) => id !== defaultOption)
      // If the answer is optional, leaving it out costs nothing.
      const isOptional = field.field.required === undefined && otherOptions.length > 0
      const isOtherFree = otherOptions.some(({ id }) => !costsMoney(id))
      return costsMoney(defaultOption) && (isOtherFree || isOptional)
        ? [
            {
              at: `${field.path}.default`,
              message: `the preselected option \`${defaultOption}\` costs money, but ${isOtherFree ? 'another option does not' : 'the question is optional'}`,
              related: [{ at: `fees.items.${index}.id`, message: 'charged here' }],
              help: isOtherFree
                ? 'preselect an option that is free, or remove default'
                : 'remove default',
            },
          ]
        : []
    }),
    ...model.config.fees.adjustments.flatMap(({ id, when, by }, index): Draft[] => {
      const test = (when ?? [])
        // Tests of the category are ignored: within a category, only the other answer matters.
        .flatMap((map) => {
          const answers = map.filter(({ field }) => field !== 'category')
          return answers.length === 1 ? answers : []
        })
        .find(
          (candidate) =>
            candidate.test.is === 'in' &&
            candidate.test.values.length === 1 &&
            candidate.test.values[0] === true,
        )
      const field = model.fields.find((candidate) => candidate.id === test?.field)
      return field?.raw.default !== true
        ? []
        : [
            {
              at: `${field.path}.default`,
              message: `\`${id}\` is preselected: every delegate${findAcceptedCategories(when) === null ? '' : ' of its categories'} who does not change \`${field.id}\` ${('amount' in by ? by.amount : by.percent) > 0 ? 'pays it' : 'gets it'}`,
              related: [{ at: `fees.adjustments.${index}.id`, message: 'applied here' }],
              help: 'write default: false',
            },
          ]
    }),
  ],
}

/** Words for categories that delegates get by invitation instead of by payment. */
const INVITED_WORDS =
  /\b(?:invite[ed]\w*|of honou?r|speakers?|organi[sz]ers?|organi[sz]ing|committee|vip|sponsors?|complimentary|chairpersons?|resource persons?)\b/i

const invitedCategoryOpenCheck: Check = {
  slug: 'invited-category-open',
  severity: 'warning',
  why: 'Any delegate can choose the category and register without paying.',
  after: [...TABLE_ERRORS, 'EV401'],
  find: (model) => {
    const { config, file } = model
    if (config.categoryChoice.by !== 'field') return []
    const cells = listTableCells(model)
    const isFree = (id: string): boolean =>
      cells.some(({ category }) => category === id) &&
      cells.every(({ category, amount }) => category !== id || amount === null || amount === 0)
    const isApproved = (id: string): boolean =>
      config.approvals.some(({ when }) => findAcceptedCategories(when)?.has(id) ?? true)
    if (config.categories.every(({ id }) => isFree(id))) return []
    return config.categories.flatMap(({ id, label, listedOnly }, index): Draft[] =>
      listedOnly || !isFree(id) || isApproved(id) || !INVITED_WORDS.test(`${id} ${label}`)
        ? []
        : [
            {
              at: `categories.${index}${file.categories[index]?.label === undefined ? '.id' : '.label'}`,
              message: `every delegate can choose “${label}”, which is free`,
              help: 'write listed_only: true and a code that gives the category, or an approval rule for it',
            },
          ],
    )
  },
}

export const unlikelyAdjustmentChecks = {
  EV640: adjustmentWithoutEffectCheck,
  EV641: methodChargePartialCheck,
  EV643: preselectedPriceCheck,
  EV644: invitedCategoryOpenCheck,
} satisfies Checks
