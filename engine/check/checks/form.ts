/** EV5: the form asks what it needs, once, and says what it means. */
import type { Field } from '../../config.ts'
import { isDay } from '../../time.ts'
import type { Check, FieldAt, Model } from '../model.ts'
import type { Draft, SharedName } from '../finding.ts'
import { listed, suggestion } from '../near.ts'
import { join } from '../source.ts'

const messageNeverShown: Check = {
  slug: 'message-never-shown',
  severity: 'error',
  why: 'A message that can never appear was meant for another field, or a check is missing.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path, field }): Draft[] => {
      if (raw.invalid === undefined) return []
      const at = join(path, 'invalid')
      if (['text', 'multiline', 'yes-no'].includes(field.type))
        return [
          {
            at,
            part: 'entry',
            message: `an answer of type ${field.type} cannot be malformed: this message is never shown`,
          },
        ]
      return field.check
        ? []
        : [
            {
              at,
              part: 'entry',
              message: 'the check is switched off: this message is never shown',
              related: [{ at: join(path, 'check'), part: 'entry', message: 'switched off here' }],
              help: 'remove one of the two',
            },
          ]
    }),
}

const defaultNotOption: Check = {
  slug: 'default-not-option',
  severity: 'error',
  why: 'The form would start with an answer that it refuses.',
  after: ['EV205'],
  find: (model) =>
    model.fields.flatMap(({ field, path, id }): Draft[] => {
      const value = field.default
      if (value === undefined) return []
      const at = join(path, 'default')
      const legal = (field.options ?? []).map((option) => option.id)
      const { start, end } = model.source.place(at)
      if (field.type === 'select' && !legal.includes(String(value)))
        return [
          {
            at,
            message: `\`${String(value)}\` is not an option of \`${id}\``,
            notes: [`options: ${listed(legal)}`],
            ...suggestion(String(value), legal, [start.offset, end.offset]),
          },
        ]
      if (field.type === 'date' && !isDay(String(value)))
        return [
          {
            at,
            message: `\`${String(value)}\` is not a proper date`,
            help: 'write year-month-day, such as 2026-01-31',
          },
        ]
      if (field.type === 'phone' && !/^\+?[\d ().-]+$/.test(String(value)))
        return [
          {
            at,
            message: `\`${String(value)}\` does not begin like a phone number`,
            help: 'write digits, with a + before the country',
          },
        ]
      return typeof value === 'number' && !inRange(field, value)
        ? [{ at, message: `the default ${value} is outside of what the field takes` }]
        : []
    }),
}

function inRange({ min, max }: Field, value: number): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max)
}

const rangeBackwards: Check = {
  slug: 'range-backwards',
  severity: 'error',
  why: 'No number is both at least the larger and at most the smaller.',
  find: ({ fields }) =>
    fields.flatMap(({ field, path }): Draft[] =>
      field.min !== undefined && field.max !== undefined && field.min > field.max
        ? [
            {
              at: join(path, 'min'),
              part: 'entry',
              message: `min is above max (${field.max}): no number fits`,
            },
          ]
        : [],
    ),
}

const requiredDoesNothing: Check = {
  slug: 'required-does-nothing',
  severity: 'warning',
  why: 'A field that starts with an answer always has one.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, field, path }): Draft[] =>
      raw.required !== undefined && field.default !== undefined
        ? [
            {
              at: join(path, 'required'),
              part: 'entry',
              message: 'this field always has an answer',
              related: [
                { at: join(path, 'default'), part: 'entry', message: 'because it starts with one' },
              ],
              help: 'remove one of the two',
            },
          ]
        : [],
    ),
}

const sameLabel: Check = {
  slug: 'same-label',
  severity: 'warning',
  why: 'Delegates and the office tell fields apart by their labels.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path }, at): Draft[] => {
      const first = fields
        .slice(0, at)
        .find((other) => other.raw.label.trim().toLowerCase() === raw.label.trim().toLowerCase())
      return first === undefined
        ? []
        : [
            {
              at: join(path, 'label'),
              message: `two fields are both called “${raw.label}”`,
              related: [{ at: join(first.path, 'label'), message: 'the other one' }],
            },
          ]
    }),
}

const stepOutOfRange: Check = {
  slug: 'step-out-of-range',
  severity: 'error',
  why: 'The stepper would stand nowhere.',
  find: ({ file }) => {
    const { stepper } = file.form
    return stepper?.stays_on !== undefined && stepper.stays_on > stepper.steps.length
      ? [{ at: 'form.stepper.stays_on', message: `there are only ${stepper.steps.length} steps` }]
      : []
  },
}

/** Who pays: what the gateway's hand-off is filled from. */
const CONTACT: readonly {
  readonly says: string
  readonly id: string
  fits(field: FieldAt): boolean
}[] = [
  { says: 'a field `full_name`', id: 'full_name', fits: ({ id }) => id === 'full_name' },
  { says: 'a field of type email', id: 'email', fits: ({ field }) => field.type === 'email' },
  { says: 'a field `phone_number`', id: 'phone_number', fits: ({ id }) => id === 'phone_number' },
]

const contactFields: Check = {
  slug: 'contact-fields',
  severity: 'error',
  why: 'The payment gateway and the confirmation need to know who it is.',
  after: ['EV206'],
  find: ({ fields, config, file }) => {
    const needed =
      config.payment !== null
        ? CONTACT
        : config.email === null || config.status === 'closed'
          ? []
          : CONTACT.filter(({ id }) => id === 'email')
    return needed.flatMap(({ says, fits }): Draft[] => {
      const found = fields.find(fits)
      const wants =
        config.payment !== null ? 'the payment gateway needs it' : 'the e-mail goes to it'
      if (found === undefined)
        return [
          { at: 'form.sections', part: 'key', message: `the form does not have ${says}; ${wants}` },
        ]
      if (file.event.status === 'closed') return []
      const optional =
        found.raw.required === undefined ||
        typeof found.raw.required === 'object' ||
        found.raw.show_when !== undefined
      return optional && found.field.default === undefined
        ? [
            {
              at: found.path,
              message: `\`${found.id}\` may be left empty, but ${wants}`,
              help: 'make it required, and always shown',
            },
          ]
        : []
    })
  },
}

const chosenIn: Check = {
  slug: 'chosen-in',
  severity: 'error',
  why: 'A category that is picked must be on offer, and must be picked.',
  after: ['EV201', 'EV206'],
  find: ({ fields, file }) => {
    const chosen = file.category.chosen_in
    const offering = fields.filter(({ field }) => field.offersCategories === true)
    if (chosen === undefined)
      return offering.map(({ id, path }) => ({
        at: join(path, 'options'),
        part: 'entry',
        message: `\`${id}\` offers the categories, but rules decide`,
        help: 'say category: {chosen_in: …}, or give the field other options',
      }))
    const found = fields.find(({ id }) => id === chosen)
    if (found === undefined) return []
    const where = {
      at: 'category.chosen_in',
      related: [{ at: `${found.path}.id`, message: 'the field' }],
    }
    if (found.field.offersCategories !== true)
      return [
        {
          ...where,
          message: `\`${chosen}\` does not offer the categories`,
          help: 'give it options: categories',
        },
      ]
    const sure =
      file.event.status === 'closed' ||
      (found.raw.required !== undefined &&
        typeof found.raw.required !== 'object' &&
        found.raw.show_when === undefined) ||
      found.field.default !== undefined
    return sure
      ? []
      : [
          {
            ...where,
            message: `\`${chosen}\` may be left empty, and then there is no price`,
            help: 'make it required, and always shown',
          },
        ]
  },
}

const RISKY = new Set([
  'html',
  'htm',
  'xhtml',
  'svg',
  'xml',
  'exe',
  'msi',
  'com',
  'scr',
  'dll',
  'js',
  'mjs',
  'vbs',
  'ps1',
  'bat',
  'cmd',
  'sh',
  'php',
  'jar',
  'apk',
  'docm',
  'xlsm',
  'zip',
  'rar',
  '7z',
])

const riskyUpload: Check = {
  slug: 'risky-upload',
  severity: 'warning',
  why: 'The office opens what delegates send.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path }) =>
      (raw.accept ?? []).flatMap((ending, at): Draft[] =>
        RISKY.has(ending)
          ? [
              {
                at: `${path}.accept.${at}`,
                message: `${ending} files can carry code`,
                help: 'ask for pdf, jpg or png',
              },
            ]
          : [],
      ),
    ),
}

/** Endings that delegates have, beside those that can carry code. */
const KNOWN = [
  'pdf',
  'doc',
  'docx',
  'jpg',
  'jpeg',
  'png',
  'odt',
  'rtf',
  'txt',
  'xls',
  'xlsx',
  'csv',
  'ppt',
  'pptx',
  'webp',
  'heic',
  'gif',
  'tif',
  'tiff',
  'mp4',
  'mp3',
]

const unknownEnding: Check = {
  slug: 'unknown-ending',
  severity: 'warning',
  why: 'An ending that no file has lets nobody send theirs.',
  find: (model) =>
    model.fields.flatMap(({ raw, path }) =>
      (raw.accept ?? []).flatMap((ending, at): Draft[] => {
        if (RISKY.has(ending) || KNOWN.includes(ending)) return []
        const { start, end } = model.source.place(`${path}.accept.${at}`)
        return [
          {
            at: `${path}.accept.${at}`,
            message: `\`${ending}\` is no file ending that is known here`,
            ...suggestion(ending, KNOWN, [start.offset, end.offset]),
          },
        ]
      }),
    ),
}

const nearlyNone: Check = {
  slug: 'nearly-none',
  severity: 'warning',
  why: '`none` leaves a part out; a word that is nearly none is shown to everybody.',
  find: (model) =>
    (['notice', 'alert'] as const).flatMap((key): Draft[] => {
      const text = model.file.form.without_payment?.[key]
      const at = `form.without_payment.${key}`
      const span = model.source.written(at)?.span ?? null
      return text === undefined ||
        text === 'none' ||
        text.length > 6 ||
        suggestion(text, ['none']).help === undefined
        ? []
        : [{ at, message: `delegates would read “${text}”`, ...suggestion(text, ['none'], span) }]
    }),
}

/** Texts of the event file and the shared text that would stand there anyway. */
function restated(
  model: Model,
): readonly { readonly at: string; readonly text: string; readonly shared: string }[] {
  const { file, texts } = model
  const pair = (
    at: string,
    text: unknown,
    shared: string,
  ): readonly { at: string; text: string; shared: string }[] =>
    typeof text === 'string' ? [{ at, text, shared }] : []
  const { summary, without_payment: without, failure } = file.form
  const invalid = {
    email: 'email',
    phone: 'phone',
    select: 'option',
    file: 'file',
    number: 'number',
    date: 'date',
  } as const
  return [
    ...(['title', 'empty', 'button', 'busy'] as const).flatMap((key) =>
      pair(`form.summary.${key}`, summary?.[key], `form.summary.${key}`),
    ),
    ...(['notice', 'alert'] as const).flatMap((key) =>
      pair(`form.without_payment.${key}`, without?.[key], `form.without_payment.${key}`),
    ),
    ...pair('form.failure', failure, 'form.failure'),
    ...model.fields.flatMap(({ raw, path, field }) => [
      ...pair(join(path, 'required'), raw.required, 'form.required'),
      ...(field.type in invalid
        ? pair(
            join(path, 'invalid'),
            raw.invalid,
            `form.invalid.${invalid[field.type as keyof typeof invalid]}`,
          )
        : []),
    ]),
    ...(['no_order', 'bad_order', 'not_found', 'fetch_failed'] as const).flatMap((key) =>
      pair(`results.errors.${key}`, file.results.errors?.[key], `results.${key}`),
    ),
    ...(file.admin?.lists ?? []).flatMap((list, at) => [
      ...pair(`admin.lists.${at}.empty`, list.empty, 'admin.empty'),
      ...pair(`admin.lists.${at}.errors.load`, list.errors?.load, 'admin.load'),
      ...pair(`admin.lists.${at}.errors.export`, list.errors?.export, 'admin.export'),
    ]),
  ].filter(({ text, shared }) => text === valueAt(texts, shared))
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      value,
    )
}

const restatesDefault: Check = {
  slug: 'restates-default',
  severity: 'note',
  why: 'A text that is stated twice is changed once.',
  find: (model) =>
    restated(model).map(({ at, shared }) => ({
      at,
      part: 'entry',
      message: 'the same text stands in the shared texts; the line can go',
      related: [{ at: shared, part: 'entry', in: 'texts' satisfies SharedName, message: 'there' }],
    })),
}

export const form = {
  EV501: messageNeverShown,
  EV502: defaultNotOption,
  EV503: rangeBackwards,
  EV504: requiredDoesNothing,
  EV505: sameLabel,
  EV506: stepOutOfRange,
  EV507: contactFields,
  EV508: chosenIn,
  EV509: riskyUpload,
  EV510: unknownEnding,
  EV512: restatesDefault,
  EV513: nearlyNone,
}
