/** Checks EV501 to EV508, EV515, EV532: the form asks the necessary questions, once each, with clear labels. */
import type { Field } from '../../../event/config.ts'
import { canBeMalformed, getFieldPatterns } from '../../../answers/field-types.ts'
import { formatDay, isDay } from '../../../lib/time.ts'
import type { Check, FieldAt } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { formatList, suggestName } from '../../suggestions/nearest-name.ts'
import { join } from '../../syntax/source.ts'

const messageNeverShownCheck: Check = {
  slug: 'message-never-shown',
  severity: 'error',
  why: 'A message that is never shown probably belongs to another field, or a check is missing.',
  after: ['EV519', 'EV520'],
  find: ({ fieldsAndParts }) =>
    fieldsAndParts.flatMap(({ raw, path, field }): Draft[] => {
      if (raw.invalid === undefined) return []
      const at = join(path, 'invalid')
      if (!canBeMalformed(field))
        return [
          {
            at,
            part: 'entry',
            message: `an answer of type ${field.type} is always valid: this message is never shown`,
          },
        ]
      // `check: false` only allows an email address without a dot in the host; other errors are still reported.
      return field.check || field.type === 'email'
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

const defaultNotOptionCheck: Check = {
  slug: 'default-not-option',
  severity: 'error',
  why: 'The initial answer would be rejected by the form.',
  after: ['EV205'],
  find: (model) =>
    model.fieldsAndParts.flatMap(({ field, path, id }): Draft[] => {
      const value = field.default
      if (value === undefined) return []
      const at = join(path, 'default')
      const optionIds = (field.options ?? []).map((option) => option.id)
      const { start, end } = model.source.place(at)
      if (field.type === 'select' && !optionIds.includes(String(value)))
        return [
          {
            at,
            message: `\`${String(value)}\` is not an option of \`${id}\``,
            notes: [`options: ${formatList(optionIds)}`],
            ...suggestName(String(value), optionIds, [start.offset, end.offset]),
          },
        ]
      if (field.type === 'date' && !isDay(String(value)))
        return [
          {
            at,
            message: `\`${String(value)}\` is not a valid date`,
            help: 'write the date as year-month-day, such as 2026-01-31',
          },
        ]
      if (field.type === 'phone' && !/^\+?[\d ().-]+$/.test(String(value)))
        return [
          {
            at,
            message: `\`${String(value)}\` does not start like a phone number`,
            help: 'write digits, with a + before the country code',
          },
        ]
      const outOfRangeDraft = {
        at,
        message: `the default ${value} is outside the range of the field`,
      }
      if (field.type === 'date') return isWithinDays(field, String(value)) ? [] : [outOfRangeDraft]
      if (
        getFieldPatterns(field).some(({ pattern }) => !new RegExp(pattern, 'u').test(String(value)))
      )
        return [
          { at, message: `the default ${value} does not match the format or pattern of the field` },
        ]
      return typeof value === 'number' && !isInRange(field, value) ? [outOfRangeDraft] : []
    }),
}

function isInRange({ min, max }: Field, value: number): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max)
}

/** Compares the dates as text, which is correct for ISO dates. */
function isWithinDays({ from, to }: Field, day: string): boolean {
  return (from === undefined || day >= from) && (to === undefined || day <= to)
}

const minAboveMaxCheck: Check = {
  slug: 'range-backwards',
  severity: 'error',
  why: 'No answer can be at least the larger number and at most the smaller one.',
  find: ({ fieldsAndParts }) =>
    fieldsAndParts.flatMap(({ field, path }): Draft[] => {
      const { min, max, from, to, type } = field
      if (min !== undefined && max !== undefined && min > max)
        return [
          {
            at: join(path, 'min'),
            part: 'entry',
            message: `min is above max (${max}): ${type === 'people' ? 'no list can have that many people' : 'no number is valid'}`,
          },
        ]
      return from !== undefined && to !== undefined && from > to
        ? [
            {
              at: join(path, 'from'),
              part: 'entry',
              message: `from is after to (${formatDay(to)}): no date is valid`,
            },
          ]
        : []
    }),
}

const requiredWithoutEffectCheck: Check = {
  slug: 'required-does-nothing',
  severity: 'warning',
  why: 'A field with a default always has an answer, so this message is never shown.',
  find: ({ fieldsAndParts }) =>
    fieldsAndParts.flatMap(({ field, path }): Draft[] =>
      field.required !== undefined && field.default !== undefined
        ? [
            {
              at: join(path, 'required'),
              part: 'entry',
              message: 'this field always has an answer',
              related: [
                { at: join(path, 'default'), part: 'entry', message: 'because of this default' },
              ],
              help: 'remove one of the two',
            },
          ]
        : [],
    ),
}

const sameLabelCheck: Check = {
  slug: 'same-label',
  severity: 'warning',
  why: 'Delegates and staff tell fields apart by their labels.',
  find: ({ fields, fieldsAndParts }) => [
    ...findEqualLabels(fields, 'two fields are both called'),
    ...fields.flatMap(({ raw, path }) =>
      findEqualLabels(
        (raw.fields ?? []).flatMap((_, index) =>
          fieldsAndParts.filter((part) => part.path === `${path}.fields.${index}`),
        ),
        'two fields of each person are both called',
      ),
    ),
  ],
}

function findEqualLabels(fields: readonly FieldAt[], description: string): readonly Draft[] {
  const firstFieldByLabel = new Map<string, FieldAt>()
  return fields.flatMap((field): Draft[] => {
    const { label } = field.raw
    const firstField = firstFieldByLabel.get(label.trim().toLowerCase())
    if (firstField === undefined) {
      firstFieldByLabel.set(label.trim().toLowerCase(), field)
      return []
    }
    return [
      {
        at: join(field.path, 'label'),
        message: `${description} “${label}”`,
        related: [{ at: join(firstField.path, 'label'), message: 'the other field' }],
      },
    ]
  })
}

const stepOutOfRangeCheck: Check = {
  slug: 'step-out-of-range',
  severity: 'error',
  why: 'A step that does not exist cannot be highlighted.',
  find: ({ file }) => {
    const { stepper } = file.form
    return stepper?.stays_on !== undefined && stepper.stays_on > stepper.steps.length
      ? [
          {
            at: 'form.stepper.stays_on',
            message: `the stepper has only ${stepper.steps.length} steps`,
          },
        ]
      : []
  },
}

/** The payer's details that the gateway requires for a checkout. */
const CONTACT_DETAILS: readonly {
  readonly message: string
  readonly id: string
  readonly example: string
  matches(field: FieldAt): boolean
}[] = [
  {
    message: '`full_name` field',
    id: 'full_name',
    example: '{id: full_name, label: Full name, required: true}',
    matches: ({ id }) => id === 'full_name',
  },
  {
    message: 'field of type email',
    id: 'email',
    example: '{id: email, type: email, label: Email, required: true}',
    matches: ({ field }) => field.type === 'email',
  },
  {
    message: '`phone_number` field',
    id: 'phone_number',
    example: '{id: phone_number, type: phone, label: Phone, required: true}',
    matches: ({ id }) => id === 'phone_number',
  },
]

const contactFieldsCheck: Check = {
  slug: 'contact-fields',
  severity: 'error',
  why: 'The payment gateway needs the delegate’s name, email address and phone number. Emails need the email address.',
  after: ['EV206'],
  find: ({ fields, config, file }) => {
    const requiredDetails =
      config.payment !== null
        ? CONTACT_DETAILS
        : config.email === null || config.status === 'closed'
          ? []
          : CONTACT_DETAILS.filter(({ id }) => id === 'email')
    return requiredDetails.flatMap(({ message, example, matches }): Draft[] => {
      const contactField = fields.find(matches)
      const reason =
        config.payment !== null
          ? 'the payment gateway needs it'
          : 'the email is sent to this address'
      if (contactField === undefined)
        return [
          {
            at: 'form.sections',
            part: 'key',
            message: `the form has no ${message}; ${reason}`,
            help: `add ${example}`,
          },
        ]
      if (file.event.status === 'closed') return []
      const isOptional =
        contactField.field.required === undefined ||
        contactField.field.required.when !== undefined ||
        contactField.raw.show_when !== undefined
      return isOptional && contactField.field.default === undefined
        ? [
            {
              at: contactField.path,
              message: `\`${contactField.id}\` may be left empty, but ${reason}`,
              help: 'make the field required, and always show it',
            },
          ]
        : []
    })
  },
}

const categoryFieldMismatchCheck: Check = {
  slug: 'category-field-mismatch',
  severity: 'error',
  why: 'The field in which delegates choose their category must offer the categories, and must be required.',
  after: ['EV201', 'EV206'],
  find: ({ fields, file }) => {
    const choiceFieldId = file.category.chosen_in
    const fieldsOfferingCategories = fields.filter(({ field }) => field.offersCategories === true)
    if (choiceFieldId === undefined)
      return fieldsOfferingCategories.map(({ id, path }) => ({
        at: join(path, 'options'),
        part: 'entry',
        message: `\`${id}\` offers the categories, but rules determine the category`,
        help: 'write category: {chosen_in: …}, or give the field other options',
      }))
    const choiceField = fields.find(({ id }) => id === choiceFieldId)
    if (choiceField === undefined) return []
    const location = {
      at: 'category.chosen_in',
      related: [{ at: `${choiceField.path}.id`, message: 'the field' }],
    }
    if (choiceField.field.offersCategories !== true)
      return [
        {
          ...location,
          message: `\`${choiceFieldId}\` does not offer the categories`,
          help: 'write options: categories in the field',
        },
      ]
    const isAlwaysChosen =
      file.event.status === 'closed' ||
      (choiceField.field.required !== undefined &&
        choiceField.field.required.when === undefined &&
        choiceField.raw.show_when === undefined) ||
      choiceField.field.default !== undefined
    return isAlwaysChosen
      ? []
      : [
          {
            ...location,
            message: `\`${choiceFieldId}\` may be left empty: without a category there is no price`,
            help: 'make the field required, and always show it',
          },
        ]
  },
}

const linkWithoutMailCheck: Check = {
  slug: 'link-without-mail',
  severity: 'warning',
  why: 'A delegate who has already registered is refused and gets the access link by email. Without email they cannot continue.',
  after: ['EV507'],
  find: ({ config, file }) =>
    config.email !== null || config.status === 'closed'
      ? []
      : (file.unique ?? []).flatMap(({ on_duplicate: onDuplicate }, index): Draft[] =>
          onDuplicate === 'block'
            ? [
                {
                  at: `unique.${index}.on_duplicate`,
                  message:
                    'the event sends no email: a delegate who is refused here gets no access link',
                  help: 'add email: {subject, text}, or write on_duplicate: warn',
                },
              ]
            : [],
        ),
}

const summaryWithoutTotalCheck: Check = {
  slug: 'summary-without-total',
  severity: 'warning',
  why: 'Delegates who see parts of the amount also need the total.',
  find: ({
    config: {
      form: { summary },
    },
  }) =>
    summary.lines.includes('total') ||
    !summary.lines.some((line) => line === 'base' || line === 'gst')
      ? []
      : [
          {
            at: 'form.summary.lines',
            message: 'the price summary shows parts of the amount but not the total',
            help: 'add total',
          },
        ],
}

export const formFieldChecks = {
  EV501: messageNeverShownCheck,
  EV502: defaultNotOptionCheck,
  EV503: minAboveMaxCheck,
  EV504: requiredWithoutEffectCheck,
  EV505: sameLabelCheck,
  EV506: stepOutOfRangeCheck,
  EV507: contactFieldsCheck,
  EV508: categoryFieldMismatchCheck,
  EV515: summaryWithoutTotalCheck,
  EV532: linkWithoutMailCheck,
}
