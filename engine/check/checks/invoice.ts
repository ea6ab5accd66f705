/** EV490 to EV495: what a tax invoice must state is there, and its numbers can be given without a gap. */
import { takesMoney } from '../../pay-ways.ts'
import { own } from '../../outcome.ts'
import {
  financialYearOf,
  lastOfFinancialYear,
  readGstin,
  SERIAL_CHARACTERS_MAX,
  serialText,
  stateNamed,
} from '../../gst.ts'
import { formatDay } from '../../time.ts'
import type { Draft } from '../finding.ts'
import type { Check, Model } from '../model.ts'
import { nearest } from '../near.ts'

/** The largest conferences sell as much in a year; another digit would leave little room for the letters. */
const SOLD_IN_A_YEAR_MAX = 9_999

const gstin: Check = {
  slug: 'invoice-gstin',
  severity: 'error',
  why: 'An invoice with a wrong GSTIN is none, and whoever got it cannot set the tax off.',
  find: ({ file }) =>
    file.invoice === undefined || readGstin(String(file.invoice.gstin)) !== null
      ? []
      : [
          {
            at: 'invoice.gstin',
            message: `${file.invoice.gstin} is no GSTIN: its signs or its check sign are wrong`,
            help: 'copy the 15 signs from the certificate of registration',
          },
        ],
}

const optionStates = (model: Model, field: string): readonly Draft[] => {
  const asked = model.fields.find(({ id }) => id === field)
  if (asked === undefined) return []
  const unknown = (asked.field.options ?? []).filter(
    ({ id, label }) => stateNamed(id) === null && stateNamed(label) === null,
  )
  const [first] = unknown
  if (asked.field.options !== undefined && first === undefined) return []
  return [
    {
      at: 'invoice.place_of_supply',
      message:
        first === undefined
          ? `${field} does not offer states to choose from`
          : `${field} offers ${first.label}, which is no state`,
      related: [{ at: asked.path, message: 'asked here' }],
      help: 'let the field be a select whose options are the names of states',
    },
  ]
}

const place: Check = {
  slug: 'invoice-place',
  severity: 'error',
  why: 'The place of supply decides between CGST with SGST and IGST.',
  find: (model) => {
    const { file } = model
    if (file.invoice === undefined || stateNamed(String(file.invoice.place_of_supply)) !== null)
      return []
    const said = String(file.invoice.place_of_supply)
    if (model.fields.some(({ id }) => id === said)) return optionStates(model, said)
    return [
      {
        at: 'invoice.place_of_supply',
        message: `${said} is neither a state nor a field of the form`,
        help: 'write the state in which the event is held, such as Kerala: admission is supplied there',
      },
    ]
  },
}

/** The patterns with the places where they stand. */
const patternsOf = ({ file, config }: Model): readonly (readonly [string, string])[] => {
  if (file.invoice === undefined || config.invoice === null) return []
  const { number, creditNumber } = config.invoice
  const creditAt = file.invoice.credit_number === undefined ? 'number' : 'credit_number'
  return [
    ['invoice.number', number],
    [`invoice.${creditAt}`, creditNumber],
  ]
}

const number: Check = {
  slug: 'invoice-number',
  severity: 'error',
  why: 'Rule 46 asks for a consecutive number of at most 16 letters, digits, hyphens and slashes.',
  find: (model) => {
    const { file } = model
    const problems = patternsOf(model).flatMap(([at, pattern]): Draft[] => {
      const longest = serialText(pattern, SOLD_IN_A_YEAR_MAX, '26-27')
      if (!pattern.includes('{n}'))
        return [{ at, message: 'nothing in it counts', help: 'write {n} where the number stands' }]
      if (/[^A-Za-z0-9/-]/.test(longest))
        return [
          {
            at,
            message:
              'only letters, digits, hyphens and slashes may stand in the number of an invoice',
            help: 'the placeholders are {n} and {year}',
          },
        ]
      if (longest.length > SERIAL_CHARACTERS_MAX)
        return [
          {
            at,
            message: `the number ${longest} would have ${longest.length} characters; ${SERIAL_CHARACTERS_MAX} are allowed`,
            help:
              file.invoice?.credit_number === undefined && at === 'invoice.number'
                ? 'shorten its letters; credit notes have a C before them unless credit_number says otherwise'
                : 'shorten its letters',
          },
        ]
      return []
    })
    const [first] = problems
    if (first !== undefined) return [first]
    const [[, invoices] = ['', ''], [at, credits] = ['', '']] = patternsOf(model)
    return invoices !== '' && invoices === credits
      ? [
          {
            at,
            message: 'credit notes have the numbers of invoices',
            help: 'give them a series of their own, or leave credit_number out',
          },
        ]
      : []
  },
}

const year: Check = {
  slug: 'invoice-year',
  severity: 'warning',
  why: 'The numbers of a financial year are counted for themselves, so that a year in the letters must be the right one.',
  after: ['EV492'],
  find: ({ config }) => {
    if (config.invoice === null || config.invoice.number.includes('{year}')) return []
    const { periods } = config.fees
    const begins = [config.registration.opens, ...periods.map(({ from, to }) => from ?? to)]
      .filter((one) => one !== undefined)
      .sort()[0]
    const ends = config.registration.closes ?? config.to
    const first = begins ?? ends
    const written = /\d\d-\d\d/.exec(config.invoice.number)?.[0]
    const year = financialYearOf(first)
    if (written !== undefined && written !== year && written !== financialYearOf(ends))
      return [
        {
          at: 'invoice.number',
          message: `${written} is not the financial year in which the event sells, ${year}`,
          help: 'write {year} in its place',
        },
      ]
    return year === financialYearOf(ends)
      ? []
      : [
          {
            at: 'invoice.number',
            message: `after ${formatDay(lastOfFinancialYear(first))} the numbers would begin anew and stand twice`,
            help: 'write {year} into the number',
          },
        ]
  },
}

const withoutTax: Check = {
  slug: 'invoice-without-tax',
  severity: 'error',
  why: 'A tax invoice states a tax; whoever charges none gives a receipt.',
  find: ({ file, config }) =>
    file.invoice === undefined ||
    (takesMoney(config) &&
      (config.fees.tax !== null || config.fees.items.some(({ tax }) => tax !== null)))
      ? []
      : [
          {
            at: 'invoice',
            part: 'key',
            message: !takesMoney(config)
              ? 'this event takes no money'
              : 'this event charges no tax',
            help: 'leave invoice out: receipts are made all the same, or state fees.tax',
          },
        ],
}

const buyer: Check = {
  slug: 'invoice-buyer',
  severity: 'error',
  why: 'What the buyer wants on the invoice is read from these fields.',
  find: ({ file, fields }) =>
    Object.entries(file.invoice?.buyer ?? {}).flatMap(([key, id]): Draft[] => {
      const at = `invoice.buyer.${key}`
      const asked = fields.find((field) => field.id === id)
      if (asked === undefined) {
        const meant = nearest(
          String(id),
          fields.map((field) => field.id),
        )
        return [
          {
            at,
            message: `no field ${id} is in the form`,
            ...(meant === null ? {} : { help: `did you mean ${meant.name}?` }),
          },
        ]
      }
      return key === 'gstin' &&
        own(asked.raw as object as Record<string, unknown>, 'format') !== 'gstin'
        ? [
            {
              at,
              message: `${id} takes any text`,
              related: [{ at: asked.path, message: 'asked here' }],
              help: 'give the field `format: gstin`',
            },
          ]
        : []
    }),
}

export const invoice = {
  EV490: gstin,
  EV491: place,
  EV492: number,
  EV493: year,
  EV494: withoutTax,
  EV495: buyer,
}
