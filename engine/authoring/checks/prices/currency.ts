/** Checks EV1101 to EV1106: payment methods, documents and texts fit the event's currency. */
import { bankNumbers } from '../../../payments/payment-methods.ts'
import { gatewayCapabilities } from '../../../payments/gateways/capabilities.ts'
import { currencyInText, INR } from '../../../lib/money.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { moveCurrency } from '../../suggestions/fees-currency.ts'
import { findAllAmounts } from '../texts/amounts-in-texts.ts'

const priceUnit = ({ config }: Model): string => currencyInText(config.currency)
const CURRENCY = { at: 'currency', message: 'the currency of the event' } as const

const statedTwice: Check = {
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
            related: [CURRENCY],
            help: 'remove this line: the currency is stated at the top of the file',
            ...moveCurrency(source, null),
          },
        ],
}

/** The currencies of each gateway: engine/payments/gateways/capabilities.ts. */
const card: Check = {
  slug: 'card-currency',
  severity: 'error',
  why: 'The card gateway does not accept this currency, so no delegate could pay by card.',
  find: (model) => {
    const { payment } = model.file
    if (model.config.payment === null) return []
    const { label, currencies } = gatewayCapabilities(model.config.payment.gateway)
    if (currencies.includes(model.config.currency)) return []
    const accepted =
      currencies.length === 1 && currencies[0] === INR
        ? 'the card gateway accepts only rupees'
        : `${label} accepts only ${formatList(currencies)}`
    const at =
      typeof payment === 'object' && payment.methods !== undefined
        ? `payment.methods.${payment.methods.findIndex(({ gateway }) => gateway !== undefined)}`
        : 'payment'
    return [
      {
        at: `${at}.gateway`,
        message: `${accepted}, but the prices of the event are in ${priceUnit(model)}`,
        related: [CURRENCY],
        help: 'replace it by a bank transfer or a method for staff only (office_only: true): they accept any currency',
      },
    ]
  },
}

const upi: Check = {
  slug: 'upi-currency',
  severity: 'error',
  why: 'UPI transfers only rupees. A delegate abroad cannot use it at all.',
  find: (model) => {
    const { config, file } = model
    if (config.currency === INR || typeof file.payment !== 'object') return []
    return config.methods.flatMap((method, index): Draft[] => {
      const hasUpiId =
        method.is === 'transfer' &&
        bankNumbers(method.instructions).some(({ label }) => label === 'UPI ID')
      const isUpi = method.is !== 'card' && /\bupi\b/i.test(`${method.id} ${method.label}`)
      return hasUpiId || isUpi
        ? [
            {
              at: `payment.methods.${index}.${hasUpiId ? 'instructions' : 'id'}`,
              message: `UPI transfers only rupees, but the prices of the event are in ${priceUnit(model)}`,
              related: [CURRENCY],
              help: hasUpiId
                ? 'remove the UPI ID, and state a bank account with its IBAN or SWIFT code'
                : 'remove this method',
            },
          ]
        : []
    })
  },
}

const invoice: Check = {
  slug: 'invoice-currency',
  severity: 'error',
  why: 'An Indian tax invoice in another currency must also state its value in rupees, with the rate of the day. Rollcall does not do this yet.',
  find: (model) =>
    model.file.invoice === undefined || model.config.currency === INR
      ? []
      : [
          {
            at: 'invoice',
            part: 'key',
            message: `invoices are supported only in rupees for now; the prices of the event are in ${priceUnit(model)}`,
            related: [CURRENCY],
            help: 'remove `invoice`: payers then get a receipt',
          },
        ],
}

const rounding: Check = {
  slug: 'rounding-currency',
  severity: 'error',
  why: 'Whole rupees are a rounding unit of prices in rupees. In other currencies tax is rounded to the smallest unit.',
  find: (model) => {
    const { fees } = model.file
    if (model.config.currency === INR) return []
    const taxes = [
      { tax: fees.tax, at: 'fees.tax' },
      ...(fees.items ?? []).map(({ tax }, i) => ({ tax, at: `fees.items.${i}.tax` })),
    ]
    return taxes.flatMap(({ tax, at }): Draft[] =>
      typeof tax === 'object' && tax.round === 'rupee'
        ? [
            {
              at: `${at}.round`,
              message: `\`round: rupee\` rounds to whole rupees, but the prices of the event are in ${priceUnit(model)}`,
              related: [CURRENCY],
              help: `remove \`round\`: tax is then rounded to the smallest unit of ${priceUnit(model)}`,
            },
          ]
        : [],
    )
  },
}

const otherCurrency: Check = {
  slug: 'amount-in-other-currency',
  severity: 'warning',
  why: 'Delegates expect to pay an amount that a text states. It is charged in the currency of the event, or not at all.',
  find: (model) =>
    model.config.status === 'closed'
      ? []
      : findAllAmounts(model).flatMap(({ readable, mention }): Draft[] =>
          mention.currency === model.config.currency
            ? []
            : [
                {
                  at: readable.path,
                  span: [readable.at + mention.start, readable.at + mention.end],
                  message: `the text says ${readable.text.slice(mention.start, mention.end).trim()}, but the prices of the event are in ${priceUnit(model)}`,
                  ...(model.file.currency === undefined ? {} : { related: [CURRENCY] }),
                  help: `write the amount in ${priceUnit(model)}, or state what it is for and how it is paid`,
                },
              ],
        ),
}

export const currency = {
  EV1101: statedTwice,
  EV1102: card,
  EV1103: upi,
  EV1104: invoice,
  EV1105: rounding,
  EV1106: otherCurrency,
} satisfies Checks
