/** The form page's logic, tested without a browser: the price or the reason why there is none, widgets and files. */
import { expect, test } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import type { Option, PublicEvent } from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import { toQuote } from '../../../web/app/api-responses.ts'
import { calculatePrice } from '../../../web/registration/price/live-price.ts'
import { canShrink, findFileError } from '../../../web/registration/uploads/chosen-file.ts'
import type { Tariff } from '../../../web/registration/price/live-price.ts'
import { chooseWidget } from '../../../web/registration/fields/choose-field-widget.ts'
import { omitUnusedLibraryCode } from '../../../web/build/omit-unused-library-code.ts'
import { splitNumber } from '../../../web/results/registration-number.tsx'
import { parseStoredDocuments } from '../../../web/registration/draft-storage.ts'
import { createEvent, createField, createRequired } from '../../engine/fixtures.ts'

const prices = { plain: { now: toAmount(100_000) }, special: { now: null } }
const pricedEvent: PublicEvent = createEvent({
  fields: [
    createField('kind', {
      type: 'select',
      options: [
        { id: 'plain', label: 'Plain' },
        { id: 'special', label: 'Special' },
      ],
      required: createRequired('Please select a kind'),
    }),
  ],
  categories: [
    { id: 'plain', label: 'Plain', listedOnly: false },
    { id: 'special', label: 'Special', listedOnly: false },
  ],
  categoryChoice: { by: 'field', field: 'kind' },
  fees: {
    tax: { name: 'GST', percent: 18, prices: 'exclusive', round: 'paise' },
    periods: [{ id: 'now', label: 'Now' }],
    items: [],
    adjustments: [],
    otherDates: null,
    prices,
  },
})
const tariffResponse: TariffResponse = {
  status: 'success',
  now: '2026-01-01T12:00:00+05:30',
  open: true,
  closed_text: null,
  current_period: 'now',
  until: null,
  tariff_data: {},
  pricing: { plain: { base: 1000, gst: 180, total: 1180 } },
}
const createTariff = (overrides: Partial<TariffResponse> = {}): Tariff => ({
  is: 'loaded',
  response: { ...tariffResponse, ...overrides },
})
const findReason = (
  event: PublicEvent,
  tariff: Tariff,
  answers: Readonly<Record<string, string>>,
) => {
  const price = calculatePrice(event, tariff, answers)
  return price.is === 'none' ? price.reason : price.is
}

test('the form takes the price from the server, and converts it to paise', () => {
  expect(calculatePrice(pricedEvent, createTariff(), { kind: 'plain' })).toEqual({
    is: 'price',
    quote: {
      category: 'plain',
      period: 'now',
      base: 100_000,
      gst: 18_000,
      total: 118_000,
      currency: 'INR',
      lines: [],
    },
  })
  expect(
    toQuote({ category: 'a', period: 'b', base: 4237.29, gst: 762.71, total: 5000, lines: [] }),
  ).toEqual({
    category: 'a',
    period: 'b',
    base: 423_729,
    gst: 76_271,
    total: 500_000,
    currency: 'INR',
    lines: [],
  })
})

test.each([
  ['while the tariff loads', { is: 'loading' }, { kind: 'plain' }, 'Loading today’s prices'],
  [
    'if the tariff cannot be loaded',
    { is: 'failed', message: 'Network error.' },
    { kind: 'plain' },
    'We could not load today’s prices. Network error.',
  ],
  [
    'on a closed day',
    createTariff({ open: false, closed_text: 'Closed until June.' }),
    { kind: 'plain' },
    'Closed until June.',
  ],
  ['without a category', createTariff(), {}, 'Please select a kind'],
  [
    'for a category that is not on sale',
    createTariff(),
    { kind: 'special' },
    'This category is not available today',
  ],
  [
    'on a day outside all periods',
    createTariff({ current_period: null }),
    { kind: 'plain' },
    'This category is not available today',
  ],
] as const)(
  '%s, there is no price, and the button states the reason',
  (_, tariff, answers, text) => {
    expect(findReason(pricedEvent, tariff, answers)).toBe(text)
  },
)

test('the pay bar states which choice is missing, not only "Required"', () => {
  const [kind] = pricedEvent.fields
  if (kind === undefined) throw new Error('the event has no fields')
  const terseEvent = {
    ...pricedEvent,
    fields: [{ ...kind, label: 'Coming as', required: createRequired('Required') }],
  }
  expect(findReason(terseEvent, createTariff(), {})).toBe('Please answer “Coming as”')
})

test('a price of zero is a price, and the button is enabled', () => {
  const freeTariff = createTariff({ pricing: { plain: { base: 0, gst: 0, total: 0 } } })
  expect(calculatePrice(pricedEvent, freeTariff, { kind: 'plain' })).toEqual({
    is: 'price',
    quote: {
      category: 'plain',
      period: 'now',
      base: 0,
      gst: 0,
      total: 0,
      currency: 'INR',
      lines: [],
    },
  })
})

test('a free event does not wait for prices', () => {
  expect(findReason(createEvent(), { is: 'loading' }, {})).toBe('free')
})

test('only registration numbers are grouped after their prefix', () => {
  const event = createEvent()
  expect(splitNumber(event, 'SAMP4839201755603')).toEqual(['SAMP', '4839', '2017', '5560', '3'])
  expect(splitNumber(event, 'SAMP-2025-17')).toEqual(['SAMP-2025-17'])
  expect(splitNumber(event, 'OTHER123')).toEqual(['OTHER123'])
})

const createOptions = (count: number, overrides: Partial<Option> = {}) =>
  Array.from({ length: count }, (_, index) => ({
    id: `o${index}`,
    label: `Option ${index}`,
    ...overrides,
  }))
test.each([
  ['texts', { type: 'text' }, 'line'],
  ['addresses with several lines', { type: 'multiline' }, 'lines'],
  ['yes-no questions', { type: 'yes-no' }, 'yes-no'],
  ['yes-no questions as a switch', { type: 'yes-no', as: 'switch' }, 'switch'],
  ['files', { type: 'file' }, 'file'],
  ['states', { type: 'select', options: createOptions(5) }, 'list'],
  [
    'options that are set to be shown as a list',
    { type: 'select', as: 'radio', options: createOptions(7) },
    'rows',
  ],
  [
    'more options than fit on a phone',
    { type: 'select', as: 'radio', options: createOptions(8) },
    'list',
  ],
  [
    'options with descriptions',
    { type: 'select', options: createOptions(3, { about: 'x' }) },
    'rows',
  ],
  [
    'many options with descriptions',
    { type: 'select', options: createOptions(8, { about: 'x' }) },
    'menu',
  ],
  ['coloured options', { type: 'select', options: createOptions(3, { colour: 'blue' }) }, 'menu'],
  ['categories', { type: 'select', offersCategories: true, options: createOptions(5) }, 'rows'],
  [
    'categories as a dropdown',
    { type: 'select', as: 'dropdown', offersCategories: true, options: createOptions(5) },
    'menu',
  ],
] as const)('%s (%o) use the widget “%s”', (_, properties, widgetName) => {
  expect(chooseWidget(createField('one', properties))).toBe(widgetName)
})

test('the build fails if the form library has moved a module that we omit', () => {
  const { buildEnd, load } = omitUnusedLibraryCode()
  const errors: string[] = []
  const buildContext = {
    environment: { name: 'client' },
    error: (text: string) => void errors.push(text),
  }
  expect(load('/elsewhere/@rjsf/core/lib/components/widgets/index.js')).toContain('export default')
  expect(load('/elsewhere/@rjsf/core/lib/components/Form.js')).toBe(null)
  buildEnd.call(buildContext)
  expect(errors.join()).toContain('@rjsf/core/lib/components/templates/index.js')
  expect(errors.join()).not.toContain('widgets/index.js')
  // The build for the server reads other files of the same packages.
  const errorsBefore = errors.length
  buildEnd.call({ ...buildContext, environment: { name: 'ssr' } })
  expect(errors).toHaveLength(errorsBefore)
})

test('a photo in Apple’s format is converted if the browser can read it, and otherwise rejected with a message', () => {
  const proof = createField('proof', {
    type: 'file',
    accept: ['pdf', 'jpg'],
    invalid: 'Please choose a PDF or a JPG',
  })
  const photo = new File(['not read by this browser'], 'IMG_0001.HEIC')
  expect(canShrink(proof, photo)).toBe(true)
  expect(findFileError(proof, photo)).toBe('IMG_0001.HEIC: Please choose a PDF or a JPG')
  // If the field does not accept images, no conversion is attempted.
  expect(canShrink({ ...proof, accept: ['pdf'] }, photo)).toBe(false)
})

test('an uploaded file remains selected after a reload until the server deletes it, even if the phone’s clock is wrong', () => {
  const event = createEvent({ fields: [createField('letter', { type: 'file', accept: ['pdf'] })] })
  const letter = { name: 'letter.pdf', bytes: 9, token: 'abc', until: '2001-01-02T12:00:00+05:30' }
  const findKeptUploads = (now: string) => [
    ...parseStoredDocuments(event, now, { letter, gone: letter }).keys(),
  ]
  expect(findKeptUploads('2001-01-02T11:59:00+05:30')).toEqual(['letter'])
  expect(findKeptUploads('2001-01-02T12:00:00+05:30')).toEqual([])
})
