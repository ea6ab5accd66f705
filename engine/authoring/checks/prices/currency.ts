/** Checks EV1101 to EV1110: payment methods, documents and texts fit the currencies of the event. */
import {
  acceptsCurrency,
  findBankNumbers,
  listDelegateMethods,
} from '../../../payments/payment-methods.ts'
import { getCardCapabilities } from '../../../payments/gateways/capabilities.ts'
import { formatCurrency, INR, type Currency } from '../../../lib/money.ts'
import { formatDay } from '../../../lib/time.ts'
import { listCurrenciesOfEvent, getCurrency } from '../../../rules/category.ts'
import { canApplyTo } from '../../../rules/conditions-and-operators.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { moveCurrency } from '../../suggestions/fees-currency.ts'
import { findAllAmounts } from '../texts/amounts-in-texts.ts'

/** Formats the currencies of the prices: "rupees and USD". */
const formatPriceUnit = ({ config }: Model): string =>
  listCurrenciesOfEvent(config).map(formatCurrency).join(' and ')
const hasOnlyRupees = ({ config }: Model): boolean =>
  listCurrenciesOfEvent(config).every((currency) => currency === INR)
/** Returns the categories whose currency differs from that of the event. */
const listCategoriesWithOtherCurrency = ({ config }: Model) =>
  config.categories.flatMap(({ id, currency }, index) =>
    currency === undefined || currency === config.currency ? [] : [{ id, currency, index }],
  )
/** Returns the location in the file that states a currency other than rupees: a category, or the top of the file. */
const findForeignCurrencyLocation = (model: Model) => {
  const [firstCategory] = listCategoriesWithOtherCurrency(model)
  return model.config.currency !== INR || firstCategory === undefined
    ? CURRENCY_NOTE
    : {
        at: `categories.${firstCategory.index}.currency`,
        message: `\`${firstCategory.id}\` pays in ${firstCategory.currency}`,
      }
}
const CURRENCY_NOTE = { at: 'currency', message: 'the currency of the event' } as const

const currencyStatedTwiceCheck: Check = {
  slug: 'currency-stated-twice',
  severity: 'error',
  why: 'An event has one currency, which is stated at the top of the file.',
  find: ({ file, config, source }) =>
    file.fees.currency === undefined || config.currency === INR
      ? []
      : [
          {
            at: 'fees.currency',
            message: `\`fees.currency\` is ${file.fees.currency}, but the currency of the event is ${config.currency}`,
            related: [CURRENCY_NOTE],
            help: 'remove this line: the currency is stated at the top of the file',
            ...moveCurrency(source, null),
          },
        ],
}

/** `engine/payments/gateways/capabilities.ts` lists the currencies that each gateway accepts. */
const cardCurrencyCheck: Check = {
  slug: 'card-currency',
  severity: 'error',
  why: 'The card gateway does not accept this currency, so no delegate can pay in it by card.',
  find: (model) => {
    const { payment } = model.file
    const eventCurrencies = listCurrenciesOfEvent(model.config)
    return model.config.methods.flatMap((method, index): Draft[] => {
      if (method.is !== 'card') return []
      const { label, currencies } = getCardCapabilities(method)
      if (eventCurrencies.some((currency) => currencies.includes(currency)))
        return (method.currencies ?? []).flatMap((currency, c): Draft[] =>
          currencies.includes(currency) || !eventCurrencies.includes(currency)
            ? []
            : [
                {
                  at: `payment.methods.${index}.currencies${typeof payment === 'object' && Array.isArray(payment.methods?.[index]?.currencies) ? `.${c}` : ''}`,
                  message: `${label}, the gateway of \`${method.id}\`, does not accept ${formatCurrency(currency)}`,
                  related: [{ at: `payment.methods.${index}.gateway`, message: 'the gateway' }],
                  help: `remove ${currency}, or state a gateway that accepts it: delegates who pay in ${formatCurrency(currency)} are not offered this method`,
                },
              ],
        )
      const limitation =
        currencies.length === 1 && currencies[0] === INR
          ? 'the card gateway accepts only rupees'
          : `${label} accepts only ${formatList(currencies)}`
      const at =
        typeof payment === 'object' && payment.methods !== undefined
          ? `payment.methods.${index}`
          : 'payment'
      return [
        {
          at: `${at}.gateway`,
          message: `${limitation}, but the prices of the event are in ${formatPriceUnit(model)}`,
          related: [CURRENCY_NOTE],
          help: 'use a bank transfer or a method for staff only (office_only: true) instead: both accept any currency',
        },
      ]
    })
  },
}

const upiCurrencyCheck: Check = {
  slug: 'upi-currency',
  severity: 'error',
  why: 'UPI transfers only rupees, and delegates abroad cannot use it.',
  find: (model) => {
    const { config, file } = model
    if (typeof file.payment !== 'object') return []
    return config.methods.flatMap((method, index): Draft[] => {
      const otherCurrencies = listCurrenciesOfEvent(config).filter(
        (currency) => currency !== INR && acceptsCurrency(method, currency),
      )
      if (otherCurrencies.length === 0) return []
      const isMixed = listCurrenciesOfEvent(config).includes(INR) && method.is === 'transfer'
      const hasUpiId =
        method.is === 'transfer' &&
        findBankNumbers(method.instructions).some(({ label }) => label === 'UPI ID')
      const isUpi = method.is !== 'card' && /\bupi\b/i.test(`${method.id} ${method.label}`)
      return hasUpiId || isUpi
        ? [
            {
              at: `payment.methods.${index}.${hasUpiId ? 'instructions' : 'id'}`,
              message: `UPI transfers only rupees, but the prices of the event are in ${formatPriceUnit(model)}`,
              related: [findForeignCurrencyLocation(model)],
              help: isMixed
                ? 'write currencies: INR, and add a transfer for the other categories'
                : hasUpiId
                  ? 'remove the UPI ID, and state a bank account with its IBAN or SWIFT code'
                  : 'remove this method',
            },
          ]
        : []
    })
  },
}

const roundingCurrencyCheck: Check = {
  slug: 'rounding-currency',
  severity: 'error',
  why: 'Only prices in rupees can be rounded to whole rupees. In other currencies, tax is rounded to the smallest unit.',
  find: (model) => {
    const { fees } = model.file
    if (hasOnlyRupees(model)) return []
    const taxes = [
      { tax: fees.tax, at: 'fees.tax' },
      ...(fees.items ?? []).map(({ tax }, i) => ({ tax, at: `fees.items.${i}.tax` })),
    ]
    return taxes.flatMap(({ tax, at }): Draft[] =>
      typeof tax === 'object' && tax.round === 'rupee'
        ? [
            {
              at: `${at}.round`,
              message: `\`round: rupee\` rounds to whole rupees, but the prices of the event are in ${formatPriceUnit(model)}`,
              related: [findForeignCurrencyLocation(model)],
              help: `remove \`round\`: tax is then rounded to the smallest unit of the currency`,
            },
          ]
        : [],
    )
  },
}

const amountInOtherCurrencyCheck: Check = {
  slug: 'amount-in-other-currency',
  severity: 'warning',
  why: 'Delegates expect to pay an amount that they read, but they are charged only in the currency of the event.',
  find: (model) =>
    model.config.status === 'closed'
      ? []
      : findAllAmounts(model).flatMap(({ eventText, mention }): Draft[] =>
          listCurrenciesOfEvent(model.config).includes(mention.currency)
            ? []
            : [
                {
                  at: eventText.path,
                  span: [eventText.at + mention.start, eventText.at + mention.end],
                  message: `the text says ${eventText.text.slice(mention.start, mention.end).trim()}, but the prices of the event are in ${formatPriceUnit(model)}`,
                  ...(model.file.currency === undefined ? {} : { related: [CURRENCY_NOTE] }),
                  help: `write the amount in ${formatPriceUnit(model)}, or state what the amount is for and how it is paid`,
                },
              ],
        ),
}

const unusedCurrencyCheck: Check = {
  slug: 'currency-of-no-category',
  severity: 'error',
  why: 'An amount applies to the categories that pay in its currency. If no category does, the amount is never charged.',
  find: (model) => {
    const { config, file } = model
    const eventCurrencies: readonly string[] = listCurrenciesOfEvent(config)
    const { items = [], adjustments = [] } = file.fees
    const methods = typeof file.payment === 'object' ? (file.payment.methods ?? []) : []
    const statedCurrencies = [
      ...items.flatMap(({ prices }, i) =>
        Array.isArray(prices)
          ? prices.map(({ currency }, t) => ({
              at: `fees.items.${i}.prices.${t}.currency`,
              currency,
            }))
          : [],
      ),
      ...adjustments.map(({ currency }, i) => ({ at: `fees.adjustments.${i}.currency`, currency })),
      ...methods.flatMap(({ currencies }, i) =>
        typeof currencies === 'object'
          ? currencies.map((currency, c) => ({
              at: `payment.methods.${i}.currencies.${c}`,
              currency,
            }))
          : [{ at: `payment.methods.${i}.currencies`, currency: currencies }],
      ),
    ]
    return statedCurrencies.flatMap(({ at, currency }): Draft[] =>
      currency === undefined || eventCurrencies.includes(currency)
        ? []
        : [
            {
              at,
              message: `no category pays in ${currency}; the prices of the event are in ${formatPriceUnit(model)}`,
              help: `add currency: ${currency} to a category, or write ${eventCurrencies.join(' or ')}`,
            },
          ],
    )
  },
}

const currencyWithoutMethodCheck: Check = {
  slug: 'currency-without-method',
  severity: 'error',
  why: 'A delegate whose category pays in a currency that no payment method accepts cannot pay.',
  after: ['EV1102', 'EV443'],
  find: (model) => {
    const { config } = model
    const methods = listDelegateMethods(config)
    if (methods.length === 0 || config.status === 'closed') return []
    const { closes } = config.registration
    return listCurrenciesOfEvent(config).flatMap((currency): Draft[] => {
      const acceptingMethods = methods.filter((method) => acceptsCurrency(method, currency))
      const index = config.categories.findIndex(({ id }) => getCurrency(config, id) === currency)
      const category = config.categories[index]
      const lastDay = acceptingMethods.some(({ until }) => until === undefined)
        ? null
        : (acceptingMethods
            .flatMap(({ until = [] }) => until)
            .toSorted()
            .at(-1) ?? null)
      const endsBeforeClosing = lastDay !== null && (closes === undefined || lastDay < closes)
      if (category === undefined || (acceptingMethods.length > 0 && !endsBeforeClosing)) return []
      return [
        {
          at: `categories.${index}.${category.currency === undefined ? 'id' : 'currency'}`,
          message:
            lastDay === null
              ? `\`${category.id}\` pays in ${formatCurrency(currency)}, which no payment method accepts`
              : `\`${category.id}\` pays in ${formatCurrency(currency)}, which no payment method accepts after ${formatDay(lastDay)}`,
          related: [{ at: 'payment', part: 'key', message: 'the payment methods' }],
          help: suggestMethod(methods, currency),
        },
      ]
    })
  },
}

/** Suggests how delegates could pay in a currency. Only methods whose gateways support the currency are suggested. */
function suggestMethod(
  methods: ReturnType<typeof listDelegateMethods>,
  currency: Currency,
): string {
  const transferHelp = `add a transfer with currencies: ${currency}`
  const extendableMethods = methods.filter(
    (method) =>
      method.currencies?.includes(currency) === false &&
      (method.is !== 'card' || getCardCapabilities(method).currencies.includes(currency)),
  )
  if (extendableMethods.length > 0)
    return `${transferHelp}, or add ${currency} to the currencies of ${extendableMethods.map(({ id }) => `\`${id}\``).join(' or ')}`
  const rejectingMethod = methods.find(
    (method) => method.is === 'card' && !getCardCapabilities(method).currencies.includes(currency),
  )
  return rejectingMethod === undefined
    ? transferHelp
    : `${transferHelp}: the gateway of \`${rejectingMethod.id}\` does not accept ${formatCurrency(currency)}`
}

const duplicateMethodLabelCheck: Check = {
  slug: 'methods-with-one-label',
  severity: 'error',
  why: 'Delegates choose a payment method by its label, so they cannot distinguish two methods with the same label.',
  find: (model) => {
    const { config } = model
    const choices = listDelegateMethods(config)
    return config.methods.flatMap((method, index): Draft[] => {
      if (method.is === 'desk') return []
      const otherMethod = choices.find(
        (other) =>
          other.label === method.label &&
          listCurrenciesOfEvent(config).some(
            (currency) => acceptsCurrency(other, currency) && acceptsCurrency(method, currency),
          ),
      )
      if (otherMethod === undefined || otherMethod.id === method.id) return []
      return [
        {
          at: `payment.methods.${index}.label`,
          message: `\`${otherMethod.id}\` and \`${method.id}\` are both offered as “${method.label}”`,
          related: [
            {
              at: `payment.methods.${config.methods.findIndex(({ id }) => id === otherMethod.id)}.label`,
              message: 'the other method',
            },
          ],
          help: 'write a different label for each, such as “Card (India)” and “Card (other countries)”, or give them different currencies',
        },
      ]
    })
  },
}

const offerInOtherCurrencyCheck: Check = {
  slug: 'offer-in-other-currency',
  severity: 'error',
  why: 'The currency of a registration cannot change. A delegate who accepts a category with another currency must cancel and register again.',
  find: (model) => {
    const { config } = model
    if (listCategoriesWithOtherCurrency(model).length === 0) return []
    return config.approvals.flatMap(({ when, ifRefused: { offer } }, index): Draft[] => {
      const otherCategories = config.categories.filter(
        ({ id }) => offer !== undefined && getCurrency(config, id) !== getCurrency(config, offer),
      )
      const affectedCategories = otherCategories.filter(({ id }) => canApplyTo(when, id))
      return offer === undefined || affectedCategories.length === 0
        ? []
        : [
            {
              at: `approval.${index}.if_refused.offer`,
              message: `\`${offer}\` pays in ${formatCurrency(getCurrency(config, offer))}, but a delegate in \`${affectedCategories[0]?.id}\`, whose approval may be refused, pays in ${formatCurrency(getCurrency(config, affectedCategories[0]?.id ?? null))}`,
              help: 'limit the rule with when: {category: …} to categories with the currency of the offer',
            },
          ]
    })
  },
}

const foreignContributionCheck: Check = {
  slug: 'foreign-contribution',
  severity: 'error',
  why: 'A donation in foreign currency is a foreign contribution: only a society registered under the FCRA may accept it.',
  find: (model) => {
    const { file, config } = model
    const foreignCategories = listCategoriesWithOtherCurrency(model)
    // An event abroad is not subject to Indian law.
    if (config.currency !== INR || foreignCategories.length === 0 || file.fcra !== undefined)
      return []
    return config.fees.items.flatMap((item, index): Draft[] => {
      const { when, amountIn } = item
      const donor = foreignCategories.find(({ id }) => when === undefined || canApplyTo(when, id))
      return amountIn === undefined || donor === undefined
        ? []
        : [
            {
              at: `fees.items.${index}.amount_in`,
              message: `\`${donor.id}\` pays in ${donor.currency} and can enter any amount in \`${amountIn}\``,
              related: [
                {
                  at: `categories.${donor.index}.currency`,
                  message: 'the currency of the category',
                },
              ],
              help: 'exclude the category with `when`, or add `fcra` with the society’s registration number under the Foreign Contribution (Regulation) Act',
            },
          ]
    })
  },
}

export const currencyChecks = {
  EV1101: currencyStatedTwiceCheck,
  EV1102: cardCurrencyCheck,
  EV1103: upiCurrencyCheck,
  EV1105: roundingCurrencyCheck,
  EV1106: amountInOtherCurrencyCheck,
  EV1107: unusedCurrencyCheck,
  EV1108: currencyWithoutMethodCheck,
  EV1109: offerInOtherCurrencyCheck,
  EV1110: foreignContributionCheck,
  EV1111: duplicateMethodLabelCheck,
} satisfies Checks
