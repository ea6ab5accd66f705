/** Checks EV449, EV490 to EV495, EV499: tax invoices have the required details and consecutive numbers. */
import { takesPayments } from '../../../payments/payment-methods.ts'
import { getOwn } from '../../../lib/result.ts'
import { readGstin, findState } from '../../../event/gstin.ts'
import {
  getFinancialYear,
  getLastDayOfFinancialYear,
  MAX_SERIAL_CHARACTERS,
  formatSerial,
} from '../../../documents/document-number.ts'
import { formatMoney, INR } from '../../../lib/money.ts'
import { MIN_TAXABLE_FOR_ADDRESS, sumTaxableValue } from '../../../pricing/invoice-tax.ts'
import { formatDay } from '../../../lib/time.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import { findNearest } from '../../suggestions/nearest-name.ts'
import { computeExtremes } from '../../proofs/bill-bounds.ts'
import { describeBill } from '../../proofs/describe-example.ts'

/**
 * The number of invoices that the largest conferences issue in a year. One more digit would leave little room
 * for letters.
 */
const MAX_INVOICES_PER_YEAR = 9_999

const invoiceGstinCheck: Check = {
  slug: 'invoice-gstin',
  severity: 'error',
  why: 'An invoice with a wrong GSTIN is invalid, and the buyer cannot claim input tax credit.',
  find: ({ file }) =>
    file.invoice === undefined || readGstin(String(file.invoice.gstin)) !== null
      ? []
      : [
          {
            at: 'invoice.gstin',
            message: `${file.invoice.gstin} is not a valid GSTIN: its characters or its check character are wrong`,
            help: 'copy the 15 characters from the registration certificate',
          },
        ],
}

/** Returns the places of supply in a file: the event's, and those of items that have their own. */
const listPlacesOfSupply = ({
  file,
}: Model): readonly { readonly at: string; readonly description: string }[] => [
  ...(file.invoice === undefined
    ? []
    : [{ at: 'invoice.place_of_supply', description: String(file.invoice.place_of_supply) }]),
  ...(file.fees.items ?? []).flatMap(({ place_of_supply: state }, i) =>
    state === undefined
      ? []
      : [{ at: `fees.items.${i}.place_of_supply`, description: String(state) }],
  ),
]

const invoicePlaceCheck: Check = {
  slug: 'invoice-place',
  severity: 'error',
  why: 'The place of supply determines whether CGST and SGST or IGST is charged. Admission is supplied where the event is held, regardless of the buyer (IGST Act, section 12(6)).',
  find: (model) =>
    listPlacesOfSupply(model).flatMap(({ at, description: state }): Draft[] => {
      if (findState(state) !== null) return []
      const field = model.fields.find(({ id }) => id === state)
      return [
        {
          at,
          message:
            field === undefined
              ? `${state} is not a state of India`
              : `${state} is a field of the form, but the buyer's state does not determine where admission is supplied`,
          ...(field === undefined ? {} : { related: [{ at: field.path, message: 'asked here' }] }),
          help:
            field === undefined
              ? 'write the state of the venue or the building, such as Kerala'
              : `write the state of the venue, such as Kerala; to print the buyer's state, write buyer: {state: ${state}}`,
        },
      ]
    }),
}

const invoiceItemCodeCheck: Check = {
  slug: 'invoice-item-code',
  severity: 'warning',
  why: 'A different rate means a different service, whose invoice line needs its own SAC code. For example, a room is not a conference fee.',
  after: ['EV441'],
  find: ({ file, config }) =>
    file.invoice === undefined
      ? []
      : config.fees.items.flatMap((item, i): Draft[] =>
          item.tax === null ||
          item.sac !== undefined ||
          item.tax.percent === config.fees.tax?.percent
            ? []
            : [
                {
                  at: `fees.items.${i}.id`,
                  message: `\`${item.id}\` has its own tax rate, ${item.tax.percent}%, but uses the SAC code of the conference, ${file.invoice?.sac}`,
                  help: 'add sac: …, such as 996311 for a hotel room',
                },
              ],
        ),
}

const invoiceAddressCheck: Check = {
  slug: 'invoice-address',
  severity: 'error',
  why: 'Rule 46(e): an invoice of ₹ 50,000 or more to a buyer without a GSTIN must state the buyer’s address and state.',
  after: ['EV466', 'EV495'],
  find: ({ file, config }) => {
    const { buyer } = config.invoice ?? {}
    if (buyer === undefined || (buyer.address !== undefined && buyer.state !== undefined)) return []
    const highestBill = computeExtremes(config, INR)?.mostExpensive
    if (highestBill == null || sumTaxableValue(highestBill.lines) < MIN_TAXABLE_FOR_ADDRESS)
      return []
    const missingKeys = (['address', 'state'] as const).filter((key) => buyer[key] === undefined)
    return [
      {
        at: file.invoice?.buyer === undefined ? 'invoice' : 'invoice.buyer',
        part: 'key',
        message: `a bill can have a taxable value of ${formatMoney(sumTaxableValue(highestBill.lines), INR)}, but the form does not ask for the buyer's ${missingKeys.join(' and ')}`,
        notes: [describeBill(config, highestBill)],
        help: `write buyer: {${missingKeys.map((key) => `${key}: …`).join(', ')}} with the fields that ask for these details; from ₹ 50,000 they are required unless the buyer has a GSTIN`,
      },
    ]
  },
}

/** Returns the number patterns for invoices and credit notes, each with its path. */
const listPatterns = ({ file, config }: Model): readonly (readonly [string, string])[] => {
  if (file.invoice === undefined || config.invoice === null) return []
  const { number, creditNumber } = config.invoice
  const creditKey = file.invoice.credit_number === undefined ? 'number' : 'credit_number'
  return [
    ['invoice.number', number],
    [`invoice.${creditKey}`, creditNumber],
  ]
}

const invoiceNumberCheck: Check = {
  slug: 'invoice-number',
  severity: 'error',
  why: 'Rule 46 requires a consecutive number of at most 16 letters, digits, hyphens and slashes.',
  find: (model) => {
    const { file } = model
    const problems = listPatterns(model).flatMap(([at, pattern]): Draft[] => {
      const longestNumber = formatSerial(pattern, MAX_INVOICES_PER_YEAR, '26-27')
      if (!pattern.includes('{n}'))
        return [
          {
            at,
            message: 'the number has no counter',
            help: 'write {n} where the consecutive number belongs',
          },
        ]
      if (/[^A-Za-z0-9/-]/.test(longestNumber))
        return [
          {
            at,
            message: 'an invoice number can contain only letters, digits, hyphens and slashes',
            help: 'the available placeholders are {n} and {year}',
          },
        ]
      if (longestNumber.length > MAX_SERIAL_CHARACTERS)
        return [
          {
            at,
            message: `the number ${longestNumber} would have ${longestNumber.length} characters; the maximum is ${MAX_SERIAL_CHARACTERS}`,
            help:
              file.invoice?.credit_number === undefined && at === 'invoice.number'
                ? 'shorten its letters; credit notes start with a C unless credit_number is set'
                : 'shorten its letters',
          },
        ]
      return []
    })
    const [firstProblem] = problems
    if (firstProblem !== undefined) return [firstProblem]
    const [[, invoicePattern] = ['', ''], [at, creditPattern] = ['', '']] = listPatterns(model)
    return invoicePattern !== '' && invoicePattern === creditPattern
      ? [
          {
            at,
            message: 'credit notes would get the same numbers as invoices',
            help: 'give credit notes a separate series, or remove credit_number',
          },
        ]
      : []
  },
}

const invoiceYearCheck: Check = {
  slug: 'invoice-year',
  severity: 'warning',
  why: 'Invoices are numbered separately for each financial year, so a year in the number must be the financial year of the sales.',
  after: ['EV492'],
  find: ({ config }) => {
    if (config.invoice === null || config.invoice.number.includes('{year}')) return []
    const { periods } = config.fees
    const firstSaleDay = [config.registration.opens, ...periods.map(({ from, to }) => from ?? to)]
      .filter((candidate) => candidate !== undefined)
      .sort()[0]
    const lastSaleDay = config.registration.closes ?? config.to
    const firstDay = firstSaleDay ?? lastSaleDay
    const writtenYear = /\d\d-\d\d/.exec(config.invoice.number)?.[0]
    const year = getFinancialYear(firstDay)
    if (
      writtenYear !== undefined &&
      writtenYear !== year &&
      writtenYear !== getFinancialYear(lastSaleDay)
    )
      return [
        {
          at: 'invoice.number',
          message: `${writtenYear} is not the financial year of the sales, ${year}`,
          help: 'write {year} instead',
        },
      ]
    return year === getFinancialYear(lastSaleDay)
      ? []
      : [
          {
            at: 'invoice.number',
            message: `after ${formatDay(getLastDayOfFinancialYear(firstDay))} the numbers would start again, so some would be used twice`,
            help: 'add {year} to the number',
          },
        ]
  },
}

const invoiceWithoutTaxCheck: Check = {
  slug: 'invoice-without-tax',
  severity: 'error',
  why: 'A tax invoice states a tax. An event that charges no tax issues receipts instead.',
  find: ({ file, config }) =>
    file.invoice === undefined ||
    (takesPayments(config) &&
      (config.fees.tax !== null || config.fees.items.some(({ tax }) => tax !== null)))
      ? []
      : [
          {
            at: 'invoice',
            part: 'key',
            message: !takesPayments(config)
              ? 'this event accepts no payments'
              : 'this event charges no tax',
            help: 'remove invoice (receipts are still issued), or set fees.tax',
          },
        ],
}

const invoiceBuyerCheck: Check = {
  slug: 'invoice-buyer',
  severity: 'error',
  why: 'The buyer’s details on the invoice are read from these fields.',
  find: ({ file, fields }) =>
    Object.entries(file.invoice?.buyer ?? {}).flatMap(([key, id]): Draft[] => {
      const at = `invoice.buyer.${key}`
      const buyerField = fields.find((field) => field.id === id)
      if (buyerField === undefined) {
        const suggestion = findNearest(
          String(id),
          fields.map((field) => field.id),
        )
        return [
          {
            at,
            message: `the form has no field ${id}`,
            ...(suggestion === null ? {} : { help: `did you mean ${suggestion.name}?` }),
          },
        ]
      }
      if (key === 'state')
        return (buyerField.field.options ?? []).some(
          (option) => findState(option.id) !== null || findState(option.label) !== null,
        )
          ? []
          : [
              {
                at,
                message: `${id} does not offer the states of India`,
                related: [{ at: buyerField.path, message: 'asked here' }],
                help: 'make the field a select with `options: indian-states`',
              },
            ]
      return key === 'gstin' &&
        getOwn(buyerField.raw as object as Record<string, unknown>, 'format') !== 'gstin'
        ? [
            {
              at,
              message: `${id} accepts any text`,
              related: [{ at: buyerField.path, message: 'asked here' }],
              help: 'give the field `format: gstin`',
            },
          ]
        : []
    }),
}

export const invoiceChecks = {
  EV490: invoiceGstinCheck,
  EV491: invoicePlaceCheck,
  EV492: invoiceNumberCheck,
  EV493: invoiceYearCheck,
  EV494: invoiceWithoutTaxCheck,
  EV495: invoiceBuyerCheck,
  EV449: invoiceItemCodeCheck,
  EV499: invoiceAddressCheck,
}
