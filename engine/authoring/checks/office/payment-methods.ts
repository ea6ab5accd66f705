/**
 * Checks EV215, EV443 to EV448, EV458 and EV1146: payment is possible on every day of registration.
 *
 * Transfers expire on a day that has a price, and the gateway accepts the length of the order ids.
 */
import { findBankNumbers, listDelegateMethods } from '../../../payments/payment-methods.ts'
import { describeMethod, isDeskPayment, isManualMethod } from '../../../payments/manual-payment.ts'
import { type PaymentMethod } from '../../../event/payment-method-types.ts'
import { findPeriodOn } from '../../../pricing/price-periods.ts'
import { addDays, countDaysBetween, formatDay, type Day } from '../../../lib/time.ts'
import type { Draft } from '../../finding.ts'
import { findPatternFault } from '../../schema/answer-pattern.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { PaymentMethodEntry as WrittenMethod } from '../../schema/payment-section-types.ts'
import {
  suggestClosingDay,
  findDayInEventYear,
  isBeforeSale,
  suggestYear,
  getStatedOpeningDay,
} from '../dates/registration-window.ts'

const listWrittenMethods = ({ file: { payment } }: Model): readonly WrittenMethod[] =>
  typeof payment === 'object' ? (payment.methods ?? []) : []
const getMethodPath = (index: number, key?: string): string =>
  key === undefined ? `payment.methods.${index}` : `payment.methods.${index}.${key}`

/** Returns the payment methods as written, each with the compiled method. */
function pairMethods(
  model: Model,
): readonly { index: number; raw: WrittenMethod; method: PaymentMethod }[] {
  return listWrittenMethods(model).flatMap((raw, index) => {
    const method = model.config.methods[index]
    return method === undefined ? [] : [{ index, raw, method }]
  })
}

const noMethodOpenCheck: Check = {
  slug: 'no-method-open',
  severity: 'error',
  why: 'A delegate who registers on a day without a payment method cannot pay.',
  find: (model) => {
    if (listWrittenMethods(model).length === 0) return []
    const methods = listDelegateMethods(model.config)
    if (methods.length === 0)
      return [
        {
          at: 'payment.methods',
          part: 'key',
          message: 'delegates have no payment method: all of these are for staff only',
          help: 'add a card gateway, or a transfer with instructions and fields',
        },
      ]
    if (methods.some(({ until }) => until === undefined)) return []
    const lastDay = methods
      .map(({ until }) => until ?? '')
      .toSorted()
      .at(-1) as Day
    const { closes } = model.config.registration
    if (closes !== undefined && closes <= lastDay) return []
    const endingMethods = model.config.methods.flatMap(({ id, until }, index) =>
      until === undefined || methods.every((method) => method.id !== id)
        ? []
        : [{ id, until, index }],
    )
    // If the last day of a method has a wrong year, that date is reported.
    const methodInWrongYear = endingMethods.find(({ until }) => isBeforeSale(model, until))
    const reportedMethod = methodInWrongYear ?? endingMethods.find(({ until }) => until === lastDay)
    const suggestion =
      methodInWrongYear === undefined ? null : findDayInEventYear(model, methodInWrongYear.until)
    return [
      {
        at: getMethodPath(reportedMethod?.index ?? 0, 'until'),
        message: `after ${formatDay(lastDay)} no payment is possible, but registration ${closes === undefined ? 'never closes' : `is open until ${formatDay(closes)}`}`,
        notes:
          endingMethods.length === 1
            ? []
            : endingMethods.map(({ id, until }) => `\`${id}\` ends on ${formatDay(until)}`),
        help:
          suggestion === null
            ? 'keep one payment method open for as long as registration is open, or close registration on that date'
            : suggestYear('until', suggestion),
      },
    ]
  },
}

const expiresWithoutPriceCheck: Check = {
  slug: 'expires-without-price',
  severity: 'error',
  why: 'A payment that arrives on time, but on a day without a price, cannot be compared with a price, so it needs a payment review.',
  find: (model) =>
    pairMethods(model).flatMap(({ index, method }): Draft[] => {
      if (method.is !== 'transfer') return []
      const { config } = model
      const closingDay = suggestClosingDay(model)
      const startDay = method.until ?? closingDay ?? config.to
      const expiryDay = addDays(startDay, method.expiresAfterDays)
      const hasPrice =
        method.priceDate === 'registration' ||
        (findPeriodOn(config.fees, expiryDay) !== null &&
          (closingDay === undefined || expiryDay <= closingDay))
      if (hasPrice && expiryDay <= config.to) return []
      return [
        {
          at: getMethodPath(index),
          message: `a delegate who starts paying on ${formatDay(startDay)} has until ${formatDay(expiryDay)}, ${hasPrice ? 'when the event is over' : 'a day that has no price'}`,
          help: 'write an earlier `until`, or a shorter `expires_after`',
        },
      ]
    }),
}

const methodWithoutReferenceCheck: Check = {
  slug: 'method-without-reference',
  severity: 'error',
  why: 'Staff find a payment in the bank statement by its reference, so every delegate must enter a unique one.',
  find: (model) =>
    pairMethods(model).flatMap(({ index, raw, method }): Draft[] => {
      const uniqueFields = (raw.fields ?? []).filter((field) => field.unique === true)
      const hasOneReference = uniqueFields.length === 1 && uniqueFields[0]?.required !== undefined
      return method.is !== 'transfer' || (hasOneReference && uniqueFields[0]?.required !== false)
        ? []
        : [
            {
              at: getMethodPath(index, 'fields'),
              part: 'key',
              message:
                uniqueFields.length > 1
                  ? 'two fields are marked as the payment reference'
                  : 'no required field asks for the payment reference',
              help: 'write {id: utr, label: UTR number, format: utr, unique: true, required: true}',
            },
          ]
    }),
}

const referenceWithoutFormatCheck: Check = {
  slug: 'reference-without-format',
  severity: 'error',
  why: 'References are matched with the bank statement. Without a format, “paid” or part of another number would count as a reference.',
  after: ['EV445'],
  find: (model) =>
    pairMethods(model).flatMap(({ index, raw, method }): Draft[] => {
      const fieldIndex = (raw.fields ?? []).findIndex((field) => field.unique === true)
      const referenceField = raw.fields?.[fieldIndex]
      if (
        method.is !== 'transfer' ||
        referenceField === undefined ||
        referenceField.format !== undefined
      )
        return []
      const fault =
        referenceField.pattern === undefined ? null : findPatternFault(referenceField.pattern)
      if (referenceField.pattern !== undefined && fault === null) return []
      return [
        {
          at: `payment.methods.${index}.fields.${fieldIndex}${fault === null ? '' : '.pattern'}`,
          message:
            fault === null
              ? 'the payment reference has no format'
              : `the pattern of the payment reference is invalid: ${fault.message}`,
          help: 'write format: utr, or a pattern that only the numbers of your bank match',
        },
      ]
    }),
}

const UPI_FORMAT = 'a name and a bank’s handle, such as society@bank'
/** Words written before a number, and the kind of number that must follow. */
const LABELLED_NUMBERS = [
  [/\bUPI(?: ID)?:?\s+(\S+@\S+)/i, 'UPI ID', UPI_FORMAT],
  // Matches a UPI ID that contains a space. The part after the space could be another person’s UPI ID.
  [
    /\bUPI(?: ID)?:?\s+((?!(?:a|address|and|app|apps|at|by|for|from|handle|id|is|no|number|on|or|our|pay|payment|payments|the|to|transfer|transfers|using|via|VPA|with)\b)[\w.-]+ [\w.-]+@\S+)/i,
    'UPI ID',
    UPI_FORMAT,
  ],
  [/\bUPI(?: ID)?:\s+([\w.-]+)(?=\s*(?:[,;\n(]|$))/i, 'UPI ID', UPI_FORMAT],
  [
    /\bIFSC(?: code| no\.?)?[\s:.–-]+([A-Z0-9]\S+)/i,
    'IFSC',
    'four letters, a 0 and six letters or digits',
  ],
  [/\b(?:account|a\/c)(?: no\.?| number)?[\s:.–-]+(\d\S*)/i, 'Account', '9 to 18 digits'],
] as const

/** Returns the span of a part of a value. The value may have several lines. */
function findSpan({ source }: Model, path: string, part: string): Pick<Draft, 'span'> {
  const [start, end] = source.span(path)
  const offset = source.text.slice(start, end).indexOf(part)
  return offset < 0 ? {} : { span: [start + offset, start + offset + part.length] }
}

const instructionsOddNumberCheck: Check = {
  slug: 'instructions-odd-number',
  severity: 'error',
  why: 'Money sent to a mistyped number is returned only after several days, or goes to another person.',
  find: (model) =>
    pairMethods(model).flatMap(({ index, method }): Draft[] =>
      method.is !== 'transfer'
        ? []
        : LABELLED_NUMBERS.flatMap(([pattern, label, expectedFormat]): Draft[] => {
            const statedNumber = pattern.exec(method.instructions)?.[1]?.replace(/[.,;]+$/, '')
            const bankNumber = findBankNumbers(method.instructions).find(
              (number) => number.label === label,
            )
            return statedNumber === undefined || bankNumber?.text === statedNumber
              ? []
              : [
                  {
                    at: getMethodPath(index, 'instructions'),
                    ...findSpan(model, getMethodPath(index, 'instructions'), statedNumber),
                    message: `\`${statedNumber}\` is not a valid ${label === 'Account' ? 'account number' : label}`,
                    help: `write ${expectedFormat}`,
                  },
                ]
          }),
    ),
}

/**
 * A method that ends at most this many days after registration was probably meant to end on the last day of
 * registration.
 */
const MAX_DAYS_AFTER_REGISTRATION = 60

const methodUntilOutsideCheck: Check = {
  slug: 'method-until-outside',
  severity: 'error',
  why: 'A payment method that ends before registration opens is never offered. One that ends after registration closes probably has a wrong date.',
  after: ['EV443'],
  find: (model) => {
    const openingDay = getStatedOpeningDay(model)
    const closingDay = suggestClosingDay(model)
    return pairMethods(model).flatMap(({ index, method: { until } }): Draft[] => {
      if (until === undefined) return []
      const isEarly = openingDay !== undefined && until < openingDay
      const isLate = closingDay !== undefined && until > closingDay
      const suggestion = findDayInEventYear(model, until)
      return isEarly || isLate
        ? [
            {
              at: getMethodPath(index, 'until'),
              message: isEarly
                ? `this payment method ends on ${formatDay(until)}, before registration opens`
                : `this payment method ends on ${formatDay(until)}, after registration closes`,
              // If the method ends soon after registration closes, its year is not wrong.
              help:
                isLate && countDaysBetween(closingDay, until) <= MAX_DAYS_AFTER_REGISTRATION
                  ? `omit until, or write until: ${closingDay}, the last day of registration`
                  : suggestion === null
                    ? 'write a date on which registration is open'
                    : suggestYear('until', suggestion),
            },
          ]
        : []
    })
  },
}

const methodOfAnotherYearCheck: Check = {
  slug: 'method-of-another-year',
  severity: 'warning',
  why: 'A payment method that ends long before the event and before all its prices is never offered. Its year is probably wrong.',
  after: ['EV432', 'EV443', 'EV447'],
  find: (model) =>
    pairMethods(model).flatMap(({ index, method: { until } }): Draft[] => {
      if (until === undefined || !isBeforeSale(model, until)) return []
      const suggestion = findDayInEventYear(model, until)
      return suggestion === null
        ? []
        : [
            {
              at: getMethodPath(index, 'until'),
              message: `this payment method ends on ${formatDay(until)}, ${countDaysBetween(until, model.config.from)} days before the event`,
              related: [{ at: 'event.from', message: 'the start date' }],
              help: suggestYear('until', suggestion),
            },
          ]
    }),
}

/** An order id has at most 20 characters. Two of them are reserved for the numbers of further payment attempts. */
const MAX_NUMBER_CHARACTERS = 18

const prefixTooLongCheck: Check = {
  slug: 'prefix-too-long',
  severity: 'error',
  why: 'The gateway accepts order ids of at most 20 characters. With a longer id, payment fails.',
  find: ({ config: { payment, orderId } }) =>
    payment === null || orderId.prefix.length + orderId.digits <= MAX_NUMBER_CHARACTERS
      ? []
      : [
          {
            at: 'order_id.prefix',
            message: `${orderId.prefix} and ${orderId.digits} digits make ${orderId.prefix.length + orderId.digits} characters; the maximum is ${MAX_NUMBER_CHARACTERS}`,
            help: 'shorten the prefix, or write fewer digits',
          },
        ],
}

/**
 * `desk`, `cash` and `machine` are allowed: the first is an own method, and the others set the price and the currencies of
 * the built-in method.
 */
const builtInMethodIdCheck: Check = {
  slug: 'built-in-method-id',
  severity: 'error',
  why: 'The office offers its built-in method with this id instead, without the label, fields and price in the file.',
  after: ['EV1103'],
  find: (model) =>
    pairMethods(model).flatMap(({ index, method: { is, id } }): Draft[] =>
      is !== 'desk' || !isManualMethod(id) || isDeskPayment(id)
        ? []
        : [
            {
              at: getMethodPath(index, 'id'),
              message: `\`${id}\` is the id of the built-in payment method “${describeMethod(id).label}”`,
              help: `remove it, because staff can already record this method; or give it another id, such as \`office-${id}\` (also in conditions on \`method\`), and another label`,
            },
          ],
    ),
}

export const paymentMethodChecks = {
  EV215: prefixTooLongCheck,
  EV443: noMethodOpenCheck,
  EV444: expiresWithoutPriceCheck,
  EV445: methodWithoutReferenceCheck,
  EV446: instructionsOddNumberCheck,
  EV447: methodUntilOutsideCheck,
  EV448: referenceWithoutFormatCheck,
  EV458: methodOfAnotherYearCheck,
  EV1146: builtInMethodIdCheck,
}
