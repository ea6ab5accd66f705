/** Hand-built events: small, complete, and independent of the compiler. */
import {
  INR,
  day,
  toAmount,
  type EventConfig,
  type Field,
  type Amount,
} from '../../engine/index.ts'
import type { Condition, Test } from '../../engine/event/answer-types.ts'
import type { Section } from '../../engine/event/form-types.ts'
import { findRoles } from '../../engine/event/delegate-fields.ts'

export const toRupees = (amount: number): Amount => toAmount(Math.round(amount * 100))

export function createField(id: string, properties: Partial<Field> = {}): Field {
  return {
    id,
    type: 'text',
    label: `Label of ${id}`,
    section: 0,
    ignoreCase: false,
    invalid: `${id} is not right`,
    check: true,
    ...properties,
  }
}

export const createRequired = (message: string): NonNullable<Field['required']> => ({ message })
export const isIn = (
  name: string,
  ...values: (string | number | boolean)[]
): { field: string; test: Test } => ({ field: name, test: { is: 'in', values } })
/** Creates a condition that is true if all its tests are true. */
export const when = (...tests: { field: string; test: Test }[]): Condition => [tests]

const page = {
  title: 'Title',
  lookup: 'always',
  details: [],
  reasons: [],
  notes: [],
  buttons: [],
} as const

export function createEvent(overrides: Partial<EventConfig> = {}): EventConfig {
  const fields = overrides.fields ?? [
    createField('full_name', { required: createRequired('Full name is required') }),
    createField('email', { type: 'email' }),
  ]
  const sections: readonly Section[] = overrides.sections ?? [
    { title: 'All', fields: fields.map(({ id }) => id) },
  ]
  return {
    id: 'sample2026',
    currency: INR,
    title: 'Sample 2026',
    from: day('2026-01-31'),
    to: day('2026-02-01'),
    venue: 'Town Hall',
    status: 'open',
    support: 'support@sample.example',
    cancellation: null,
    edit: null,
    retention: { answers: null, files: null },
    invoice: null,
    demo: [],
    look: { colour: '#E0A100' },
    closed: null,
    registration: {},
    routes: { form: '/sample2026', also: [], success: '/sample/success', failed: '/sample/failed' },
    categories: [],
    categoryChoice: { by: 'rules', rules: [] },
    fees: { tax: null, periods: [], otherDates: null, prices: null, items: [], adjustments: [] },
    quotas: [],
    holdSeatsMs: 0,
    unique: [],
    codeKinds: [],
    memberLists: [],
    approvals: [],
    sections,
    fields,
    alsoStored: [],
    roles: findRoles([...fields, ...(overrides.alsoStored ?? [])]),
    form: {
      pages: 'one',
      stepper: null,
      panel: null,
      summary: {
        title: 'Summary',
        empty: 'Empty',
        lines: ['total'],
        button: 'Pay',
        freeButton: 'Register',
        busy: 'Wait',
      },
      notices: 'snackbar',
      noticeMs: 6000,
      withoutPayment: { notice: null, alert: null },
      failure: 'Failed',
    },
    orderId: { prefix: 'SAMP', followedBy: 'digits', digits: 13 },
    payment: null,
    methods: overrides.payment == null ? [] : [{ is: 'card', id: 'card', label: 'Card' }],
    api: {
      register: '/api/sample/register/',
      registration: '/api/sample/{reg_no}/',
      tariff: '/api/sample/tariff/',
      gatewayReturn: null,
      sends: {},
      returns: {},
    },
    results: {
      amounts: 'stored',
      errors: {
        noOrder: 'No order ID found',
        badOrder: 'Invalid order ID format',
        notFound: 'Not found',
        fetchFailed: 'Fetch failed',
      },
      errorButtons: [],
      success: page,
      failed: page,
      receipt: null,
    },
    email: null,
    admin: { dashboard: { key: 'sample', label: 'Sample', cards: ['total'] }, lists: [] },
    examples: [],
    texts: {
      calls: {},
      admin: { signIn: '', dashboard: '', retry: '', empty: '', load: '', export: '' },
      missingValue: 'N/A',
      noticeMs: 6000,
      values: {
        reg_no: 'Registration Number',
        gst: '{tax.name} ({tax.percent}%)',
        sum: 'Before {tax.name}',
      },
    },
    ...overrides,
  }
}

const member = { is: 'in', values: [true] } as const
const gst = { name: 'GST', percent: 18, round: 'paise' } as const

/** The delegate chooses the category. Two periods share one day, and all other days have the first period's prices. */
export const chosenCategoryEvent: EventConfig = createEvent({
  categories: ['member', 'visitor', 'pg'].map((id) => ({
    id,
    label: `The ${id}`,
    listedOnly: false,
  })),
  categoryChoice: { by: 'field', field: 'ticket_type' },
  fees: {
    tax: { ...gst, prices: 'exclusive' },
    periods: [
      { id: 'early', label: 'Early', from: day('2025-07-01'), to: day('2025-08-31') },
      { id: 'late', label: 'Late', from: day('2025-09-01'), to: day('2026-01-25') },
      { id: 'last', label: 'Last', from: day('2026-01-25'), to: day('2026-01-31') },
    ],
    items: [],
    adjustments: [],
    otherDates: 'early',
    prices: {
      member: { early: toRupees(5000), late: toRupees(6000), last: toRupees(10000) },
      visitor: { early: toRupees(4250), late: toRupees(5250), last: toRupees(10000) },
      pg: { early: toRupees(3000), late: null, last: toRupees(4000) },
    },
  },
  sections: [
    {
      title: 'Person',
      fields: ['full_name', 'email', 'phone', 'is_member', 'number', 'ticket_type'],
    },
    { title: 'Proof', fields: ['proof'], showWhen: when(isIn('category', 'pg')) },
  ],
  fields: [
    createField('full_name', { required: createRequired('Full name is required') }),
    createField('email', { type: 'email', required: createRequired('Email address is required') }),
    createField('phone', {
      type: 'phone',
      check: false,
      required: createRequired('Phone number is required'),
    }),
    createField('is_member', { type: 'yes-no', default: false }),
    createField('number', {
      required: createRequired('Number is required'),
      showWhen: [[{ field: 'is_member', test: member }]],
    }),
    createField('ticket_type', {
      type: 'select',
      offersCategories: true,
      options: ['member', 'visitor', 'pg'].map((id) => ({ id, label: `The ${id}` })),
      required: createRequired('Please select'),
    }),
    createField('proof', {
      type: 'file',
      section: 1,
      accept: ['pdf', 'jpg'],
      required: createRequired('Proof is required'),
    }),
  ],
})

/** Rules determine the category. Prices include tax, which is rounded to whole rupees. */
export const derivedCategoryEvent: EventConfig = createEvent({
  categories: ['member', 'visitor', 'pg-member', 'pg-visitor'].map((id) => ({
    id,
    label: id.toUpperCase(),
    listedOnly: false,
  })),
  categoryChoice: {
    by: 'rules',
    rules: [
      { when: when(isIn('role', 'pg'), isIn('is_member', true)), then: 'pg-member' },
      { when: when(isIn('role', 'pg'), isIn('is_member', false)), then: 'pg-visitor' },
      { when: when(isIn('is_member', true)), then: 'member' },
      { when: null, then: 'visitor' },
    ],
  },
  fees: {
    tax: { ...gst, prices: 'inclusive', round: 'rupee' },
    periods: [
      { id: 'early', label: 'Early', to: day('2025-11-30') },
      { id: 'regular', label: 'Regular', from: day('2025-12-01') },
    ],
    items: [],
    adjustments: [],
    otherDates: null,
    prices: Object.fromEntries(
      ['member', 'visitor', 'pg-member', 'pg-visitor'].map((id, i) => [
        id,
        { early: toRupees(4000 + i), regular: toRupees(5000) },
      ]),
    ),
  },
  fields: [
    createField('full_name', { required: createRequired('Required') }),
    createField('role', {
      type: 'select',
      ignoreCase: true,
      options: ['consultant', 'pg'].map((id) => ({ id, label: id.toUpperCase() })),
    }),
    createField('is_member', { type: 'yes-no', default: false }),
    createField('letter', {
      showWhen: when(isIn('category', 'pg-member', 'pg-visitor')),
      required: createRequired('Letter is required'),
    }),
  ],
})
